#include "core/stats/location_tests.h"

#include <cmath>

#include "core/stats/descriptive.h"
#include "core/stats/distributions.h"

namespace holo::stats {

TestResult welch(const Sample& a, const Sample& b)
{
    const Sample both[] = {a, b};
    const Prepared data = prepare(both);
    TestResult result;
    result.name = "Welch t";
    result.groups = data.names;
    result.note = joinNotes(data.note, data.refusal);
    if (!data.refusal.empty())
        return result;
    const auto n1 = static_cast<long double>(finiteSorted(a.values).size());
    const auto n2 = static_cast<long double>(finiteSorted(b.values).size());
    const long double sd1 = *sampleSd(a.values);
    const long double sd2 = *sampleSd(b.values);
    const long double v1 = sd1 * sd1 / n1;
    const long double v2 = sd2 * sd2 / n2;
    if (v1 + v2 <= 0) {
        result.note = joinNotes(result.note, "No p-value: neither arm has any spread.");
        return result;
    }
    const long double difference = static_cast<long double>(*mean(a.values)) - *mean(b.values);
    result.statistic = double(difference / std::sqrt(v1 + v2));
    const double df = double((v1 + v2) * (v1 + v2) / (v1 * v1 / (n1 - 1) + v2 * v2 / (n2 - 1)));
    result.df = {df};
    result.p = studentTwoSided(*result.statistic, df);
    return result;
}

}  // namespace holo::stats
