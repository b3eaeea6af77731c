#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/interop/csv.h"

namespace holo::interop {

// A metric of a run of another tracker.
struct ImportedCurve {
    std::string run;     // empty where the file names none
    std::string metric;
    std::vector<std::pair<double, double>> points;  // step and value, steps rising; of a step given twice the later value stays
};

struct ImportedCurves {
    std::vector<ImportedCurve> curves;
    std::vector<std::string> notes;
};

// Curves of a CSV export. Wide: a column of steps (step, _step, Step, global_step, trainer/global_step) and one column a metric, named METRIC or
// "RUN - METRIC" as Weights & Biases writes charts (whose __MIN and __MAX columns are left out with a note); with a column run or run_name, rows
// belong to its run. Long: columns step, value, and metric (or key, name), as trackio and MLflow rows are written. Empty cells are gaps;
// columns without a number in them are left out with a note. Throws Error (malformed) naming line and column for other text in a numeric column.
ImportedCurves curvesFromCsv(const CsvTable& table, const std::string& source);
ImportedCurves importCurves(const std::filesystem::path& file);

}  // namespace holo::interop
