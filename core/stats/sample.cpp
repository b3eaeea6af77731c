#include "core/stats/sample.h"

#include <algorithm>
#include <cmath>

#include "core/stats/descriptive.h"

namespace holo::stats {

namespace {

constexpr double kLargestScore = 8e307;

}  // namespace

double Prepared::largest() const
{
    double result = 0;
    for (const auto& group : groups)
        for (const double value : group)
            result = std::max(result, std::abs(value));
    return result;
}

std::string joinNotes(const std::string& first, const std::string& second)
{
    return first.empty() || second.empty() ? first + second : first + " " + second;
}

Prepared prepare(std::span<const Sample> samples, std::size_t fewest)
{
    Prepared result;
    if (samples.size() < 2)
        result.refusal = "No test: it takes at least two arms.";
    for (const Sample& sample : samples) {
        auto values = finiteSorted(sample.values);
        const std::size_t lost = sample.values.size() - values.size();
        if (lost > 0)
            result.note = joinNotes(result.note, std::to_string(lost) + (lost == 1 ? " non-finite value of " : " non-finite values of ") + sample.name + " left out.");
        if (values.size() < fewest && result.refusal.empty())
            result.refusal = "No p-value: " + sample.name + " has " + std::to_string(values.size()) + (values.size() == 1 ? " finite value" : " finite values") +
                             ", at least " + std::to_string(fewest) + " are needed in every arm.";
        result.total += values.size();
        result.names.push_back(sample.name);
        result.groups.push_back(std::move(values));
    }
    std::sort(result.groups.begin(), result.groups.end());
    if (result.refusal.empty() && result.largest() > kLargestScore)
        result.refusal = "No p-value: a score is beyond ±8e307, where differences are no longer numbers.";
    return result;
}

}  // namespace holo::stats
