#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ladder/holonomy.h"
#include "core/ladder/kernel.h"
#include "core/ladder/plan.h"

// Matched controls: what tells the boundary phase of a Möbius ladder from its band, its density and its lobe. Every control sits on
// exactly the heads of the reference; the proof says what it shares with the ladder that it stands in for.
namespace holo::ladder {

// The figures by which ladders are compared.
struct LadderFacts {
    int planes = 0;
    double low = 0;    // slowest and fastest plane, rad/token
    double high = 0;
    double mean = 0;   // of θ
    KernelSummary kernel;
    Boundary boundary = Boundary::Mixed;
    double absMeanHolonomy = 0;
};

LadderFacts factsOf(const Ladder& ladder);

struct ControlProof {
    LadderFacts reference;
    LadderFacts control;
    bool sameHeads = false;      // all other heads keep their ladder, all Möbius heads have the control's
    bool samePlanes = false;
    bool sameFrequencies = false;  // as a set
    bool sameBand = false;       // both ends, within rounding
    bool insideBand = false;
    bool sameMean = false;       // within 1 %
    bool sameHalfWidth = false;  // within one token
    bool sameBoundary = false;   // anti-periodic, periodic, …
    std::string warning;         // one sentence where the control is a poor one; empty: none

    std::vector<std::string> equal() const;      // in words
    std::vector<std::string> different() const;
};

struct Control {
    std::string name;     // "periodic A"
    std::string purpose;  // what it isolates, one sentence
    Scheme scheme;
    std::vector<ControlProof> proofs;  // one a Möbius ladder of the reference
};

// Controls of a Möbius scheme or of a hybrid with Möbius parts: periodic A and B, band C2 and C1, shuffled planes, standard frequencies
// snapped to half and to whole turns, and the twisted sweep φ = 0, π/2, π, 3π/2, 2π. Throws Error (usage) if the scheme has no Möbius
// ladder or does not resolve. Controls whose planes would coincide on whole positions are left out.
std::vector<Control> matchedControls(const Scheme& reference, const ModelShape& shape);

// A hybrid whose special heads are shared out, in order, over Möbius ladders of several contexts. The special heads fill whole KV groups.
// Throws Error (usage) if there are more contexts than groups of special heads.
Scheme multiScaleHybrid(double share, const std::vector<std::int64_t>& contexts, const ModelShape& shape);

}  // namespace holo::ladder
