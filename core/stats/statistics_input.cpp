#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/stats/statistics_table.h"

namespace holo::stats {

namespace {

[[noreturn]] void refuse(const std::string& source, const std::string& field, const Json& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Malformed, {source, field, dumpLine(found).substr(0, 80), allowed});
}

double score(const Json& value, const std::string& source, const std::string& field)
{
    if (value.is_null())
        return std::numeric_limits<double>::quiet_NaN();
    if (value.is_number())
        return value.get<double>();
    if (value.is_string() && (value == "nan" || value == "inf" || value == "-inf"))
        return toDouble(value, field);
    refuse(source, field, value, "a number, \"nan\", \"inf\", \"-inf\" or null");
}

std::string place(const std::string& list, const std::string& arm, std::size_t i)
{
    return list + "." + arm + "[" + std::to_string(i) + "]";
}

// Calls `take(arm, list)` for each list of {"arm": […]}, whose arms and lengths must be those of `groups`.
template <class Take>
void eachList(const Json& document, const char* key, const std::string& source, StatisticsInput& input, const Take& take)
{
    if (!document.contains(key))
        return;
    const Json& lists = document[key];
    if (!lists.is_object())
        refuse(source, key, lists, "an object that gives a list for arms of \"groups\"");
    for (const auto& [name, list] : lists.items()) {
        ArmScores* arm = nullptr;
        for (ArmScores& candidate : input.arms)
            if (candidate.arm == name)
                arm = &candidate;
        const std::string field = std::string(key) + "." + name;
        if (!arm)
            refuse(source, field, list, "an arm of \"groups\"");
        if (!list.is_array() || list.size() != arm->values.size())
            refuse(source, field, list, "a list of " + std::to_string(arm->values.size()) + " numbers, one for each value");
        take(*arm, list);
    }
}

}  // namespace

StatisticsInput statisticsInputFromValuesJson(std::string_view text, const std::string& source)
{
    const Json document = parseJson(text, source);
    if (!document.is_object())
        refuse(source, "document", document, "an object with \"groups\"");
    static const std::vector<std::string> kKeys = {"groups", "metric", "floor", "lower_is_better", "seeds", "trials"};
    for (const auto& [key, value] : document.items())
        if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
            throw Error(ErrorKind::Malformed, source + ": unknown key \"" + key + "\"; " + suggestion(key, kKeys), {source, key, key, join(kKeys, ", ")});
    if (!document.contains("groups"))
        refuse(source, "groups", nullptr, "an object that gives each arm its list of values");
    const Json& groups = document["groups"];
    if (!groups.is_object() || groups.empty())
        refuse(source, "groups", groups, "an object that gives each arm its list of values");

    StatisticsInput input;
    input.metric = "values";
    for (const auto& [name, list] : groups.items()) {
        if (!list.is_array())
            refuse(source, "groups." + name, list, "a list of numbers");
        ArmScores arm;
        arm.arm = name;
        for (std::size_t i = 0; i < list.size(); ++i)
            arm.values.push_back(score(list[i], source, place("groups", name, i)));
        input.arms.push_back(std::move(arm));
    }
    eachList(document, "seeds", source, input, [&](ArmScores& arm, const Json& list) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (!list[i].is_number_integer())
                refuse(source, place("seeds", arm.arm, i), list[i], "a whole number");
            arm.seeds.push_back(list[i].get<std::int64_t>());
        }
    });
    eachList(document, "trials", source, input, [&](ArmScores& arm, const Json& list) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (!list[i].is_number() || list[i].get<double>() < 1)
                refuse(source, place("trials", arm.arm, i), list[i], "a number of trials >= 1");
            arm.trials.push_back(list[i].get<double>());
        }
    });
    if (document.contains("metric")) {
        if (!document["metric"].is_string())
            refuse(source, "metric", document["metric"], "a text");
        input.metric = document["metric"].get<std::string>();
    }
    if (document.contains("floor")) {
        if (!document["floor"].is_number())
            refuse(source, "floor", document["floor"], "a number");
        input.floor = document["floor"].get<double>();
    }
    if (document.contains("lower_is_better")) {
        if (!document["lower_is_better"].is_boolean())
            refuse(source, "lower_is_better", document["lower_is_better"], "true or false");
        input.lowerIsBetter = document["lower_is_better"].get<bool>();
    }
    return input;
}

StatisticsTable statisticsFromValuesJson(std::string_view text, const std::string& source)
{
    return statisticsTable(statisticsInputFromValuesJson(text, source));
}

}  // namespace holo::stats
