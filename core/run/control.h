#pragma once

#include <cstdint>
#include <filesystem>

namespace holo::run {

// control.json: what the window (or a person) asks of a running worker, read between steps. Pausing and stopping are states; a checkpoint or
// an evaluation is asked for by a number higher than any before, so that a request is met once and never lost.
//   {"pause": false, "stop_at": null, "checkpoint": 2, "evaluate": 1}
struct Control {
    bool pause = false;
    std::int64_t stopAt = -1;      // checkpoint and leave (exit 0) once this step is done; −1: none
    std::int64_t checkpoint = 0;   // serial number of the request
    std::int64_t evaluate = 0;
};

// A missing or half-written file is a Control without wishes; unknown keys are ignored, since a newer window may write more.
Control readControl(const std::filesystem::path& file);
void writeControl(const std::filesystem::path& file, const Control& control);  // atomic; throws Error (resource)

}  // namespace holo::run
