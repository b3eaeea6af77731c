#pragma once

#include <string>
#include <vector>

#include "core/bench/row.h"
#include "core/bench/timing.h"

namespace holo::bench {

struct BenchOptions {
    int rounds = 15;
    int share = 1;  // batches are divided by it; 1 is what the goals speak of, tests take less
    Clock clock = steadySeconds;  // of the CPU's rows
};

// Speed as ratios of medians over interleaved rounds in one process. Names begin with the number of the goal that a row is judged by; what has
// no device here is a row without pass.
std::vector<Row> benchRotary(const BenchOptions& options);     // R1–R5, R7
std::vector<Row> benchAttention(const BenchOptions& options);  // T10
std::vector<Row> benchTrain(const BenchOptions& options);      // T1, T3a, T4, T5, T6, T7, T9
std::vector<Row> benchEval(const BenchOptions& options);       // E1–E3
std::vector<Row> benchStep(const BenchOptions& options);       // the training step by itself, for comparisons with other programs
std::vector<Row> benchEagerStep(const BenchOptions& options);  // the same in stock eager LibTorch

}  // namespace holo::bench
