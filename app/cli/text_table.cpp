#include "app/cli/text_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/text.h"

namespace holo::cli {

namespace {

std::size_t width(const std::string& text)
{
    return std::size_t(std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

bool looksNumeric(const std::string& text)
{
    if (text.empty() || text == "–")
        return true;
    if (text.front() == 'e' || text.front() == 'E')
        return false;
    const auto end = text.find_first_not_of("+-0123456789.eE");
    return text.find_first_of("0123456789") != std::string::npos && (end == std::string::npos || text.substr(end) == "%" || text.substr(end).starts_with(" "));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header) { m_rows.push_back(std::move(header)); }

void TextTable::add(std::vector<std::string> row)
{
    row.resize(m_rows.front().size());
    m_rows.push_back(std::move(row));
}

std::string TextTable::text() const
{
    const std::size_t columns = m_rows.front().size();
    std::vector<std::size_t> widths(columns);
    std::vector<bool> right(columns, m_rows.size() > 1);
    for (std::size_t r = 0; r < m_rows.size(); ++r)
        for (std::size_t c = 0; c < columns; ++c) {
            widths[c] = std::max(widths[c], width(m_rows[r][c]));
            if (r > 0 && !looksNumeric(m_rows[r][c]))
                right[c] = false;
        }
    std::string text;
    for (const auto& row : m_rows) {
        std::string line;
        for (std::size_t c = 0; c < columns; ++c) {
            const std::string padding(widths[c] - width(row[c]), ' ');
            line += (c > 0 ? "  " : "") + (right[c] ? padding + row[c] : row[c] + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string shortNumber(double value, int digits)
{
    if (std::isnan(value))
        return "–";
    if (std::isinf(value))
        return formatDouble(value);
    std::array<char, 64> buffer;
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
    return {buffer.data(), result.ptr};
}

}  // namespace holo::cli
