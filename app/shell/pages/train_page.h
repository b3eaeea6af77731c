#pragma once

#include <QTimer>
#include <map>
#include <set>
#include <vector>

#include "app/shell/page.h"
#include "core/model/curve.h"
#include "core/model/run_events.h"

class QComboBox;
class QLabel;
class QSlider;
class QStackedWidget;
class QToolButton;

namespace holo::widgets {
class CurvePlot;
}

namespace holo::shell {

// Live curves: one large plot of a chosen value and small ones of the others, over steps, tokens, active or wall-clock seconds.
class TrainPage : public Page {
    Q_OBJECT
public:
    explicit TrainPage(Context& context, QWidget* parent = nullptr);

private:
    enum class X { Step, Tokens, Active, Wall };
    struct Panel {
        widgets::CurvePlot* plot;
        double model::StepRecord::* member;  // null: validation loss from the evaluations
    };
    void reload();
    void want();
    void showRun(const QString& run);
    void appendRun(const QString& run, const std::vector<model::StepRecord>& steps);
    void updateBands();
    std::map<std::int64_t, double> validationLosses(const QString& run) const;  // by step
    double smoothingOf(std::size_t panel) const;
    std::vector<model::Curve> thinned(const QString& run) const;  // one a panel, at every m_stride-th step
    void applyX();
    double xOf(const model::StepRecord& step, double wallOffset) const;
    void restyleRun(const QString& run);
    void updateNote();

    std::vector<Panel> m_panels;
    QStackedWidget* m_stack;
    QComboBox* m_xAxis;
    QComboBox* m_value;
    QSlider* m_smoothing;
    QLabel* m_note;
    QToolButton* m_bands;
    QTimer m_bandTimer;
    X m_x = X::Step;
    std::set<QString> m_shown;
    std::map<QString, std::pair<int, std::int64_t>> m_last;  // attempt and step of the last point drawn
    std::map<QString, double> m_wallOffset;
    std::map<QString, std::vector<model::Curve>> m_thin;
    std::set<QString> m_staleThin;
    std::int64_t m_stride = 1;
    bool m_cut = false;
};

}  // namespace holo::shell
