#pragma once

#include <string>
#include <vector>

namespace holo::cli {

// Columns for people: numbers to the right, text to the left, two blanks between. UTF-8 aware as far as code points go.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> header);
    void add(std::vector<std::string> row);
    std::string text() const;

private:
    std::vector<std::vector<std::string>> m_rows;
};

// Shortest readable text of a number: up to `digits` significant digits; "–" for a missing one (NaN).
std::string shortNumber(double value, int digits = 5);

}  // namespace holo::cli
