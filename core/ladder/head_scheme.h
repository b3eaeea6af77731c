#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ladder/fourier.h"
#include "core/ladder/plan.h"

namespace holo::ladder {

// What one scheme without parts does on a head: its ladder and its bias, window and form. Built once a scheme, asked once a head.
class HeadScheme {
public:
    // Throws Error (usage).
    HeadScheme(const Scheme& scheme, const ModelShape& shape);

    struct Head {
        Ladder ladder;
        HeadAssignment assignment;  // without the ladder's index
    };
    Head at(int layer, int head) const;

    // Settings of the whole plan that the scheme asks for (landmark block, length temperature, notes).
    void apply(Plan& plan) const;

private:
    bool isGlobalLayer(int layer) const;

    Kind m_kind;
    const ModelShape& m_shape;
    Ladder m_ladder;
    std::optional<FourierDesign> m_fourier;
    std::uint64_t m_fourierSeed = 0;
    std::vector<double> m_slopes;
    std::string m_pattern;  // of window schemes: S window, L global
    std::int64_t m_window = 0;
    int m_block = 0;
    int m_framedHeads = 0;
    double m_logOffset = 0;
};

// ceil(share·heads − 1e−9): .07·100 is 7.000000000000001 in binary.
int headsOfShare(double share, int heads);

}  // namespace holo::ladder
