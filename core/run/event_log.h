#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/files.h"
#include "core/base/json.h"

namespace holo::run {

// Writer of events.jsonl. Opening it makes a new attempt: its number is one above the highest in the file, a line that a dead attempt left
// unfinished is closed, and a "start" line follows. Rows of earlier attempts stay; readers take a step's row from the latest attempt.
class EventLog {
public:
    // `start` are the fields of the "start" line beside format, type and attempt.
    EventLog(const std::filesystem::path& file, const Json& start);

    std::int64_t attempt() const { return m_attempt; }

    struct Step {
        std::int64_t step = 0;
        std::int64_t tokens = 0;
        double loss = 0;
        double gradNorm = 0;
        double lr = 0;
        double active = 0;        // seconds of training, all attempts together, without pauses and evaluations
        double tokensPerSecond = 0;
        std::string skipped;      // why the step changed nothing; empty: it was applied
    };
    void step(const Step& row);
    void evaluation(const std::string& id, const std::string& protocol, std::int64_t step, std::int64_t tokens, const Json& result);
    void checkpoint(std::int64_t step, const std::string& folder, const std::string& sha256, double seconds);
    void note(const std::string& text, std::int64_t step);
    void sync() { m_file.sync(); }

private:
    void append(Json row);

    AppendFile m_file;
    std::int64_t m_attempt = 1;
    double m_begin = 0;
};

}  // namespace holo::run
