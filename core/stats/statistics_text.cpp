#include "core/stats/statistics_text.h"

#include <algorithm>

#include "core/base/text.h"

namespace holo::stats {

namespace {

std::string exact(const std::optional<double>& value)
{
    return value ? formatDouble(*value) : std::string();
}

std::string rounded(const std::optional<double>& value, int decimals = 4, const std::string& none = "–")
{
    return value ? formatFixed(*value, decimals) : none;
}

std::string roundedP(const std::optional<double>& p, const std::string& none = "–")
{
    if (!p)
        return none;
    return *p < 0.0001 ? "< 0.0001" : formatFixed(*p, 4);
}

std::string csvCell(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text)
        result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

std::string latexText(const std::string& text)
{
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '\\': result += "\\textbackslash{}"; break;
        case '~': result += "\\textasciitilde{}"; break;
        case '^': result += "\\textasciicircum{}"; break;
        case '|': result += "\\textbar{}"; break;
        case '<': result += "\\textless{}"; break;
        case '>': result += "\\textgreater{}"; break;
        case '&': case '%': case '$': case '#': case '_': case '{': case '}':
            result += '\\';
            result += c;
            break;
        default: result += c;
        }
    }
    return result;
}

std::string learned(const LearnedShare& share)
{
    return share.k ? std::to_string(*share.k) + "/" + std::to_string(share.n) : "–";
}

// Trials behind each seed's score; a range where seeds differ.
std::string trials(const GroupSummary& group, const std::string& none = "–")
{
    if (group.trials.empty())
        return none;
    const auto [low, high] = std::minmax_element(group.trials.begin(), group.trials.end());
    return *low == *high ? formatDouble(*low) : formatDouble(*low) + "–" + formatDouble(*high);
}

std::string df(const TestResult& test, const std::string& separator)
{
    std::vector<std::string> parts;
    for (const double value : test.df)
        parts.push_back(value == double(std::int64_t(value)) ? formatFixed(value, 0) : formatFixed(value, 2));
    return join(parts, separator);
}

// Columns of the tidy CSV, in order.
struct Row {
    std::string table, arm, seed, n, mean, sd, min, max, worstSeed, value, floor, k, wilsonLo, wilsonHi, noiseSd, name, groups, statistic, df1, df2, p, pHolm, medianStep, restrictedMean, note;

    std::string line() const
    {
        std::vector<std::string> cells = {table, arm, seed, n, mean, sd, min, max, worstSeed, value, floor, k, wilsonLo, wilsonHi, noiseSd,
                                          name, groups, statistic, df1, df2, p, pHolm, medianStep, restrictedMean, note};
        for (std::string& cell : cells)
            cell = csvCell(cell);
        return join(cells, ",") + "\n";
    }
};

std::string testRow(const char* table, const TestResult& test)
{
    Row row;
    row.table = table;
    row.name = test.name;
    row.groups = join(test.groups, " | ");
    row.statistic = exact(test.statistic);
    row.df1 = !test.df.empty() ? formatDouble(test.df[0]) : "";
    row.df2 = test.df.size() > 1 ? formatDouble(test.df[1]) : "";
    row.p = exact(test.p);
    row.pHolm = exact(test.pHolm);
    row.note = test.note;
    return row.line();
}

std::size_t width(const std::string& text)  // code points, for aligned columns
{
    return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string aligned(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += row[i] + std::string(widths[i] - width(row[i]) + 2, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::vector<TestResult> allTests(const StatisticsTable& table)
{
    std::vector<TestResult> tests = table.tests;
    tests.insert(tests.end(), table.paired.begin(), table.paired.end());
    if (table.logRank)
        tests.push_back(*table.logRank);
    return tests;
}

}  // namespace

std::string toCsv(const StatisticsTable& table)
{
    std::string text = "table,arm,seed,n,mean,sd,min,max,worst_seed,value,floor,k,wilson_lo,wilson_hi,noise_corrected_sd,"
                       "name,groups,statistic,df1,df2,p,p_holm,median_step,restricted_mean,note\n";
    for (const GroupSummary& g : table.groups) {
        Row row;
        row.table = "group";
        row.arm = g.arm;
        row.n = std::to_string(g.n);
        row.mean = exact(g.mean);
        row.sd = exact(g.sd);
        row.min = exact(g.min);
        row.max = exact(g.max);
        row.worstSeed = g.worstSeed ? std::to_string(*g.worstSeed) : "";
        row.floor = exact(g.learned.floor);
        row.k = g.learned.k ? std::to_string(*g.learned.k) : "";
        row.wilsonLo = g.learned.wilson ? formatDouble(g.learned.wilson->lo) : "";
        row.wilsonHi = g.learned.wilson ? formatDouble(g.learned.wilson->hi) : "";
        row.noiseSd = exact(g.noise.sd);
        row.note = g.note;
        text += row.line();
    }
    for (const GroupSummary& g : table.groups)
        for (std::size_t i = 0; i < g.values.size(); ++i) {
            Row row;
            row.table = "value";
            row.arm = g.arm;
            row.seed = std::to_string(g.seeds[i]);
            row.value = formatDouble(g.values[i]);
            text += row.line();
        }
    for (const TestResult& test : table.tests)
        text += testRow("test", test);
    for (const TestResult& test : table.paired)
        text += testRow("paired", test);
    if (table.logRank)
        text += testRow("emergence", *table.logRank);
    for (const ArmEmergence& arm : table.emergence) {
        Row row;
        row.table = "emergence";
        row.arm = arm.arm;
        row.n = std::to_string(arm.n);
        row.k = std::to_string(arm.emerged);
        row.floor = exact(table.emergenceThreshold);
        row.medianStep = exact(arm.medianStep);
        row.restrictedMean = exact(arm.restrictedMean);
        text += row.line();
    }
    return text;
}

std::string toLatex(const StatisticsTable& table)
{
    std::string text = "% " + latexText(table.metric) + "; SD is the sample deviation (n-1). Needs booktabs.\n"
                       "\\begin{tabular}{lrrrrrrrrrr}\n\\toprule\n"
                       "arm & $n$ & mean & SD & min & max & worst seed & learned & noise-corrected SD & perplexity & trials a seed \\\\\n\\midrule\n";
    for (const GroupSummary& g : table.groups)
        text += latexText(g.arm) + " & " + std::to_string(g.n) + " & " + rounded(g.mean, 4, "--") + " & " + rounded(g.sd, 4, "--") + " & " + rounded(g.min, 4, "--") + " & " +
                rounded(g.max, 4, "--") + " & " + (g.worstSeed ? std::to_string(*g.worstSeed) : "--") + " & " +
                (g.learned.k ? std::to_string(*g.learned.k) + "/" + std::to_string(g.learned.n) : "--") + " & " + rounded(g.noise.sd, 4, "--") + " & " + rounded(g.perplexityMean, 2, "--") + " & " + trials(g, "--") +
                " \\\\\n";
    text += "\\bottomrule\n\\end{tabular}\n\n\\begin{tabular}{llrrrrr}\n\\toprule\ntest & arms & statistic & df & $p$ & $p$ (Holm, same test) & $p$ (Holm, all) \\\\\n\\midrule\n";
    const auto p = [](const std::optional<double>& value) { return value && *value < 0.0001 ? std::string("$<$ 0.0001") : rounded(value, 4, "--"); };
    for (const TestResult& test : allTests(table))
        text += latexText(test.name) + " & " + latexText(join(test.groups, ", ")) + " & " + rounded(test.statistic, 4, "--") + " & " +
                (test.df.empty() ? "--" : df(test, ", ")) + " & " + p(test.p) + " & " + p(test.pHolmName) + " & " + p(test.pHolm) + " \\\\\n";
    return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string toText(const StatisticsTable& table)
{
    std::vector<std::vector<std::string>> rows = {{"arm", "n", "mean", "SD (n-1)", "min", "max", "worst seed", "learned", "Wilson 95 %", "noise-corrected SD", "perplexity", "trials a seed", ""}};
    for (const GroupSummary& g : table.groups)
        rows.push_back({g.arm, std::to_string(g.n), rounded(g.mean), rounded(g.sd), rounded(g.min), rounded(g.max), g.worstSeed ? std::to_string(*g.worstSeed) : "–", learned(g.learned),
                        g.learned.wilson ? formatFixed(g.learned.wilson->lo, 3) + "–" + formatFixed(g.learned.wilson->hi, 3) : "–", rounded(g.noise.sd), rounded(g.perplexityMean, 2), trials(g), g.note});
    std::string text = table.metric + "\n" + aligned(rows);
    rows = {{"test", "arms", "statistic", "df", "p", "p (Holm, same test)", "p (Holm, all)", ""}};
    const std::vector<TestResult> tests = allTests(table);
    const bool anyP = std::any_of(tests.begin(), tests.end(), [](const TestResult& test) { return test.p.has_value(); });
    for (const TestResult& test : anyP ? tests : std::vector<TestResult>())  // where there is no p-value at all, the reading says why
        rows.push_back({test.name, test.groups.size() == table.groups.size() && table.groups.size() > 2 ? "all" : join(test.groups, ", "), rounded(test.statistic), df(test, ", "),
                        roundedP(test.p), roundedP(test.pHolmName), roundedP(test.pHolm), test.note});
    if (anyP)
        text += "\n" + aligned(rows);
    if (!table.emergence.empty()) {
        rows = {{"emergence", "emerged", "median step", "restricted mean"}};
        for (const ArmEmergence& arm : table.emergence)
            rows.push_back({arm.arm, std::to_string(arm.emerged) + "/" + std::to_string(arm.n), rounded(arm.medianStep, 1), rounded(arm.restrictedMean, 1)});
        text += "\n" + aligned(rows);
    }
    text += "\n" + table.reading + "\n";
    for (const std::string& note : table.notes)
        text += note + "\n";
    return text;
}

}  // namespace holo::stats
