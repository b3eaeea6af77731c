#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "core/model/needle_grid.h"
#include "core/run/evaluate_checkpoint.h"

namespace holo::cli {

// What `eval` and `swap` share: the checkpoint, what it is evaluated on, and settings that replace those of its run.
struct EvalOptions {
    std::string checkpoint;
    std::vector<std::string> data;
    std::vector<std::int64_t> lengths;
    std::string depths;               // a count of even steps from 0 to 1, or a list
    std::int64_t trials = 0;          // 0: as the run
    std::int64_t seed = -1;           // of the prompts; −1: as the run
    std::string templateFile;
    std::filesystem::path out;
    bool noOut = false;
    bool dumpPrompts = false;
    bool noControls = false;
    DeviceOptions device;

    run::CheckpointChoice choice(const std::string& scheme) const;
    // Of the run, with what was given here in its place; `out` is where the result goes. Throws Error (usage).
    eval::Options settings(const run::CheckpointEvaluation& evaluation) const;
};
void addEvalOptions(CLI::App* verb, EvalOptions& options);

// "11" → 0, .1, … 1; "0,0.5,1" → these; "0" and "1" are single depths.
std::vector<double> parseDepths(const std::string& text);

// Length × depth as text: one row a depth, 0 first, one column a length, rising; a block of rising height and the percentage in each cell.
std::string heatmapText(const model::NeedleGrid& grid);
// The same for differences of −1 … 1: signed percentages.
std::string differenceText(const Json& rows);

}  // namespace holo::cli
