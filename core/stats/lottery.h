#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace holo::stats {

// Best of k seeds, the k drawn without replacement from the n seeds at hand (k <= n): the average over all subsets, unbiased.

// Chance that the best of k reaches the floor: 1 − C(n−m, k)/C(n, k) with m seeds >= floor. Nothing for k < 1 or k > n.
std::optional<double> bestOfReaches(std::span<const double> values, int k, double floor);
// Expected best of k: Σ x_(i) C(i−1, k−1)/C(n, k).
std::optional<double> expectedBestOf(std::span<const double> values, int k);
// Expected lowest of k.
std::optional<double> expectedLowestOf(std::span<const double> values, int k);

// The same for fresh seeds, drawn with replacement (plug-in; any k >= 1): 1 − (1 − m/n)^k, and Σ x_(i)[(i/n)^k − ((i−1)/n)^k] (Dodge et al. 2019).
std::optional<double> bestOfReachesFresh(std::span<const double> values, int k, double floor);
std::optional<double> expectedBestOfFresh(std::span<const double> values, int k);

}  // namespace holo::stats
