#include "core/stats/reading.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/stats/sample.h"

namespace holo::stats {

namespace {

std::string readable(double p)
{
    if (p < 0.001)
        return p < 1e-6 ? "below 1e-6" : "below .001";
    return formatFixed(p, p < 0.1 ? 4 : 2);
}

const TestResult* find(const std::vector<TestResult>& tests, const std::string& name)
{
    const auto it = std::find_if(tests.begin(), tests.end(), [&](const TestResult& test) { return test.name.starts_with(name); });
    return it == tests.end() ? nullptr : &*it;
}

std::string withP(const std::vector<TestResult>& tests, const std::string& name, const std::string& title)
{
    const TestResult* test = find(tests, name);
    return test && test->p ? title + " p " + readable(*test->p) : std::string();
}

std::string list(std::vector<std::string> parts)
{
    std::erase(parts, std::string());
    return join(parts, ", ");
}

std::string tooFew(const StatisticsTable& table)
{
    if (table.groups.size() < 2)
        return "Only one arm: its spread is shown, and there is nothing to compare.";
    for (const GroupSummary& group : table.groups)
        if (group.n < int(kFewestSeeds))
            return "No test: " + group.arm + " has " + std::to_string(group.n) + (group.n == 1 ? " seed" : " seeds") + " with a finite score, and at least " +
                   std::to_string(kFewestSeeds) + " are needed in every arm.";
    return {};
}

std::string shares(const StatisticsTable& table)
{
    std::vector<std::string> parts;
    for (const GroupSummary& group : table.groups)
        if (group.learned.k)
            parts.push_back(group.arm + " " + std::to_string(*group.learned.k) + "/" + std::to_string(group.learned.n));
    return join(parts, ", ");
}

}  // namespace

void setReading(StatisticsTable& table)
{
    table.reading = tooFew(table);
    table.readingKind = ReadingKind::TooFew;
    if (!table.reading.empty())
        return;

    std::vector<std::string> humped;
    for (const GroupSummary& group : table.groups)
        if (group.humps.twoHumped)
            humped.push_back(group.arm);
    const bool pair = table.groups.size() == 2;
    if (!humped.empty() || table.humps.twoHumped) {
        table.readingKind = ReadingKind::ShareLearned;
        const HumpResult& gap = table.humps;
        const std::string where = gap.twoHumped ? "nothing lies between " + formatFixed(gap.below, 3) + " (" + std::to_string(gap.nBelow) + " seeds) and " +
                                                      formatFixed(gap.above, 3) + " (" + std::to_string(gap.nAbove) + ")"
                                                : "in " + join(humped, ", ");
        table.reading = "The scores fall into two humps (" + where + "), so read the share of seeds that learned";
        const std::string counts = shares(table);
        if (!counts.empty())
            table.reading += ": " + counts;
        const std::string ps = pair ? list({withP(table.tests, "Fisher", "Fisher"), withP(table.tests, "Barnard", "Barnard"), withP(table.paired, "McNemar", "McNemar on shared seeds")})
                                    : list({withP(table.paired, "Cochran", "Cochran Q on shared seeds")});
        if (!ps.empty())
            table.reading += " (" + ps + ")";
        const std::string spread = list({withP(table.tests, "Brown-Forsythe", "Brown-Forsythe"), withP(table.tests, "Levene", "Levene"), withP(table.tests, "Fligner", "Fligner-Killeen")});
        table.reading += ". A test of spread answers another question here";
        table.reading += spread.empty() ? "." : ": " + spread + ".";
        return;
    }
    table.readingKind = ReadingKind::SpreadTest;
    const TestResult* headline = find(table.tests, "Brown-Forsythe");
    table.reading = "The scores form one hump, so a test of spread may be read: ";
    if (!headline || !headline->p) {
        table.reading += "Brown-Forsythe gives no p-value";
        table.reading += headline && !headline->note.empty() ? " (" + headline->note + ")." : ".";
        return;
    }
    table.reading += "Brown-Forsythe p " + readable(*headline->p);
    if (headline->pHolm)
        table.reading += " (" + readable(*headline->pHolm) + " after Holm over all tests shown)";
    std::vector<std::string> spreads;
    for (const GroupSummary& group : table.groups)
        if (group.sd)
            spreads.push_back(group.arm + " " + formatFixed(*group.sd, 4));
    table.reading += "; SD over seeds " + join(spreads, ", ") + ".";
}

}  // namespace holo::stats
