#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace holo::stats {

enum class SpreadTest { BrownForsythe, Levene, FlignerKilleen };

struct PowerPlan {
    double sdRatio = 3;    // SD of one arm over that of the other, >= 1
    double alpha = 0.05;   // in (0, 1)
    double power = 0.8;    // in (0, 1)
    SpreadTest test = SpreadTest::BrownForsythe;
    int arms = 2;          // the first has the larger SD, all others the smaller
    double hoursPerRun = 0;  // GPU-hours of one run
    int maxSeeds = 200;
    int simulations = 2000;
    std::uint64_t seed = 0;
};

struct PowerPoint {
    int seeds = 0;
    double power = 0;
    double error = 0;  // binomial standard error of the simulation
};

struct PowerResult {
    std::optional<int> seeds;  // fewest seeds an arm that reach the power; empty: not within maxSeeds
    std::optional<double> gpuHours;
    std::vector<PowerPoint> curve;  // what was simulated, by rising number of seeds
};

// Share of simulated experiments with normal scores that the test calls significant.
// Throws Error (argument) on values out of range; at least 3 seeds.
PowerPoint simulatedPower(const PowerPlan& plan, int seeds);

// Doubles the number of seeds until the power is reached, then bisects. The same seed gives the same plan.
PowerResult planPower(const PowerPlan& plan);

}  // namespace holo::stats
