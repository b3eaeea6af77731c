#include "core/bench/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

namespace holo::bench {

namespace {

constexpr double kSampleSeconds = 2e-3;
constexpr int kMaxRepeats = 100000;

std::vector<double> sorted(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values;
}

}  // namespace

double Samples::min() const { return *std::min_element(seconds.begin(), seconds.end()); }
double Samples::max() const { return *std::max_element(seconds.begin(), seconds.end()); }

double Samples::median() const
{
    const auto values = sorted(seconds);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Json Samples::spread(double scale) const
{
    return {{"min", number(min() * scale)}, {"median", number(median() * scale)}, {"max", number(max() * scale)}, {"rounds", seconds.size()}};
}

double steadySeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpuSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::vector<Samples> interleave(const std::vector<Variant>& variants, int rounds, const Clock& clock)
{
    std::vector<Samples> samples;
    std::vector<int> repeats;
    for (const Variant& variant : variants) {
        samples.push_back({variant.name, {}});
        variant.run();
        int count = variant.repeats;
        if (count == 0) {
            const double begin = clock();
            variant.run();
            const double once = clock() - begin;
            count = once > 0 ? int(std::clamp(std::ceil(kSampleSeconds / once), 1.0, double(kMaxRepeats))) : kMaxRepeats;
        }
        repeats.push_back(count);
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < variants.size(); ++i) {
            const std::size_t v = (i + std::size_t(round)) % variants.size();
            const double begin = clock();
            for (int r = 0; r < repeats[v]; ++r)
                variants[v].run();
            samples[v].seconds.push_back((clock() - begin) / repeats[v]);
        }
    }
    return samples;
}

double ratio(const Samples& a, const Samples& b) { return a.median() / b.median(); }

Row speedRow(std::string name, std::string variant, double amount, const Samples& ours, const Samples& reference, std::string unit, Goal goal, std::string device)
{
    Row row = ratioRow(std::move(name), std::move(variant), amount / ours.median(), amount / reference.median(), std::move(unit), goal, std::move(device),
        ours.name + " ÷ " + reference.name);
    row.details["seconds"] = ours.spread();
    row.details["reference_seconds"] = reference.spread();
    return row;
}

Row timeRow(std::string name, std::string variant, const Samples& ours, const Samples& reference, Goal goal, std::string device)
{
    Row row = ratioRow(std::move(name), std::move(variant), ours.median() * 1e3, reference.median() * 1e3, "ms", goal, std::move(device),
        "time of " + ours.name + " ÷ " + reference.name);
    row.details["seconds"] = ours.spread();
    row.details["reference_seconds"] = reference.spread();
    return row;
}

}  // namespace holo::bench
