#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace holo::report {

// Writes the report of a project into `out` and returns the files in the order of their making: report.md, report.html (one file, figures inside),
// runs.csv, statistics.csv, and for each arm heatmap-ARM.{svg,png} with needle-ARM.csv (wide) and needle-ARM-cells.csv (tidy), seeds.svg, loss.svg,
// needle-over-steps.svg where there is data for them. Equal results give equal bytes: no time, host or path enters.
// Throws Error: malformed for a project that is none, resource where `out` cannot be written.
std::vector<std::filesystem::path> writeReport(const std::filesystem::path& project, const std::filesystem::path& out);

}  // namespace holo::report
