#include "core/report/test_tables.h"

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

namespace holo::report {

namespace {

struct Question {
    const char* text;
    std::vector<std::string_view> tests;  // beginnings of their names
};

const std::vector<Question>& questions()
{
    static const std::vector<Question> list = {
        {"Do the arms differ in their spread over seeds?", {"Brown-Forsythe", "Levene", "Fligner-Killeen", "Bartlett", "F ratio", "Permutation of spread", "Pitman-Morgan"}},
        {"Do they differ in their level?", {"Welch", "Wilcoxon", "Paired permutation"}},
        {"Do they differ in the share of seeds that learned, and in when?", {"Fisher", "Barnard", "McNemar", "Cochran", "Log-rank"}},
    };
    return list;
}

bool isOf(const Question& question, const std::string& name)
{
    return std::any_of(question.tests.begin(), question.tests.end(), [&](std::string_view test) { return name.starts_with(test); });
}

std::string pText(double p) { return p < 0.001 ? "< 0.001" : formatFixed(p, 3); }

std::string cellText(const stats::TestResult& test)
{
    if (!test.p)
        return "–";
    return pText(*test.p) + (test.pHolmName && *test.pHolmName != *test.p ? " (" + pText(*test.pHolmName) + ")" : "");
}

}  // namespace

std::vector<Block> testBlocks(const stats::StatisticsTable& table)
{
    std::vector<stats::TestResult> tests = table.tests;
    tests.insert(tests.end(), table.paired.begin(), table.paired.end());
    if (table.logRank)
        tests.push_back(*table.logRank);
    std::vector<Block> blocks;
    for (const Question& question : questions()) {
        std::vector<std::string> columns, rows;
        const auto rowName = [&](const stats::TestResult& test) { return test.groups.empty() || (test.groups.size() > 2 && test.groups.size() == table.groups.size()) ? std::string("all") : join(test.groups, ", "); };
        const auto remember = [](std::vector<std::string>& list, const std::string& name) {
            if (std::find(list.begin(), list.end(), name) == list.end())
                list.push_back(name);
        };
        for (const stats::TestResult& test : tests)
            if (test.p && isOf(question, test.name)) {
                remember(columns, test.name);
                remember(rows, rowName(test));
            }
        if (columns.empty())
            continue;
        Table matrix{{"arms"}, {}};
        matrix.header.insert(matrix.header.end(), columns.begin(), columns.end());
        for (const std::string& row : rows) {
            std::vector<std::string> line{row};
            for (const std::string& column : columns) {
                const auto found = std::find_if(tests.begin(), tests.end(), [&](const stats::TestResult& test) { return test.name == column && rowName(test) == row; });
                line.push_back(found == tests.end() ? "" : cellText(*found));
            }
            matrix.rows.push_back(std::move(line));
        }
        blocks.emplace_back(std::string(question.text));
        blocks.emplace_back(std::move(matrix));
    }
    if (!blocks.empty())
        blocks.emplace_back(std::string("p-values; in brackets Holm's over the pairs of the same test. Statistics, degrees of freedom and Holm over all tests are in statistics.csv."));
    return blocks;
}

}  // namespace holo::report
