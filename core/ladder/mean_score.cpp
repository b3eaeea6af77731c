#include "core/ladder/mean_score.h"

#include "core/base/random.h"
#include "core/ladder/kernel.h"
#include "core/ladder/phase.h"

namespace holo::ladder {

std::vector<double> expectedScore(const Ladder& ladder, std::span<const std::int64_t> deltas, double mu)
{
    std::vector<double> scores = meanCosine(ladder, deltas);
    for (double& score : scores)
        score *= mu * mu * 2 * double(ladder.theta.size());
    return scores;
}

std::vector<double> sampledScore(const Ladder& ladder, std::span<const std::int64_t> deltas, double mu, int samples, std::uint64_t seed)
{
    // A plane's score is a·cos θΔ + b·sin θΔ with a = q·k and b = q×k, so the mean over samples needs the means of a and b alone.
    const std::size_t planes = ladder.theta.size();
    std::vector<double> a(planes, 0.0);
    std::vector<double> b(planes, 0.0);
    for (int sample = 0; sample < samples; ++sample) {
        RandomStream stream(seed, "mean-score", {std::uint64_t(sample)});
        for (std::size_t j = 0; j < planes; ++j) {
            const double q0 = mu + stream.normal();
            const double q1 = mu + stream.normal();
            const double k0 = mu + stream.normal();
            const double k1 = mu + stream.normal();
            a[j] += (q0 * k0 + q1 * k1) / samples;
            b[j] += (q0 * k1 - q1 * k0) / samples;
        }
    }
    std::vector<double> scores;
    for (const std::int64_t delta : deltas) {
        double score = 0;
        for (std::size_t j = 0; j < planes; ++j) {
            const Phase phase = ladder.exact ? turnedExactly(ladder.exact->numerators[j], ladder.exact->context, delta) : turned(ladder.theta[j], delta);
            score += a[j] * phase.cos + b[j] * phase.sin;
        }
        scores.push_back(score);
    }
    return scores;
}

}  // namespace holo::ladder
