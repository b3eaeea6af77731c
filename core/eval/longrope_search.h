#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/ladder/plan.h"
#include "core/ladder/scheme.h"

// LongRoPE's evolutionary search (arXiv 2402.13753, section 3.2 and algorithm 1): one divisor λ_j a plane, θ'_j = θ_j/λ_j, and n̂ first positions that
// keep the standard ladder, chosen for the least perplexity of a trained model at s times its context.
// Search space: λ_j in [1, 1.25·s] on a grid, λ_j <= λ_{j+1}; n̂ in {0, 1, 2, 4, 8, 16, 32, 64, 128, 256} up to the original context.
// Starts: position interpolation (λ = s), NTK (s^{2j/(d−2)}), YaRN (its ramp over plane indices), and mutations of these. Each generation keeps the
// best as parents and adds mutations (each λ anew with a probability, between its neighbours that stay) and crossovers (each λ from one of two
// parents, raised where it would fall below the one before).
namespace holo::eval {

struct LongRopeSettings {
    double factor = 4;              // s
    int generations = 40;
    int population = 64;
    int parents = 32;
    int mutations = 16;
    int crossovers = 16;
    double probability = 0.3;       // of a new λ, and of a new n̂
    double step = 0.01;             // grid of λ
    std::uint64_t seed = 0;
    double attentionFactor = 0;     // of all candidates; 0: LongRoPE's own, √(1 + ln s/ln N)
};

struct LongRopeCandidate {
    std::string origin;             // pi, ntk, yarn, mutation, crossover
    std::vector<double> divisors;   // λ_j
    std::int64_t kept = 0;          // n̂
    double nll = 0;                 // nats a token; infinite where the model gives no number
};

// A pure function of settings, ladder and fitness: each candidate has a stream of its own, (seed, "longrope-search", generation, index), so that a
// search may stop after any generation and go on from what `toJson` wrote.
class LongRopeSearch {
public:
    using Fitness = std::function<double(const LongRopeCandidate&)>;

    // `standard` is the ladder that the model was trained with. Throws Error (usage) for settings out of range, fewer than 2 planes.
    LongRopeSearch(const LongRopeSettings& settings, const ladder::Ladder& standard);

    // Scores starts and first population (generation 0), or adds one generation. The search is unchanged if `fitness` throws.
    void advance(const Fitness& fitness);

    bool isDone() const { return m_generation >= m_settings.generations; }
    int generation() const { return m_generation; }  // −1: nothing is scored yet
    std::int64_t evaluated() const { return m_evaluated; }
    int nextCount() const;                           // candidates that the next advance() scores
    const LongRopeSettings& settings() const { return m_settings; }
    const std::vector<LongRopeCandidate>& starts() const { return m_starts; }          // pi, ntk, yarn
    const std::vector<LongRopeCandidate>& population() const { return m_population; }  // best first
    const LongRopeCandidate& best() const { return m_population.front(); }
    struct Generation {
        int generation = 0;
        double best = 0;    // nll
        double median = 0;  // of the population
        std::int64_t evaluated = 0;
    };
    const std::vector<Generation>& history() const { return m_history; }

    // The scheme of a candidate, as SCHEME: ones as short list, λ as long list.
    ladder::Scheme scheme(const LongRopeCandidate& candidate) const;

    Json toJson() const;
    // Takes up what toJson wrote. Throws Error (malformed), and (usage) where it comes from other settings or another ladder; only `generations` may differ.
    void restore(const Json& json, const std::string& source);

private:
    class Draw;
    Json identity() const;
    LongRopeCandidate mutated(const LongRopeCandidate& parent, Draw& draw) const;
    LongRopeCandidate crossed(const LongRopeCandidate& a, const LongRopeCandidate& b, Draw& draw) const;

    LongRopeSettings m_settings;
    ladder::Ladder m_standard;
    std::vector<std::int64_t> m_keptChoices;
    double m_largest = 1;
    int m_generation = -1;
    std::int64_t m_evaluated = 0;
    std::vector<LongRopeCandidate> m_starts;
    std::vector<LongRopeCandidate> m_population;
    std::vector<Generation> m_history;
};

}  // namespace holo::eval
