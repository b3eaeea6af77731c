#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "app/bridge/background.h"
#include "app/bridge/engine_call.h"
#include "app/shell/compared_source.h"
#include "app/shell/page.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTableView;

namespace holo::widgets {
class CurvePlot;
class HeatmapPlot;
class KernelPlot;
class TableModel;
}

namespace holo::shell {

class DropWell;
class WeightsPanel;

// Two runs or checkpoints: retrieval of A, of B and their difference with noise masked, loss curves, configuration differences, ladders,
// distance of the weights. More than two stand side by side as a strip.
class ComparePage : public Page {
    Q_OBJECT
public:
    explicit ComparePage(Context& context, QWidget* parent = nullptr);

    void addSource(const QString& path);        // into the first empty well; with both full, beside them in the strip
    void setSources(const QStringList& paths);  // in place of what is there; the third and further ones stand in the strip
    void setSource(int well, const QString& path);
    void clearSource(int well);
    bool isAnySet() const { return m_sources[0] || m_sources[1]; }
    const std::optional<ComparedSource>& source(int well) const { return m_sources[static_cast<std::size_t>(well)]; }

private:
    struct Further {
        explicit Further(ComparePage* page);
        bridge::Background reader;
        ComparedSource source;
        widgets::HeatmapPlot* map;
    };
    void show();
    void showStrip();
    void addToStrip(widgets::HeatmapPlot* map);
    void showConfig();
    void evaluateMissing();
    QStringList missing() const;

    std::array<std::optional<ComparedSource>, 2> m_sources;
    std::array<DropWell*, 2> m_wells;
    std::array<bridge::Background, 2> m_readers;
    std::vector<std::unique_ptr<Further>> m_further;  // the third, fourth … source
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
    QLabel* m_conflicts;
    WeightsPanel* m_weights;
    QTabWidget* m_tabs;
    QWidget* m_strip;
    std::array<widgets::HeatmapPlot*, 2> m_stripMaps;
    QPushButton* m_evaluate;
};

}  // namespace holo::shell
