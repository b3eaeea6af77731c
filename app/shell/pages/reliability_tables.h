#pragma once

#include <QString>
#include <functional>

#include "core/stats/statistics_table.h"

namespace holo::widgets {
class TableModel;
}

namespace holo::shell {

// The statistics of a project as tables for people: one row an arm, one row a test. `scale` is 100 for shares.
void showGroups(widgets::TableModel& model, const stats::StatisticsTable& table, double scale, const std::function<int(const QString& arm)>& armIndex);
void showTests(widgets::TableModel& model, const stats::StatisticsTable& table);

}  // namespace holo::shell
