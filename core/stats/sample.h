#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace holo::stats {

// Fewest finite values an arm needs before a test between arms gives a p-value.
inline constexpr std::size_t kFewestSeeds = 3;

// The scores of one arm. Functions leave non-finite values out and say so in the note of their result.
struct Sample {
    std::string name;
    std::vector<double> values;
};

// Samples made ready for a test: finite values, each sample sorted, samples in an order that depends on their values alone,
// so that no result depends on the order of arms or seeds.
struct Prepared {
    std::vector<std::vector<double>> groups;
    std::vector<std::string> names;  // in the order given
    std::string note;                // values left out
    std::string refusal;             // why no test is possible; empty: it is
    std::size_t total = 0;

    double largest() const;  // largest absolute value
};

Prepared prepare(std::span<const Sample> samples, std::size_t fewest = kFewestSeeds);

// Joins sentences of a note with a blank.
std::string joinNotes(const std::string& first, const std::string& second);

}  // namespace holo::stats
