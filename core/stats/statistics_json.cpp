#include "core/base/json_value.h"
#include "core/stats/statistics_text.h"

namespace holo::stats {

namespace {

Json optional(const std::optional<double>& value)
{
    return value ? number(*value) : Json(nullptr);
}

Json optional(const std::optional<Interval>& interval)
{
    return interval ? Json::array({number(interval->lo), number(interval->hi)}) : Json(nullptr);
}

Json humps(const HumpResult& result)
{
    return {{"two_humped", result.twoHumped}, {"gap", optional(result.gap)}, {"gap_share", optional(result.gapShare)}, {"p", optional(result.p)},
            {"below", result.gap ? number(result.below) : Json(nullptr)}, {"above", result.gap ? number(result.above) : Json(nullptr)},
            {"n_below", result.nBelow}, {"n_above", result.nAbove}};
}

Json group(const GroupSummary& g)
{
    Json json;
    json["arm"] = g.arm;
    json["n"] = g.n;
    json["mean"] = optional(g.mean);
    json["sd"] = optional(g.sd);
    json["min"] = optional(g.min);
    json["max"] = optional(g.max);
    json["median"] = optional(g.median);
    json["worst_seed"] = g.worstSeed ? Json(*g.worstSeed) : Json(nullptr);
    json["seeds"] = g.seeds;
    json["values"] = numbers(g.values);
    json["left_out"] = g.leftOut;
    json["learned"] = {{"floor", optional(g.learned.floor)}, {"k", g.learned.k ? Json(*g.learned.k) : Json(nullptr)}, {"n", g.learned.n}, {"wilson", optional(g.learned.wilson)}};
    json["noise_corrected_sd"] = optional(g.noise.sd);
    json["mean_interval"] = optional(g.meanInterval);
    json["humps"] = humps(g.humps);
    json["best_of"] = numbers(g.bestOf);
    json["best_of_reaches"] = numbers(g.bestOfReaches);
    if (g.perplexityMean)
        json["perplexity"] = {{"mean", optional(g.perplexityMean)}, {"sd", optional(g.perplexitySd)}};
    json["note"] = g.note;
    return json;
}

Json tests(const std::vector<TestResult>& list)
{
    Json json = Json::array();
    for (const TestResult& test : list)
        json.push_back(toJson(test));
    return json;
}

Json noise(const StatisticsTable& table)
{
    Json list = Json::array();
    for (const GroupSummary& g : table.groups)
        list.push_back({{"arm", g.arm}, {"trials", numbers(g.trials)}, {"variance", optional(g.noise.variance)}, {"trial_variance", optional(g.noise.trialVariance)},
                        {"corrected_variance", optional(g.noise.corrected)}, {"corrected_sd", optional(g.noise.sd)}, {"note", g.noise.note}});
    return {{"groups", list}};
}

Json emergence(const ArmEmergence& arm)
{
    Json curve = Json::array();
    Json intervals = Json::array();
    for (const SurvivalPoint& point : arm.curve) {
        curve.push_back({number(point.step), number(point.emerged)});
        intervals.push_back({number(point.interval.lo), number(point.interval.hi)});
    }
    Json steps = Json::array();
    for (const auto& step : arm.steps)
        steps.push_back(optional(step));
    return {{"arm", arm.arm}, {"n", arm.n}, {"emerged", arm.emerged}, {"median_step", optional(arm.medianStep)}, {"restricted_mean", optional(arm.restrictedMean)},
            {"restricted_mean_error", optional(arm.restrictedMeanError)}, {"horizon", number(arm.horizon)}, {"seeds", arm.seeds}, {"steps", steps}, {"curve", curve},
            {"intervals", intervals}, {"on_plateau", arm.onPlateau}};
}

const char* kindName(ReadingKind kind)
{
    switch (kind) {
    case ReadingKind::TooFew: return "too-few";
    case ReadingKind::SpreadTest: return "spread";
    case ReadingKind::ShareLearned: return "share-learned";
    }
    return "";
}

}  // namespace

Json toJson(const TestResult& test)
{
    Json json;
    json["name"] = test.name;
    json["groups"] = test.groups;
    json["statistic"] = optional(test.statistic);
    json["df"] = test.df.empty() ? Json(nullptr) : test.df.size() == 1 ? number(test.df[0]) : numbers(test.df);
    json["p"] = optional(test.p);
    json["p_holm"] = optional(test.pHolm);
    json["p_holm_same_test"] = optional(test.pHolmName);
    json["note"] = test.note;
    return json;
}

Json toJson(const StatisticsTable& table)
{
    Json json;
    json["format"] = 1;
    json["metric"] = table.metric;
    json["groups"] = Json::array();
    for (const GroupSummary& g : table.groups)
        json["groups"].push_back(group(g));
    json["tests"] = tests(table.tests);
    json["paired"] = tests(table.paired);
    json["noise"] = noise(table);
    json["sd_ratios"] = Json::array();
    for (const SdRatio& ratio : table.sdRatios)
        json["sd_ratios"].push_back({{"groups", ratio.groups}, {"ratio", optional(ratio.ratio)}, {"percentile", optional(ratio.percentile)}, {"bca", optional(ratio.bca)}, {"note", ratio.note}});
    json["emergence"] = Json::array();
    for (const ArmEmergence& arm : table.emergence)
        json["emergence"].push_back(emergence(arm));
    json["emergence_threshold"] = optional(table.emergenceThreshold);
    json["log_rank"] = table.logRank ? toJson(*table.logRank) : Json(nullptr);
    json["humps"] = humps(table.humps);
    json["reading_kind"] = kindName(table.readingKind);
    json["reading"] = table.reading;
    json["notes"] = table.notes;
    return json;
}

}  // namespace holo::stats
