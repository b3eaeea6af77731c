#include "core/stats/distributions.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace holo::stats {

namespace {

namespace policies = boost::math::policies;
using Quiet = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>, policies::underflow_error<policies::ignore_error>>;
using F = boost::math::fisher_f_distribution<double, Quiet>;
using ChiSquared = boost::math::chi_squared_distribution<double, Quiet>;
using Student = boost::math::students_t_distribution<double, Quiet>;
using Normal = boost::math::normal_distribution<double, Quiet>;
using Binomial = boost::math::binomial_distribution<double, Quiet>;
using boost::math::cdf;
using boost::math::complement;
using boost::math::quantile;

}  // namespace

double fUpperTail(double statistic, double df1, double df2)
{
    if (std::isinf(statistic))
        return statistic > 0 ? 0 : 1;
    return statistic <= 0 ? 1 : cdf(complement(F(df1, df2), statistic));
}

double fLowerTail(double statistic, double df1, double df2)
{
    if (std::isinf(statistic))
        return statistic > 0 ? 1 : 0;
    return statistic <= 0 ? 0 : cdf(F(df1, df2), statistic);
}

double fQuantile(double p, double df1, double df2)
{
    return quantile(F(df1, df2), p);
}

double chiSquaredUpperTail(double statistic, double df)
{
    if (std::isinf(statistic))
        return statistic > 0 ? 0 : 1;
    return statistic <= 0 ? 1 : cdf(complement(ChiSquared(df), statistic));
}

double chiSquaredQuantile(double p, double df)
{
    return quantile(ChiSquared(df), p);
}

double studentTwoSided(double t, double df)
{
    if (std::isinf(t))
        return 0;
    return std::fmin(1.0, 2 * cdf(complement(Student(df), std::abs(t))));
}

double normalUpperTail(double z)
{
    return std::erfc(z / std::sqrt(2.0)) / 2;
}

double normalCdf(double z)
{
    return normalUpperTail(-z);
}

double normalQuantile(double p)
{
    if (p <= 0 || p >= 1)
        return p <= 0 ? -INFINITY : INFINITY;
    return quantile(Normal(), p);
}

double binomialLowerTail(std::int64_t k, std::int64_t n, double p)
{
    if (k < 0 || k >= n)
        return k < 0 ? 0 : 1;
    return cdf(Binomial(double(n), p), double(k));
}

std::vector<double> binomialMass(std::int64_t n, double q)
{
    std::vector<double> mass(std::size_t(n) + 1, 0.0);
    const auto mode = std::min(n, std::int64_t(double(n + 1) * q));
    mass[std::size_t(mode)] = 1;
    const double odds = q / (1 - q);
    for (std::int64_t i = mode; i < n; ++i)
        mass[std::size_t(i) + 1] = mass[std::size_t(i)] * double(n - i) / double(i + 1) * odds;
    for (std::int64_t i = mode; i > 0; --i)
        mass[std::size_t(i) - 1] = mass[std::size_t(i)] * double(i) / double(n - i + 1) / odds;
    double sum = 0;
    for (const double part : mass)
        sum += part;
    for (double& part : mass)
        part /= sum;
    return mass;
}

}  // namespace holo::stats
