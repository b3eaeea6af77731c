#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holo::interop {

// A table of comma-separated values (RFC 4180): UTF-8, LF, decimal point, non-finite numbers as nan, inf, -inf, in every locale alike.
struct CsvTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;  // as many cells each as there are columns

    int column(std::string_view name) const;     // −1 if absent
};

std::string csvNumber(double value);  // shortest text that round-trips
std::string csvCell(std::string_view text);  // quoted where needed
std::string writeCsv(const CsvTable& table);

// A grid as a wide table: one row for each row label, one column for each column label; `corner` heads the row labels.
// Cells are values[row][column]; a NaN that stands for "not measured" is left empty if `nanIsEmpty`.
CsvTable wideTable(const std::string& corner, const std::vector<double>& rowLabels, const std::vector<double>& columnLabels,
                   const std::vector<std::vector<double>>& values, bool nanIsEmpty = false);

// Accepts LF and CR LF, a byte order mark and quoted cells with line breaks. Throws Error (malformed) that names `source` and the line for a
// row with another number of cells, an unclosed or stray quote, a column name that stands twice, or invalid UTF-8.
CsvTable parseCsv(std::string_view text, const std::string& source);

}  // namespace holo::interop
