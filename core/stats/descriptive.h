#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace holo::stats {

// All of these leave non-finite values out, do not depend on the order of the values, and return nothing where the number does not exist.

std::vector<double> finiteSorted(std::span<const double> values);

std::optional<double> mean(std::span<const double> values);
std::optional<double> sampleVariance(std::span<const double> values);  // n−1; nothing for one value; identical values give exactly 0
std::optional<double> sampleSd(std::span<const double> values);
std::optional<double> minimum(std::span<const double> values);
std::optional<double> maximum(std::span<const double> values);
std::optional<double> median(std::span<const double> values);
// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996), q in [0, 1].
std::optional<double> quantile(std::span<const double> values, double q);
// Mean after cutting ⌊share·n⌋ values at both ends.
std::optional<double> trimmedMean(std::span<const double> values, double share);

// Position of the worst finite value: the smallest, or the largest where lower is better; the first of equal ones.
std::optional<std::size_t> worstIndex(std::span<const double> values, bool lowerIsBetter = false);

// Mid-ranks from 1.
std::vector<double> midRanks(std::span<const double> values);

}  // namespace holo::stats
