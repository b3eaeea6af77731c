#include "core/ladder/closed_forms.h"

#include <numbers>

#include "core/ladder/phase.h"

namespace holo::ladder {

namespace {

// sin(k·πΔ/N), reduced in integers: a large double angle has lost the phase that these quotients are about.
double sine(std::int64_t k, std::int64_t delta, std::int64_t context) { return turnedExactly(k, context, delta).sin; }

// sin(k x)/sin x at x = πΔ/N.
double quotient(std::int64_t k, std::int64_t delta, std::int64_t context)
{
    const std::int64_t r = floorMod(delta, 2 * context);
    if (r % context == 0)  // 0/0: the limit k·(−1)^{(k−1)Δ/N}
        return r == 0 || k % 2 != 0 ? double(k) : -double(k);
    return sine(k, r, context) / sine(1, r, context);
}

}  // namespace

double mobiusMeanCosine(std::int64_t delta, std::int64_t context, int planes) { return quotient(2 * planes, delta, context) / (2.0 * planes); }

double periodicMeanCosine(std::int64_t delta, std::int64_t context, int planes, bool withDc)
{
    return withDc ? (quotient(2 * planes - 1, delta, context) + 1) / (2.0 * planes) : (quotient(2 * planes + 1, delta, context) - 1) / (2.0 * planes);
}

double twistedMeanCosine(std::int64_t delta, std::int64_t context, int planes, double phi)
{
    const Phase whole = turnedExactly(planes - 1, context, delta);
    const Phase twist = turned(phi / double(context), delta);
    return quotient(planes, delta, context) / planes * (whole.cos * twist.cos - whole.sin * twist.sin);
}

}  // namespace holo::ladder
