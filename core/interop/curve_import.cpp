#include "core/interop/curve_import.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace holo::interop {

namespace {

constexpr std::size_t kFileBytes = 1u << 30;

int firstColumn(const CsvTable& table, std::initializer_list<const char*> names)
{
    for (const char* name : names)
        if (const int column = table.column(name); column >= 0)
            return column;
    return -1;
}

// Numbers with a decimal point; nan, inf and infinity in any case. Nothing for other text.
std::optional<double> numberOf(const std::string& cell)
{
    const std::string_view text = trimmed(cell);
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z')
            c = char(c + 32);
    if (lower == "nan" || lower == "inf" || lower == "infinity" || lower == "-inf" || lower == "-infinity" || lower == "+inf") {
        if (lower == "nan")
            return std::numeric_limits<double>::quiet_NaN();
        return lower[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    }
    return parseDouble(text);
}

class Importer {
public:
    Importer(const CsvTable& table, const std::string& source)
        : m_table(table)
        , m_source(source)
    {
    }

    ImportedCurves run()
    {
        const int step = firstColumn(m_table, {"step", "Step", "_step", "global_step", "trainer/global_step"});
        if (step < 0)
            throw Error::at(ErrorKind::Malformed, {m_source, "columns", join(m_table.columns, ", ").substr(0, 200), "a column of steps (step, _step, Step, global_step or trainer/global_step)"});
        const int run = firstColumn(m_table, {"run", "run_name", "Run", "run_uuid"});
        const int value = firstColumn(m_table, {"value", "Value"});
        const int metric = firstColumn(m_table, {"metric", "key", "name", "Metric"});
        if (value >= 0 && metric >= 0)
            readLong(step, run, metric, value);
        else
            readWide(step, run);
        finish();
        return std::move(m_out);
    }

private:
    [[noreturn]] void fail(std::size_t row, int column, const std::string& found) const
    {
        throw Error::at(ErrorKind::Malformed, {m_source, "row " + std::to_string(row + 1) + ", column \"" + m_table.columns[std::size_t(column)] + "\"", "\"" + found.substr(0, 80) + "\"", "a number with a decimal point"});
    }

    double stepOf(std::size_t row, int column) const
    {
        const std::string& cell = m_table.rows[row][std::size_t(column)];
        const auto number = numberOf(cell);
        if (!number || !std::isfinite(*number))
            fail(row, column, cell);
        return *number;
    }

    void readLong(int step, int run, int metric, int value)
    {
        for (std::size_t row = 0; row < m_table.rows.size(); ++row) {
            const auto& cells = m_table.rows[row];
            const std::string& cell = cells[std::size_t(value)];
            if (cell.empty())
                continue;
            const auto number = numberOf(cell);
            if (!number)
                fail(row, value, cell);
            add(run >= 0 ? cells[std::size_t(run)] : std::string(), cells[std::size_t(metric)], stepOf(row, step), *number);
        }
    }

    void readWide(int step, int run)
    {
        std::size_t ranges = 0;
        for (int column = 0; column < int(m_table.columns.size()); ++column) {
            const std::string& name = m_table.columns[std::size_t(column)];
            if (column == step || column == run)
                continue;
            if (name.ends_with("__MIN") || name.ends_with("__MAX")) {
                ++ranges;
                continue;
            }
            const bool hasNumber = std::any_of(m_table.rows.begin(), m_table.rows.end(), [&](const auto& row) { return numberOf(row[std::size_t(column)]).has_value(); });
            if (!hasNumber) {
                m_out.notes.push_back("the column \"" + name + "\" holds no number; it is left out");
                continue;
            }
            const auto dash = name.rfind(" - ");
            const bool named = dash != std::string::npos && run < 0;
            for (std::size_t row = 0; row < m_table.rows.size(); ++row) {
                const auto& cells = m_table.rows[row];
                const std::string& cell = cells[std::size_t(column)];
                if (trimmed(cell).empty())
                    continue;
                const auto number = numberOf(cell);
                if (!number)
                    fail(row, column, cell);
                add(named ? name.substr(0, dash) : run >= 0 ? cells[std::size_t(run)] : std::string(), named ? name.substr(dash + 3) : name, stepOf(row, step), *number);
            }
        }
        if (ranges > 0)
            m_out.notes.push_back(std::to_string(ranges) + " columns of smallest and largest values are left out");
    }

    void add(const std::string& run, const std::string& metric, double step, double value) { m_points[{run, metric}][step] = value; }

    void finish()
    {
        for (auto& [key, points] : m_points)
            m_out.curves.push_back({key.first, key.second, {points.begin(), points.end()}});
        if (m_out.curves.empty())
            throw Error::at(ErrorKind::Malformed, {m_source, "content", "no curve", "a column of numbers beside the steps"});
    }

    const CsvTable& m_table;
    const std::string& m_source;
    std::map<std::pair<std::string, std::string>, std::map<double, double>> m_points;
    ImportedCurves m_out;
};

}  // namespace

ImportedCurves curvesFromCsv(const CsvTable& table, const std::string& source) { return Importer(table, source).run(); }

ImportedCurves importCurves(const std::filesystem::path& file) { return curvesFromCsv(parseCsv(readFile(file, kFileBytes), file.string()), file.string()); }

}  // namespace holo::interop
