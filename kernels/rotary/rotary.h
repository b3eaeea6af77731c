#pragma once

#include "kernels/common/isa.h"
#include "kernels/common/parallel_for.h"
#include "kernels/rotary/rotary_params.h"

#include <optional>
#include <string>

namespace holo::kernels {

// Rotates every head of every group on the CPU, in place or out of place, each head by its own ladder. Arithmetic is float (double
// for Float64) and the result is rounded once to the storage type; all paths give the same bits.
// Throws std::invalid_argument with the sentence of rotaryProblem(), or if the path asked for is not available.
void rotate(const RotaryParams& params, const ParallelFor& parallelFor = serialFor, std::optional<Isa> path = {});

// The path that rotate() takes for these parameters when none is asked for.
Isa rotaryPath(const RotaryParams& params);

// The same with obvious loops, in one thread, in double from the stored values to the last rounding. Kept as the yardstick.
void rotateReference(const RotaryParams& params);

// What is wrong with the parameters, as one sentence naming the field, the value and what is allowed; nothing if all is well.
// With `readPositions` the given positions, head ids and their table rows are looked at too (pointers must be host memory).
std::optional<std::string> rotaryProblem(const RotaryParams& params, bool readPositions = true);

// Work of one call. Bytes count what has to be read and written once: the rotated elements (out of place also those that are
// copied), without tables. FLOPs: 6 a plane.
struct RotaryCost {
    double bytesRead = 0;
    double bytesWritten = 0;
    double flops = 0;
};
RotaryCost rotaryCost(const RotaryParams& params);

}  // namespace holo::kernels
