#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/project.h"

// What an arm says beside its scheme and fields: "seeds", some of the project's, and "from", the arm whose run of the same seed, once finished,
// gives the weights to go on with. Both stand among Arm::overrides.
namespace holo::config {

inline constexpr const char* kArmSeeds = "seeds";
inline constexpr const char* kArmFrom = "from";

std::vector<std::int64_t> seedsOf(const Project& project, const Arm& arm);  // rising
std::string fromOf(const Arm& arm);                                         // empty: trained from the start
std::vector<std::pair<std::string, Json>> fieldOverrides(const Arm& arm);   // the overrides that are fields of the spec

struct PlannedRun {
    RunSpec spec;      // of an arm that goes on from another: its scheme completed from how that one is trained (schemeForWeights)
    std::string id;    // folder name: runId(spec), with a hash of the origin where there is one
    std::string from;  // folder name of the run that it goes on from; empty: trained from the start
};
// Arms × seeds in order, as expand(). Throws Error (usage) for an arm that goes on from none or, round about, from itself.
std::vector<PlannedRun> plannedRuns(const Project& project);

}  // namespace holo::config
