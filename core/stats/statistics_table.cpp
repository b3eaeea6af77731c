#include "core/stats/statistics_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/stats/bootstrap.h"
#include "core/stats/contingency.h"
#include "core/stats/descriptive.h"
#include "core/stats/humps.h"
#include "core/stats/location_tests.h"
#include "core/stats/lottery.h"
#include "core/stats/multiple.h"
#include "core/stats/noise.h"
#include "core/stats/paired_tests.h"
#include "core/stats/permutation.h"
#include "core/stats/proportion.h"
#include "core/stats/reading.h"
#include "core/stats/spread_tests.h"

namespace holo::stats {

namespace {

constexpr std::size_t kMostArmsInPairs = 16;
constexpr int kMostBestOf = 64;
constexpr std::size_t kBootstrapResamples = 1999;
constexpr std::size_t kMostDraws = 5'000'000;  // of one resampling

// Fewer resamples where an arm has very many values.
std::size_t resamplesFor(std::size_t wanted, std::size_t values)
{
    return std::clamp(kMostDraws / std::max<std::size_t>(1, values), std::min<std::size_t>(wanted, 199), wanted);
}

[[noreturn]] void refuse(const std::string& field, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Usage, {"statistics", field, found, allowed});
}

void check(const StatisticsInput& input)
{
    if (input.arms.empty())
        refuse("arms", "an empty list", "at least one arm");
    std::set<std::string> names;
    for (const ArmScores& arm : input.arms) {
        if (!names.insert(arm.arm).second)
            refuse("arms", "\"" + arm.arm + "\" twice", "every name once");
        const std::size_t n = arm.values.size();
        const auto length = [&](const char* list, std::size_t size) {
            if (size != 0 && size != n)
                refuse(arm.arm + "." + list, std::to_string(size) + " entries", "none or one for each of the " + std::to_string(n) + " values");
        };
        length("seeds", arm.seeds.size());
        length("trials", arm.trials.size());
        length("series", arm.series.size());
        length("budgets", arm.budgets.size());
        length("perplexities", arm.perplexities.size());
        std::set<std::int64_t> seeds;
        for (const std::int64_t seed : arm.seeds)
            if (!seeds.insert(seed).second)
                refuse(arm.arm + ".seeds", std::to_string(seed) + " twice", "every seed once");
    }
}

bool allAreShares(const StatisticsInput& input)
{
    for (const ArmScores& arm : input.arms)
        for (const double value : arm.values)
            if (std::isfinite(value) && (value < 0 || value > 1))
                return false;
    return true;
}

std::vector<std::int64_t> seedsOf(const ArmScores& arm)
{
    if (!arm.seeds.empty())
        return arm.seeds;
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < arm.values.size(); ++i)
        result.push_back(std::int64_t(i));
    return result;
}

// Scores that are no shares have no natural unit, so any gap may count there.
HumpRule humpRule(bool shares)
{
    HumpRule rule;
    if (!shares)
        rule.minGap = 0;
    return rule;
}

GroupSummary summarise(const ArmScores& arm, const StatisticsInput& input, std::optional<double> floor, bool shares)
{
    GroupSummary group;
    group.arm = arm.arm;
    group.seeds = seedsOf(arm);
    group.values = arm.values;
    group.trials = arm.trials;
    const auto finite = finiteSorted(arm.values);
    group.n = int(finite.size());
    for (std::size_t i = 0; i < arm.values.size(); ++i)
        if (!std::isfinite(arm.values[i]))
            group.leftOut.push_back(group.seeds[i]);
    group.mean = mean(finite);
    group.sd = sampleSd(finite);
    group.min = minimum(finite);
    group.max = maximum(finite);
    group.median = median(finite);
    if (const auto worst = worstIndex(arm.values, input.lowerIsBetter))
        group.worstSeed = group.seeds[*worst];
    if (floor)
        group.learned = learnedShare(finite, *floor, input.lowerIsBetter);
    else
        group.learned.n = group.n;
    group.noise = noiseCorrected(arm.values, arm.trials);
    group.humps = findHumps(finite, humpRule(shares));
    for (int k = 1; k <= std::min(group.n, kMostBestOf); ++k) {
        group.bestOf.push_back(input.lowerIsBetter ? *expectedLowestOf(finite, k) : *expectedBestOf(finite, k));
        if (floor) {
            std::vector<double> outcomes(finite.size(), 0.0);
            std::fill_n(outcomes.begin(), *group.learned.k, 1.0);
            group.bestOfReaches.push_back(*bestOfReaches(outcomes, k, 1));
        }
    }
    if (group.n >= int(kFewestSeeds)) {
        const std::vector<double> samples[] = {finite};
        const BootstrapResult drawn = bootstrap(samples, [](std::span<const std::vector<double>> s) { return std::accumulate(s[0].begin(), s[0].end(), 0.0) / double(s[0].size()); },
                                                {0.95, resamplesFor(kBootstrapResamples, finite.size()), input.seed});
        group.meanInterval = drawn.bca ? drawn.bca : drawn.percentile;
    }
    if (!arm.perplexities.empty()) {
        group.perplexityMean = mean(arm.perplexities);
        group.perplexitySd = sampleSd(arm.perplexities);
    }
    if (group.n == 0)
        group.note = "No finite value.";
    else if (group.n == 1)
        group.note = "One seed: no spread.";
    if (!group.leftOut.empty())
        group.note = joinNotes(group.note, std::to_string(group.leftOut.size()) + (group.leftOut.size() == 1 ? " non-finite value" : " non-finite values") + " left out.");
    return group;
}

TestResult shareTest(TestResult (*test)(const TwoShares&), const GroupSummary& a, const GroupSummary& b)
{
    TestResult result;
    if (std::min(a.n, b.n) < int(kFewestSeeds)) {
        result = test({0, 0, 0, 0});
        result.p.reset();
        result.note = "No p-value: fewer than " + std::to_string(kFewestSeeds) + " finite values in an arm.";
    } else {
        result = test({*a.learned.k, a.learned.n, *b.learned.k, b.learned.n});
    }
    result.groups = {a.arm, b.arm};
    return result;
}

void addTests(StatisticsTable& table, const StatisticsInput& input, bool withShares)
{
    std::vector<Sample> samples;
    for (const ArmScores& arm : input.arms)
        samples.push_back({arm.arm, arm.values});
    const auto addTrio = [&](std::span<const Sample> part) {
        table.tests.push_back(levene(part, Centre::Median));
        table.tests.push_back(levene(part, Centre::Mean));
        table.tests.push_back(flignerKilleen(part));
    };
    addTrio(samples);
    table.tests.push_back(bartlett(samples));
    if (samples.size() > kMostArmsInPairs) {
        table.notes.push_back("Pairs of arms are not tested beyond " + std::to_string(kMostArmsInPairs) + " arms; choose fewer arms to see them.");
        return;
    }
    PermutationOptions options;
    options.seed = input.seed;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        for (std::size_t j = i + 1; j < samples.size(); ++j) {
            const Sample pair[] = {samples[i], samples[j]};
            const std::size_t values = samples[i].values.size() + samples[j].values.size();
            options.resamples = resamplesFor(PermutationOptions().resamples, values);
            table.sdRatios.push_back(sdRatio(pair[0], pair[1], {0.95, resamplesFor(kBootstrapResamples, values), input.seed}));
            if (samples.size() > 2)
                addTrio(pair);
            table.tests.push_back(fRatioTwoSided(pair[0], pair[1]));
            table.tests.push_back(permutationSpread(pair[0], pair[1], SpreadStatistic::LogVarianceRatio, Centre::Median, options));
            table.tests.push_back(permutationSpread(pair[0], pair[1], SpreadStatistic::MeanAbsoluteDeviation, Centre::Median, options));
            table.tests.push_back(welch(pair[0], pair[1]));
            if (withShares) {
                table.tests.push_back(shareTest(fisherExact, table.groups[i], table.groups[j]));
                if (std::max(table.groups[i].n, table.groups[j].n) <= 2000)
                    table.tests.push_back(shareTest(barnardExact, table.groups[i], table.groups[j]));
            }
        }
    }
}

// Finite scores by seed.
std::map<std::int64_t, double> bySeed(const ArmScores& arm)
{
    std::map<std::int64_t, double> result;
    for (std::size_t i = 0; i < arm.seeds.size(); ++i)
        if (std::isfinite(arm.values[i]))
            result[arm.seeds[i]] = arm.values[i];
    return result;
}

void addPaired(StatisticsTable& table, const StatisticsInput& input, std::optional<double> floor)
{
    std::vector<std::map<std::int64_t, double>> scores;
    for (const ArmScores& arm : input.arms)
        scores.push_back(bySeed(arm));
    const auto learned = [&](double value) { return input.lowerIsBetter ? value <= *floor : value >= *floor; };
    if (std::all_of(input.arms.begin(), input.arms.end(), [](const ArmScores& arm) { return arm.seeds.empty(); })) {
        table.notes.push_back("No paired tests: the values carry no seeds.");
        return;
    }
    if (floor && scores.size() > 2) {
        std::vector<std::vector<bool>> rows;
        for (const auto& [seed, first] : scores[0]) {
            std::vector<bool> row;
            for (const auto& arm : scores)
                if (const auto it = arm.find(seed); it != arm.end())
                    row.push_back(learned(it->second));
            if (row.size() == scores.size())
                rows.push_back(row);
        }
        table.paired.push_back(cochranQ(rows));
        for (const ArmScores& arm : input.arms)
            table.paired.back().groups.push_back(arm.arm);
    }
    if (scores.size() > kMostArmsInPairs)
        return;
    PermutationOptions options;
    options.seed = input.seed;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        for (std::size_t j = i + 1; j < scores.size(); ++j) {
            std::vector<double> x, y;
            std::vector<bool> xLearned, yLearned;
            for (const auto& [seed, value] : scores[i]) {
                const auto other = scores[j].find(seed);
                if (other == scores[j].end())
                    continue;
                x.push_back(value);
                y.push_back(other->second);
                if (floor) {
                    xLearned.push_back(learned(value));
                    yLearned.push_back(learned(other->second));
                }
            }
            if (x.empty())
                continue;
            options.resamples = resamplesFor(PermutationOptions().resamples, x.size());
            std::vector<TestResult> tests = {pitmanMorgan(x, y), wilcoxonSignedRank(x, y), pairedPermutation(x, y, options)};
            if (floor) {
                tests.push_back(mcnemarExact(pairedCounts(xLearned, yLearned)));
                if (x.size() < kFewestSeeds) {
                    tests.back().p.reset();
                    tests.back().note = joinNotes(tests.back().note, "No p-value: fewer than " + std::to_string(kFewestSeeds) + " common seeds.");
                }
            }
            for (TestResult& test : tests) {
                test.groups = {input.arms[i].arm, input.arms[j].arm};
                test.note = joinNotes(std::to_string(x.size()) + " common seeds.", test.note);
                table.paired.push_back(std::move(test));
            }
        }
    }
}

void addEmergence(StatisticsTable& table, const StatisticsInput& input, double threshold)
{
    std::vector<DurationSample> samples;
    double horizon = INFINITY;
    for (const ArmScores& arm : input.arms) {
        if (arm.series.empty())
            continue;
        DurationSample sample{arm.arm, {}};
        ArmEmergence emergence;
        emergence.arm = arm.arm;
        const auto seeds = seedsOf(arm);
        double longest = 0;
        for (std::size_t i = 0; i < arm.series.size(); ++i) {
            std::vector<SeriesPoint> series = arm.series[i];
            if (input.lowerIsBetter)
                for (SeriesPoint& point : series)
                    point.score = -point.score;
            const std::optional<double> budget = arm.budgets.empty() ? std::optional<double>() : arm.budgets[i];
            const auto duration = emergenceStep(series, input.lowerIsBetter ? -threshold : threshold, budget);
            if (!duration)
                continue;
            const auto points = cleanSeries(series);
            longest = std::max({longest, duration->step, points.back().step, budget.value_or(0)});
            sample.durations.push_back(*duration);
            emergence.seeds.push_back(seeds[i]);
            emergence.steps.push_back(duration->observed ? std::optional<double>(duration->step) : std::nullopt);
            emergence.emerged += duration->observed;
            if (input.plateau && findPlateau(arm.series[i], *input.plateau))
                ++emergence.onPlateau;
        }
        emergence.n = int(sample.durations.size());
        if (emergence.n == 0)
            continue;
        horizon = std::min(horizon, longest);
        samples.push_back(std::move(sample));
        table.emergence.push_back(std::move(emergence));
    }
    if (samples.empty())
        return;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const KaplanMeier km = kaplanMeier(samples[i].durations, horizon);
        ArmEmergence& emergence = table.emergence[i];
        emergence.curve = km.curve;
        emergence.medianStep = km.median;
        emergence.restrictedMean = km.restrictedMean;
        emergence.restrictedMeanError = km.restrictedMeanError;
        emergence.horizon = horizon;
    }
    table.emergenceThreshold = threshold;
    if (samples.size() > 1)
        table.logRank = logRank(samples);
}

}  // namespace

StatisticsTable statisticsTable(const StatisticsInput& input)
{
    check(input);
    StatisticsTable table;
    table.metric = input.metric;
    const bool shares = allAreShares(input);
    std::optional<double> floor = input.floor;
    if (!floor && shares && !input.lowerIsBetter)
        floor = 0.5;
    std::vector<double> pooled;
    for (const ArmScores& arm : input.arms) {
        table.groups.push_back(summarise(arm, input, floor, shares));
        pooled.insert(pooled.end(), arm.values.begin(), arm.values.end());
    }
    table.humps = findHumps(pooled, humpRule(shares));
    if (!floor)
        table.notes.push_back("No share learned: the scores are not shares between 0 and 1 and no floor is given.");
    addTests(table, input, floor.has_value());
    addPaired(table, input, floor);
    adjust(table.tests);
    adjust(table.paired);
    if (const auto threshold = input.emergenceThreshold ? input.emergenceThreshold : floor)
        addEmergence(table, input, *threshold);
    setReading(table);
    return table;
}

}  // namespace holo::stats
