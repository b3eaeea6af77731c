#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Records of events.jsonl as the window and the index read them.
namespace holo::model {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// One optimiser step. A value that the line does not hold is missing (NaN with the bit in `present` unset); one that it holds may still
// be non-finite.
struct StepRecord {
    int attempt = 1;
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    double t = kMissing;       // seconds since the start of the run, by the wall clock
    double active = kMissing;  // seconds of training, pauses and evaluations left out
    double loss = kMissing;    // nats a token
    double gradNorm = kMissing;
    double lr = kMissing;
    double tokensPerSecond = kMissing;
};

enum class EventType { Start, Step, Eval, Checkpoint, Note, Other };

struct Event {
    EventType type = EventType::Other;
    StepRecord step;              // attempt and step are set for every type
    double valLoss = kMissing;    // of an evaluation line, or of a step that carries one
    std::string text;             // of a note; id of an evaluation or checkpoint
};

// One line of events.jsonl; nothing for a line that is not an event (half lines of a writer that died).
std::optional<Event> parseEvent(std::string_view line);

// Steps of a run over all its attempts, in the order of the file.
struct RunSeries {
    std::vector<StepRecord> steps;
};

// What counts as the run's curve: of each step the newest attempt that reached it; steps that an older attempt reached and a newer one
// started below are orphans, listed apart and drawn dimmed.
struct Branches {
    std::vector<StepRecord> live;
    std::vector<StepRecord> orphans;
};
Branches branches(const std::vector<StepRecord>& steps);

}  // namespace holo::model
