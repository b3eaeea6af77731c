#include "core/stats/power.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/stats/distributions.h"
#include "core/stats/sample.h"

namespace holo::stats {

namespace {

constexpr int kFewest = int(kFewestSeeds);

[[noreturn]] void refuse(const std::string& field, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Usage, {"power planner", field, found, allowed});
}

void check(const PowerPlan& plan)
{
    if (!(plan.sdRatio >= 1) || std::isinf(plan.sdRatio))
        refuse("sd ratio", formatDouble(plan.sdRatio), "a finite number >= 1");
    if (!(plan.alpha > 0 && plan.alpha < 1))
        refuse("alpha", formatDouble(plan.alpha), "a number between 0 and 1");
    if (!(plan.power > 0 && plan.power < 1))
        refuse("power", formatDouble(plan.power), "a number between 0 and 1");
    if (plan.arms < 2 || plan.arms > 64)
        refuse("arms", std::to_string(plan.arms), "2 to 64");
    if (!(plan.hoursPerRun >= 0) || std::isinf(plan.hoursPerRun))
        refuse("hours per run", formatDouble(plan.hoursPerRun), "a finite number >= 0");
    if (plan.maxSeeds < kFewest || plan.maxSeeds > 10000)
        refuse("most seeds", std::to_string(plan.maxSeeds), "3 to 10000");
    if (plan.simulations < 100 || plan.simulations > 1'000'000)
        refuse("simulations", std::to_string(plan.simulations), "100 to 1000000");
}

// The test on arms of equal size, without the care for degenerate data that normal draws do not need.
class Simulation {
public:
    Simulation(const PowerPlan& plan, int seeds) : m_plan(plan), m_n(std::size_t(seeds)), m_k(std::size_t(plan.arms)), m_z(m_n * m_k)
    {
        const double k = plan.arms;
        const double total = k * seeds;
        if (plan.test == SpreadTest::FlignerKilleen) {
            m_critical = chiSquaredQuantile(1 - plan.alpha, k - 1);
            for (std::size_t doubled = 0; doubled <= 2 * m_z.size(); ++doubled)
                m_scores.push_back(normalQuantile(0.5 + double(doubled) / 2 / (2 * (total + 1))));
        } else {
            m_critical = fQuantile(1 - plan.alpha, k - 1, total - k);
        }
    }

    bool significant(std::uint64_t index)
    {
        // Seeds outer, arms inner: a larger experiment begins with the draws of the smaller one.
        RandomStream random(m_plan.seed, "power", {index});
        for (std::size_t i = 0; i < m_n; ++i)
            for (std::size_t j = 0; j < m_k; ++j)
                m_z[j * m_n + i] = random.normal() * (j == 0 ? m_plan.sdRatio : 1);
        for (std::size_t j = 0; j < m_k; ++j)
            centre(j);
        return m_plan.test == SpreadTest::FlignerKilleen ? fligner() > m_critical : levene() > m_critical;
    }

private:
    void centre(std::size_t arm)
    {
        const auto begin = m_z.begin() + std::ptrdiff_t(arm * m_n);
        const auto end = begin + std::ptrdiff_t(m_n);
        double middle = 0;
        if (m_plan.test == SpreadTest::Levene) {
            for (auto it = begin; it != end; ++it)
                middle += *it;
            middle /= double(m_n);
        } else {
            const auto half = begin + std::ptrdiff_t(m_n / 2);
            std::nth_element(begin, half, end);
            middle = m_n % 2 == 1 ? *half : (*half + *std::max_element(begin, half)) / 2;
        }
        for (auto it = begin; it != end; ++it)
            *it = std::abs(*it - middle);
    }

    // Between and within sums of squares of the values of the arms.
    std::pair<double, double> sums(const std::vector<double>& values) const
    {
        double grand = 0;
        for (const double value : values)
            grand += value;
        grand /= double(values.size());
        double between = 0;
        double within = 0;
        for (std::size_t j = 0; j < m_k; ++j) {
            double own = 0;
            for (std::size_t i = 0; i < m_n; ++i)
                own += values[j * m_n + i];
            own /= double(m_n);
            between += double(m_n) * (own - grand) * (own - grand);
            for (std::size_t i = 0; i < m_n; ++i)
                within += (values[j * m_n + i] - own) * (values[j * m_n + i] - own);
        }
        return {between, within};
    }

    double levene() const
    {
        const auto [between, within] = sums(m_z);
        return double(m_z.size() - m_k) / double(m_k - 1) * between / within;
    }

    double fligner()
    {
        m_order.resize(m_z.size());
        for (std::size_t i = 0; i < m_order.size(); ++i)
            m_order[i] = i;
        std::sort(m_order.begin(), m_order.end(), [&](std::size_t a, std::size_t b) { return m_z[a] < m_z[b]; });
        m_ranked.resize(m_z.size());
        for (std::size_t begin = 0; begin < m_order.size();) {
            std::size_t end = begin + 1;
            while (end < m_order.size() && m_z[m_order[end]] == m_z[m_order[begin]])
                ++end;
            for (std::size_t i = begin; i < end; ++i)
                m_ranked[m_order[i]] = m_scores[begin + 1 + end];
            begin = end;
        }
        const auto [between, within] = sums(m_ranked);
        return between / ((between + within) / double(m_z.size() - 1));
    }

    const PowerPlan& m_plan;
    std::size_t m_n;
    std::size_t m_k;
    std::vector<double> m_z;
    std::vector<double> m_scores;
    std::vector<double> m_ranked;
    std::vector<std::size_t> m_order;
    double m_critical = 0;
};

}  // namespace

PowerPoint simulatedPower(const PowerPlan& plan, int seeds)
{
    check(plan);
    if (seeds < kFewest)
        refuse("seeds", std::to_string(seeds), "3 or more");
    Simulation simulation(plan, seeds);
    int hits = 0;
    for (int i = 0; i < plan.simulations; ++i)
        hits += simulation.significant(std::uint64_t(i));
    const double power = double(hits) / plan.simulations;
    return {seeds, power, std::sqrt(power * (1 - power) / plan.simulations)};
}

PowerResult planPower(const PowerPlan& plan)
{
    check(plan);
    std::map<int, PowerPoint> tried;
    const auto reaches = [&](int seeds) {
        const PowerPoint point = simulatedPower(plan, seeds);
        tried[seeds] = point;
        return point.power >= plan.power;
    };
    int low = kFewest - 1;  // does not reach it, or was not tried
    int high = kFewest;
    bool reached = reaches(high);
    while (!reached && high < plan.maxSeeds) {
        low = high;
        high = std::min(2 * high, plan.maxSeeds);
        reached = reaches(high);
    }
    while (reached && high - low > 1) {
        const int middle = low + (high - low) / 2;
        (reaches(middle) ? high : low) = middle;
    }
    PowerResult result;
    if (reached) {
        result.seeds = high;
        if (plan.hoursPerRun > 0)
            result.gpuHours = double(high) * plan.arms * plan.hoursPerRun;
    }
    for (const auto& [seeds, point] : tried)
        result.curve.push_back(point);
    return result;
}

}  // namespace holo::stats
