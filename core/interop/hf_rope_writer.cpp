#include "core/interop/hf_rope_writer.h"

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ladder/frequencies.h"

namespace holo::interop {

namespace {

// The divisor whose quotient standard / divisor is theta, or comes nearest to it.
double divisorFor(double standard, double theta, std::size_t plane)
{
    if (!(theta > 0))
        throw Error::at(ErrorKind::Unsupported, {"", "frequency of plane " + std::to_string(plane), formatDouble(theta), "above 0, since no rope type of transformers holds a plane that does not turn"});
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double first = standard / theta;
    double best = first;
    for (const double candidate : {first, std::nextafter(first, 0.0), std::nextafter(first, kInfinity)})
        if (std::abs(standard / candidate - theta) < std::abs(standard / best - theta))
            best = candidate;
    return best;
}

std::vector<double> divisorsFor(const std::vector<double>& standard, const std::vector<double>& thetas)
{
    std::vector<double> divisors;
    for (std::size_t j = 0; j < thetas.size(); ++j)
        divisors.push_back(divisorFor(standard[j], thetas[j], j));
    return divisors;
}

}  // namespace

Json hfRopeFields(const ladder::Ladder& ladder, double base, std::int64_t context, double rotaryPct)
{
    const double theta = ladder.base > 0 ? ladder.base : base;
    Json parameters = {{"rope_type", "default"}, {"rope_theta", theta}};
    if (rotaryPct != 1)
        parameters["partial_rotary_factor"] = number(rotaryPct);
    std::int64_t original = 0;
    if (ladder.lengthRule == ladder::LengthRule::DynamicNtk) {
        if (ladder.context != context)
            throw Error::at(ErrorKind::Unsupported, {"", "scheme.original", std::to_string(ladder.context), std::to_string(context) + ", the model's context, which transformers takes it to be"});
        parameters["rope_type"] = "dynamic";
        parameters["factor"] = ladder.factor;
    } else if (const std::vector<double> standard = ladder::geometricThetas(theta, int(2 * ladder.theta.size()), int(ladder.theta.size())); ladder.theta != standard || ladder.tableScale != 1
               || ladder.lengthRule == ladder::LengthRule::LongRope) {
        const bool twoLists = ladder.lengthRule == ladder::LengthRule::LongRope;
        original = twoLists ? ladder.context : context;
        parameters["rope_type"] = "longrope";
        parameters["factor"] = twoLists ? ladder.factor : 1.0;
        parameters["attention_factor"] = ladder.tableScale;
        parameters["original_max_position_embeddings"] = original;
        parameters["short_factor"] = divisorsFor(standard, ladder.theta);
        parameters["long_factor"] = divisorsFor(standard, twoLists ? ladder.longTheta : ladder.theta);
    }
    Json fields = {{"rope_theta", theta}, {"rope_scaling", parameters["rope_type"] == "default" ? Json(nullptr) : parameters}, {"rope_parameters", parameters}};
    if (original != 0 && original != context)
        fields["original_max_position_embeddings"] = original;
    return fields;
}

}  // namespace holo::interop
