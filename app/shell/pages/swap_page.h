#pragma once

#include <QSharedPointer>

#include "app/bridge/engine_call.h"
#include "app/shell/page.h"
#include "core/ladder/scheme.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace holo::widgets {
class AccuracyPlot;
class CategoryTicker;
class HeatmapPlot;
class SchemeParameters;
}

namespace holo::shell {

// Another ladder under the same weights: what to swap on the left; before, after and difference on the right, accuracy by distance below.
class SwapPage : public Page {
    Q_OBJECT
public:
    explicit SwapPage(Context& context, QWidget* parent = nullptr);
    void showDocument(const Json& document);  // of the verb "swap"

private:
    void showSweep(const Json& document);
    void updateRuns();
    void updateCommand();
    QStringList arguments() const;
    void run();

    bridge::EngineCall m_call;
    QComboBox* m_run;
    widgets::SchemeParameters* m_scheme;
    QComboBox* m_heads;
    QLineEdit* m_planes;
    QComboBox* m_sweep;
    QSpinBox* m_trials;
    QPushButton* m_button;
    QProgressBar* m_progress;
    QLineEdit* m_command;
    QLabel* m_summary;
    QStackedWidget* m_stack;
    widgets::HeatmapPlot* m_before;
    widgets::HeatmapPlot* m_after;
    widgets::HeatmapPlot* m_difference;
    widgets::AccuracyPlot* m_distance;
    widgets::AccuracyPlot* m_sweepPlot;
    QSharedPointer<widgets::CategoryTicker> m_sweepTicker;
};

}  // namespace holo::shell
