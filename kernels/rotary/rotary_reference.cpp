#include "kernels/common/half.h"
#include "kernels/rotary/rotary.h"
#include "kernels/rotary/rotary_index.h"
#include "kernels/rotary/rotary_math.h"

#include <cmath>
#include <stdexcept>

namespace holo::kernels {

namespace {

void store(double x, double& y) { y = x; }
void store(double x, float& y) { y = float(x); }

// Rounds to float with the last bit telling "inexact", so that the second rounding sees what the first one cut off.
template <typename Half>
void store(double x, Half& y)
{
    float f = float(x);
    if (std::isfinite(x) && std::isfinite(f) && double(f) != x) {
        if (std::abs(double(f)) > std::abs(x))
            f = std::nextafter(f, 0.0f);
        f = floatOf(bitsOf(f) | 1u);
    }
    fromFloat(f, y);
}

template <typename T>
void rotateTyped(const RotaryParams& p)
{
    const int planes = p.rotaryDim / 2;
    for (int g = 0; g < p.groups; ++g) {
        const RotaryHeads& heads = p.group[g];
        for (std::int64_t b = 0; b < p.batch; ++b) {
            for (std::int64_t t = 0; t < p.tokens; ++t) {
                for (int h = 0; h < heads.heads; ++h) {
                    const T* in = static_cast<const T*>(heads.input)
                        + rotaryOffset(heads.inputBatch, heads.inputToken, heads.inputHead, b, t, h);
                    T* out = static_cast<T*>(heads.output)
                        + rotaryOffset(heads.outputBatch, heads.outputToken, heads.outputHead, b, t, h);
                    const int ladder = heads.ladders ? heads.ladders[h] : 0;
                    const int rotated = ladder == kNoLadder ? 0 : planes;
                    for (int j = 0; j < rotated; ++j) {
                        const std::int64_t row = heads.tables.rowOffset(ladder, p.positions.at(b, t));
                        const double c = heads.tables.cosines[row + j];
                        const double s = heads.tables.sines[row + j];
                        const int i0 = p.pairing == Pairing::HalfSplit ? j : 2 * j;
                        const int i1 = p.pairing == Pairing::HalfSplit ? j + planes : 2 * j + 1;
                        double x0 = double(toFloat(in[i0]));
                        double x1 = double(toFloat(in[i1]));
                        rotatePair(x0, x1, c, p.direction == Direction::Forward ? s : -s);
                        store(x0, out[i0]);
                        store(x1, out[i1]);
                    }
                    for (int i = 2 * rotated; i < p.headDim; ++i)
                        out[i] = in[i];
                }
            }
        }
    }
}

}  // namespace

void rotateReference(const RotaryParams& p)
{
    if (const auto problem = rotaryProblem(p))
        throw std::invalid_argument(*problem);
    switch (p.dtype) {
    case Dtype::Float32:
        return rotateTyped<float>(p);
    case Dtype::BFloat16:
        return rotateTyped<BFloat16>(p);
    case Dtype::Float16:
        return rotateTyped<Float16>(p);
    case Dtype::Float64:
        return rotateTyped<double>(p);
    }
}

}  // namespace holo::kernels
