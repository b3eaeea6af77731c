#pragma once

#include <cstdint>
#include <vector>

namespace holo::stats {

// Tails and quantiles (Boost.Math in extended precision). Infinite statistics give the limit; nothing throws.
double fUpperTail(double statistic, double df1, double df2);
double fLowerTail(double statistic, double df1, double df2);
double fQuantile(double p, double df1, double df2);
double chiSquaredUpperTail(double statistic, double df);
double chiSquaredQuantile(double p, double df);
double studentTwoSided(double t, double df);
double normalUpperTail(double z);
double normalQuantile(double p);
double normalCdf(double z);
double binomialLowerTail(std::int64_t k, std::int64_t n, double p);  // P(X <= k)
// C(n, i) q^i (1−q)^(n−i) for i = 0 … n, by ratios from the mode, scaled to sum 1.
std::vector<double> binomialMass(std::int64_t n, double q);

}  // namespace holo::stats
