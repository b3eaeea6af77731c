#include "core/stats/multiple.h"

#include <algorithm>
#include <map>
#include <string>

namespace holo::stats {

std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (p[i])
            order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return *p[a] < *p[b]; });
    std::vector<std::optional<double>> result(p.size());
    double running = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        running = std::max(running, std::min(1.0, double(order.size() - i) * *p[order[i]]));
        result[order[i]] = running;
    }
    return result;
}

void adjust(std::vector<TestResult>& tests)
{
    std::map<std::string, std::vector<std::size_t>> families;
    std::vector<std::optional<double>> all;
    for (std::size_t i = 0; i < tests.size(); ++i) {
        families[tests[i].name].push_back(i);
        all.push_back(tests[i].p);
    }
    const auto adjusted = holm(all);
    for (std::size_t i = 0; i < tests.size(); ++i)
        tests[i].pHolm = adjusted[i];
    for (const auto& [name, members] : families) {
        std::vector<std::optional<double>> p;
        for (const std::size_t i : members)
            p.push_back(tests[i].p);
        const auto own = holm(p);
        for (std::size_t i = 0; i < members.size(); ++i)
            tests[members[i]].pHolmName = own[i];
    }
}

}  // namespace holo::stats
