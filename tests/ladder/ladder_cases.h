#pragma once

#include <QtTest>

#include <cmath>

#include "core/base/error.h"
#include "core/ladder/phase_table.h"
#include "core/ladder/plan.h"

// What the tests of ladders share: small models, the test vectors, a rotation in double.
namespace holo::ladder::cases {


inline ModelShape shapeOf(int headDim, std::int64_t context)
{
    return {.layers = 2, .heads = 4, .kvHeads = 4, .headDim = headDim, .rotaryDim = headDim, .context = context};
}

inline Ladder only(const Scheme& scheme, const ModelShape& shape)
{
    const Plan plan = resolve(scheme, shape);
    return plan.ladders.front();
}

// y = x·C + rot(x)·S, planes (j, j + M).
inline std::vector<double> rotated(const Ladder& ladder, const std::vector<double>& x, std::int64_t position, Side side = Side::Query)
{
    const std::int64_t positions[] = {position};
    const PhaseTable table = phaseTableAt(ladder, positions, std::max<std::int64_t>(position + 1, 1), side);
    const std::size_t planes = std::size_t(table.planes);
    std::vector<double> y = x;
    for (std::size_t j = 0; j < planes; ++j) {
        const double c = table.cos[j];
        const double s = table.sin[j];
        y[j] = x[j] * c - x[j + planes] * s;
        y[j + planes] = x[j + planes] * c + x[j] * s;
    }
    return y;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return sum;
}

inline bool near(double value, double expected, double tolerance)
{
    if (std::abs(value - expected) <= tolerance)
        return true;
    qWarning("%.12g is not %.12g ± %.3g", value, expected, tolerance);
    return false;
}

inline const std::vector<double> kQ = {.1, .2, .3, .4, .5, .6, .7, .8};
inline const std::vector<double> kK = {.8, -.7, .6, -.5, .4, -.3, .2, -.1};

// Exit code and message of resolving a scheme; 0 if it works.
struct Refusal {
    int code = 0;
    std::string message;
    ErrorPlace place;
};

inline Refusal refusalOf(const Scheme& scheme, const ModelShape& shape)
{
    try {
        resolve(scheme, shape);
        return {};
    } catch (const Error& e) {
        return {exitCode(e.kind()), e.what(), e.place()};
    }
}

}  // namespace holo::ladder::cases
