#pragma once

#include <cstddef>
#include <vector>

namespace holo::model {

// y over rising x; y may be non-finite.
struct Curve {
    std::vector<double> x;
    std::vector<double> y;

    std::size_t size() const { return x.size(); }
};

// Exponential moving average with bias correction: m ← w·m + (1−w)·y, shown as m/(1−wⁿ). Non-finite values are kept as they are and
// leave the average alone. `weight` in [0, 1).
Curve smoothed(const Curve& curve, double weight);

// Mean and spread of several curves at the x values that all of them share: nothing is interpolated.
struct Band {
    std::vector<double> x;
    std::vector<double> mean;
    std::vector<double> low;   // least value
    std::vector<double> high;  // greatest value
    std::size_t curves = 0;
};
Band bandOf(const std::vector<const Curve*>& curves);

}  // namespace holo::model
