#pragma once

#include <array>
#include <optional>

#include "app/bridge/background.h"
#include "app/bridge/engine_call.h"
#include "app/shell/compared_source.h"
#include "app/shell/page.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace holo::widgets {
class CurvePlot;
class HeatmapPlot;
class KernelPlot;
class TableModel;
}

namespace holo::shell {

class DropWell;

// Two runs or checkpoints: retrieval of A, of B and their difference with noise masked, loss curves, configuration differences, ladders.
class ComparePage : public Page {
    Q_OBJECT
public:
    explicit ComparePage(Context& context, QWidget* parent = nullptr);

    void addSource(const QString& path);  // into the first empty well, else B
    void setSource(int well, const QString& path);
    void clearSource(int well);
    bool isAnySet() const { return m_sources[0] || m_sources[1]; }
    const std::optional<ComparedSource>& source(int well) const { return m_sources[static_cast<std::size_t>(well)]; }

private:
    void show();
    void showConfig();
    void evaluateMissing();
    QStringList missing() const;

    std::array<std::optional<ComparedSource>, 2> m_sources;
    std::array<DropWell*, 2> m_wells;
    std::array<bridge::Background, 2> m_readers;
    bridge::EngineCall m_call;
    int m_evaluated = -1;  // well of the running evaluation
    QStackedWidget* m_stack;
    std::array<widgets::HeatmapPlot*, 3> m_maps;
    widgets::CurvePlot* m_curves;
    widgets::KernelPlot* m_kernel;
    widgets::TableModel* m_config;
    widgets::TableModel* m_ladders;
    QTableView* m_configView;
    QCheckBox* m_all;
    QLabel* m_summary;
    QPushButton* m_evaluate;
};

}  // namespace holo::shell
