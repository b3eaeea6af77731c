#include "core/model/run_health.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace holo::model {

namespace {

constexpr std::size_t kNewest = 50;
constexpr std::size_t kLeastBlocks = 4;
constexpr std::size_t kFlatBlocks = 16;
constexpr double kLeastExcess = 0.25;  // nats
constexpr std::size_t kPaceSteps = 200;
constexpr std::size_t kPaceParts = 8;

std::span<const StepRecord> newestAttempt(const std::vector<StepRecord>& steps)
{
    std::size_t from = steps.size();
    while (from > 0 && steps[from - 1].attempt == steps.back().attempt)
        --from;
    return std::span(steps).subspan(from);
}

struct Mean {
    double value = 0;
    double error = 0;  // standard error
};

Mean meanLoss(std::span<const StepRecord> steps)
{
    double sum = 0;
    double squares = 0;
    double n = 0;
    for (const auto& s : steps)
        if (std::isfinite(s.loss)) {
            sum += s.loss;
            squares += s.loss * s.loss;
            ++n;
        }
    if (n < 2)
        return {kMissing, kMissing};
    const double mean = sum / n;
    return {mean, std::sqrt(std::max(squares / n - mean * mean, 0.0) / (n - 1))};
}

double medianLoss(std::span<const StepRecord> steps)
{
    std::vector<double> losses;
    for (const auto& s : steps)
        if (std::isfinite(s.loss))
            losses.push_back(s.loss);
    if (losses.empty())
        return kMissing;
    const auto middle = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2);
    std::nth_element(losses.begin(), middle, losses.end());
    return *middle;
}

// Slope of the blocks' medians against their number, in its own standard errors: a spike of one step is none.
double slopeInErrors(std::span<const StepRecord> steps)
{
    const std::size_t width = steps.size() / kFlatBlocks;
    std::vector<double> y;
    for (std::size_t b = 0; b < kFlatBlocks; ++b)
        y.push_back(medianLoss(steps.subspan(b * width, width)));
    const double n = kFlatBlocks;
    const double centre = (n - 1) / 2;
    double mean = 0;
    for (const double v : y)
        mean += v / n;
    double xy = 0;
    double xx = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double x = static_cast<double>(i) - centre;
        xy += x * (y[i] - mean);
        xx += x * x;
    }
    const double slope = xy / xx;
    double residual = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double r = y[i] - mean - slope * (static_cast<double>(i) - centre);
        residual += r * r;
    }
    const double error = std::sqrt(residual / (n - 2) / xx);
    return error > 0 ? slope / error : slope == 0 ? 0 : std::copysign(INFINITY, slope);
}

}  // namespace

Health healthOf(const std::vector<StepRecord>& all)
{
    const auto steps = newestAttempt(all);
    for (const auto& s : steps.last(std::min(kNewest, steps.size())))
        if (!std::isfinite(s.loss))
            return {Trouble::NonFinite, s.step, 0};
    const std::size_t block = std::clamp<std::size_t>(steps.size() / 20, 20, 500);
    if (steps.size() < kLeastBlocks * block)
        return {};
    const Mean last = meanLoss(steps.last(block));
    Mean least{INFINITY, 0};
    std::int64_t at = 0;
    for (std::size_t end = steps.size() - block; end >= block; end -= block) {
        const Mean m = meanLoss(steps.subspan(end - block, block));
        if (m.value < least.value) {
            least = m;
            at = steps[end - 1].step;
        }
    }
    const double excess = last.value - least.value;
    if (excess > std::max(kLeastExcess, 8 * std::hypot(last.error, least.error)))
        return {Trouble::Diverging, at, excess};
    const auto quarter = steps.last(steps.size() / 4);
    if (quarter.size() >= 200 && std::abs(slopeInErrors(quarter)) < 2)
        return {Trouble::Flat, quarter.front().step, 0};
    return {};
}

Remaining remainingTime(const std::vector<StepRecord>& all, std::int64_t total)
{
    const auto steps = newestAttempt(all);
    if (steps.size() < 2 || total <= steps.back().step)
        return {};
    const auto pace = [](const StepRecord& a, const StepRecord& b) { return b.step > a.step ? (b.active - a.active) / static_cast<double>(b.step - a.step) : kMissing; };
    const auto newest = steps.last(std::min(kPaceSteps, steps.size()));
    const double middle = pace(newest.front(), newest.back());
    const double active = steps.back().active - steps.front().active;
    const double wall = steps.back().t - steps.front().t;
    const double beside = std::isfinite(wall) && active > 0 ? std::max(wall / active, 1.0) : 1.0;
    const double left = static_cast<double>(total - steps.back().step) * beside;
    Remaining r{middle * left, middle * left, middle * left};
    if (!(middle > 0))
        return {};
    const std::size_t part = newest.size() / kPaceParts;
    for (std::size_t i = 0; part > 1 && i + part < newest.size(); i += part) {
        const double p = pace(newest[i], newest[i + part]);
        r.low = std::min(r.low, p * left);
        r.high = std::max(r.high, p * left);
    }
    return r;
}

}  // namespace holo::model
