#pragma once

#include <QTimer>
#include <map>
#include <memory>
#include <vector>

#include "app/shell/page.h"
#include "core/model/needle_grid.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QSlider;
class QStackedWidget;
class QToolButton;

namespace holo::widgets {
class AccuracyPlot;
class CurvePlot;
class HeatmapPlot;
class ScaleBar;
}

namespace holo::shell {

// One heatmap an arm (mean of its seeds, or the worst one) or a run, all on the same scale; below, accuracy by needle position with Wilson bands. A slider
// goes through the evaluations over steps.
class RetrievalPage : public Page {
    Q_OBJECT
public:
    explicit RetrievalPage(Context& context, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Panel {
        QString title;
        QString arm;
        QString run;  // empty: mean of the arm
        int armIndex = 0;
        model::NeedleGrid grid;
    };
    void want();
    void later();
    void rebuild();
    void updateSteps();
    std::vector<Panel> panels() const;
    void showMaps(const std::vector<Panel>& panels);
    void showCurve(const std::vector<Panel>& panels);
    void showPerplexity();
    void openTrials(const Panel& panel, std::int64_t length, double depth);
    std::int64_t chosenStep() const;

    QStackedWidget* m_stack;
    QComboBox* m_mode;
    QComboBox* m_position;
    QSlider* m_slider;
    QToolButton* m_play;
    QLabel* m_stepLabel;
    QLabel* m_note;
    QWidget* m_mapArea;
    QGridLayout* m_maps;
    widgets::ScaleBar* m_scale;
    std::vector<widgets::HeatmapPlot*> m_plots;
    std::vector<Panel> m_shown;
    widgets::AccuracyPlot* m_curve;
    widgets::CurvePlot* m_perplexity;
    std::vector<std::int64_t> m_steps;
    QTimer m_rebuildTimer;
    QTimer m_playTimer;
    bool m_stale = true;
};

}  // namespace holo::shell
