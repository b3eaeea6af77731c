#pragma once

#include <cstdint>
#include <vector>

#include "core/model/run_events.h"

namespace holo::model {

// What a watcher of the loss would say. Of the newest attempt:
//   NonFinite  one of the newest 50 losses is NaN or infinite; `step` is the first of them
//   Diverging  the mean of the newest block of steps lies above the least mean of any earlier block by more than 0.25 nats and by more
//              than eight standard errors; `step` is the end of that least block, `excess` the distance
//   Flat       over the last quarter of the steps the slope of the loss is within two standard errors of zero; `step` is where it begins.
//              Not a fault: retrieval often clicks in after such a stretch.
// A block is a twentieth of the steps, 20 to 500 of them; with fewer than 80 steps nothing is said but NonFinite.
enum class Trouble { None, NonFinite, Diverging, Flat };
struct Health {
    Trouble trouble = Trouble::None;
    std::int64_t step = 0;
    double excess = 0;  // nats
};
Health healthOf(const std::vector<StepRecord>& steps);

// Seconds by the wall clock until `total` steps are done, from the newest attempt: the pace of its newest 200 steps, times what evaluations,
// checkpoints and pauses of the attempt cost beside its steps. `low` and `high` are the paces of the fastest and slowest eighth of those
// steps. Missing (NaN) where there is nothing to learn it from.
struct Remaining {
    double seconds = kMissing;
    double low = kMissing;
    double high = kMissing;
};
Remaining remainingTime(const std::vector<StepRecord>& steps, std::int64_t total);

}  // namespace holo::model
