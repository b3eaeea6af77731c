#include "core/interop/csv.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::interop {

namespace {

class Parser {
public:
    Parser(std::string_view text, const std::string& source)
        : m_text(text)
        , m_source(source)
    {
    }

    bool row(std::vector<std::string>& cells)
    {
        cells.clear();
        if (m_at == m_text.size())
            return false;
        m_rowLine = m_line;
        for (;;) {
            cells.push_back(cell());
            if (m_at == m_text.size())
                return true;
            const char c = m_text[m_at++];
            if (c == ',')
                continue;
            ++m_line;
            return true;
        }
    }

    [[noreturn]] void fail(const std::string& found, const std::string& allowed) const
    {
        throw Error::at(ErrorKind::Malformed, {m_source, "line " + std::to_string(m_rowLine), found, allowed});
    }

private:
    // Stops at the comma, the line feed or the end.
    std::string cell()
    {
        std::string value;
        if (m_at < m_text.size() && m_text[m_at] == '"') {
            ++m_at;
            for (;;) {
                if (m_at == m_text.size())
                    fail("a cell whose quote is never closed", "a closing quote");
                const char c = m_text[m_at++];
                if (c != '"') {
                    m_line += c == '\n';
                    value += c;
                } else if (m_at < m_text.size() && m_text[m_at] == '"') {
                    value += '"';
                    ++m_at;
                } else {
                    break;
                }
            }
            skipReturn();
            if (m_at < m_text.size() && m_text[m_at] != ',' && m_text[m_at] != '\n')
                fail("a cell with text behind its closing quote", "a comma or the end of the line");
            return value;
        }
        while (m_at < m_text.size() && m_text[m_at] != ',' && m_text[m_at] != '\n') {
            if (m_text[m_at] == '"')
                fail("a quote inside a cell that does not begin with one", "cells quoted as a whole");
            value += m_text[m_at++];
        }
        if (value.ends_with('\r') && (m_at == m_text.size() || m_text[m_at] == '\n'))
            value.pop_back();
        return value;
    }

    void skipReturn()
    {
        if (m_at < m_text.size() && m_text[m_at] == '\r' && (m_at + 1 == m_text.size() || m_text[m_at + 1] == '\n'))
            ++m_at;
    }

    std::string_view m_text;
    const std::string& m_source;
    std::size_t m_at = 0;
    std::size_t m_line = 1;
    std::size_t m_rowLine = 1;
};

void addRow(std::string& out, const std::vector<std::string>& cells)
{
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0)
            out += ',';
        out += csvCell(cells[i]);
    }
    out += '\n';
}

}  // namespace

int CsvTable::column(std::string_view name) const
{
    const auto it = std::find(columns.begin(), columns.end(), name);
    return it == columns.end() ? -1 : int(it - columns.begin());
}

std::string csvNumber(double value) { return formatDouble(value); }

std::string csvCell(std::string_view text)
{
    const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos && (text.empty() || (text.front() != ' ' && text.back() != ' '));
    if (plain)
        return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string writeCsv(const CsvTable& table)
{
    std::string out;
    addRow(out, table.columns);
    for (const auto& row : table.rows)
        addRow(out, row);
    return out;
}

CsvTable wideTable(const std::string& corner, const std::vector<double>& rowLabels, const std::vector<double>& columnLabels, const std::vector<std::vector<double>>& values, bool nanIsEmpty)
{
    CsvTable table;
    table.columns.push_back(corner);
    for (const double label : columnLabels)
        table.columns.push_back(csvNumber(label));
    for (std::size_t r = 0; r < rowLabels.size(); ++r) {
        std::vector<std::string> row{csvNumber(rowLabels[r])};
        for (std::size_t c = 0; c < columnLabels.size(); ++c)
            row.push_back(nanIsEmpty && std::isnan(values[r][c]) ? std::string() : csvNumber(values[r][c]));
        table.rows.push_back(std::move(row));
    }
    return table;
}

CsvTable parseCsv(std::string_view text, const std::string& source)
{
    if (std::size_t offset = 0; !isUtf8(text, &offset))
        throw Error::at(ErrorKind::Malformed, {source, "byte " + std::to_string(offset), "not UTF-8", "UTF-8"});
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    Parser parser(text, source);
    CsvTable table;
    if (!parser.row(table.columns))
        throw Error::at(ErrorKind::Malformed, {source, "content", "empty", "a line of column names"});
    std::set<std::string> names;
    for (const std::string& name : table.columns)
        if (!names.insert(name).second)
            parser.fail("the column \"" + name + "\" twice", "each name once");
    std::vector<std::string> cells;
    while (parser.row(cells)) {
        if (cells.size() == 1 && cells[0].empty() && table.columns.size() > 1)
            continue;
        if (cells.size() != table.columns.size())
            parser.fail(std::to_string(cells.size()) + " cells", std::to_string(table.columns.size()) + ", the number of columns");
        table.rows.push_back(cells);
    }
    return table;
}

}  // namespace holo::interop
