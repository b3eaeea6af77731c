#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/bench/row.h"

namespace holo::bench {

// One of several ways to do the same work. `repeats` calls make one sample; 0: as many as fill about two milliseconds.
struct Variant {
    std::string name;
    std::function<void()> run;
    int repeats = 0;
};

// Seconds a call, one sample a round.
struct Samples {
    std::string name;
    std::vector<double> seconds;

    double min() const;
    double median() const;  // mean of the middle two where their number is even
    double max() const;
    Json spread(double scale = 1) const;  // {"min", "median", "max", "rounds"} of seconds · scale
};

// Seconds from any fixed moment; a test hands in its own.
using Clock = std::function<double()>;
double steadySeconds();
double cpuSeconds();  // of all threads of the process: what a busy machine disturbs least, but waiting threads spin, so for one thread only

// Times all variants round by round in one process, so that whatever else the machine does falls on all of them alike. Each is called once
// before (warm-up); the variant that opens a round moves on from round to round.
std::vector<Samples> interleave(const std::vector<Variant>& variants, int rounds, const Clock& clock = steadySeconds);

// Ratio of medians, seconds(a) / seconds(b).
double ratio(const Samples& a, const Samples& b);

// Work per second of `ours` beside that of `reference`: value and reference are amount / median seconds, ratio is the speed-up.
Row speedRow(std::string name, std::string variant, double amount, const Samples& ours, const Samples& reference, std::string unit, Goal goal, std::string device);
// Seconds (given in ms) of `ours` beside those of `reference`: ratio is the share of time.
Row timeRow(std::string name, std::string variant, const Samples& ours, const Samples& reference, Goal goal, std::string device);

}  // namespace holo::bench
