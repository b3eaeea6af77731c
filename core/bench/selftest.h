#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/bench/rotary_data.h"
#include "core/bench/row.h"

namespace holo::bench {

struct SelftestOptions {
    int threads = 0;  // of the determinism checks beside one; 0: as many as cores
    // Seam for tests of the self-test: changes the tables that a kernel is given. The references never see it.
    std::function<void(TableSet&)> distort;
};

// Each compares every storage type × pairing × instruction set (each forced) × device with float64. What a machine lacks is a row without pass.
std::vector<Row> selftestRotary(const SelftestOptions& options);     // tables to position 2^20, both directions, there and back, same bits for any cut
std::vector<Row> selftestAttention(const SelftestOptions& options);  // output and gradients, with every feature of a head, same bits for any cut
std::vector<Row> selftestModel(const SelftestOptions& options);      // gradients of both block styles by finite differences and in float64
std::vector<Row> selftest(const SelftestOptions& options = {});      // all of them

}  // namespace holo::bench
