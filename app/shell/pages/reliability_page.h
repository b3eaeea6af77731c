#pragma once

#include <QTimer>

#include "app/bridge/background.h"
#include "app/shell/page.h"
#include "core/stats/statistics_table.h"

class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;

namespace holo::widgets {
class AccuracyPlot;
class StripPlot;
class TableModel;
}

namespace holo::shell {

// The seed lottery: one dot a seed, the spread, the worst seed, the tests and what they allow to be said; when the skill appeared; how many
// seeds a difference of spreads needs.
class ReliabilityPage : public Page {
    Q_OBJECT
public:
    explicit ReliabilityPage(Context& context, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Answer {
        stats::StatisticsTable table;
        QString problem;
    };
    void want();
    void later();
    void recompute();
    stats::StatisticsInput input() const;
    void show(const Answer& answer);

    bridge::Background m_work;
    QStackedWidget* m_stack;
    QComboBox* m_metric;
    widgets::StripPlot* m_strips;
    widgets::AccuracyPlot* m_emergence;
    widgets::TableModel* m_groups;
    widgets::TableModel* m_tests;
    QTableView* m_groupView;
    QTableView* m_testView;
    QLabel* m_reading;
    QLabel* m_notes;
    QTimer m_timer;
    bool m_stale = true;
    std::string m_signature;  // of the numbers that the tests were made of
};

}  // namespace holo::shell
