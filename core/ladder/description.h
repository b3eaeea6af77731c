#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ladder/holonomy.h"
#include "core/ladder/kernel.h"
#include "core/ladder/plan.h"

namespace holo::ladder {

// Everything that tables and plots say of one ladder for sequences of one length, computed once.
struct LadderDescription {
    std::string name;
    std::string kind;
    std::string parameters;
    std::int64_t context = 0;
    double base = 0;               // as given; 0: the ladder has none
    double effectiveBase = 0;      // in force at `length` under NTK scaling
    std::int64_t length = 0;
    std::vector<double> theta;     // in force at `length`, rad/token
    std::vector<double> period;    // tokens
    std::vector<double> turns;     // in N tokens
    Holonomy holonomy;             // of θ in force
    std::vector<int> undertrained;
    double tableScale = 1;         // on cos and sin
    double temperature = 1;        // on the logits of the rotated lanes: tableScale²
    std::string hash;
    KernelSummary summary;
};

// `length` 0: the ladder's context.
LadderDescription describe(const Ladder& ladder, std::int64_t length = 0);

// The base whose geometric ladder is in force at `length` (NTK kinds); the ladder's own otherwise.
double effectiveBase(const Ladder& ladder, std::int64_t length);

// Positions of heads that carry a ladder, (layer, head).
std::vector<std::pair<int, int>> headsWithLadder(const Plan& plan, int ladder);

}  // namespace holo::ladder
