#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace holo {

// What went wrong, as a script sees it. The values are the exit codes of every command.
enum class ErrorKind {
    Internal = 1,      // a failure of ours that no other kind describes
    Usage = 2,         // unknown key, bad value, missing argument, no display
    Malformed = 3,     // an input is broken, cut, contradictory, hostile, missing or unreadable
    Unsupported = 4,   // well formed, but not something we do
    Resource = 5,      // disk, memory or GPU memory exhausted
    Busy = 6,          // the project has another writer
    Numeric = 7,       // non-finite or diverged
    Partial = 8,       // some jobs of a batch failed, the others are done
    Interrupted = 75,  // stopped by a signal after a checkpoint; resumable
};

// Name of an exit code in exit.json and in --json documents: "done" for 0, "argument" for 2, …
std::string_view className(int exitCode);
inline int exitCode(ErrorKind kind) { return static_cast<int>(kind); }

// Where a problem lies. Empty members are left out of messages and documents.
struct ErrorPlace {
    std::string file;     // file or run
    std::string field;    // path of the field, "train.steps"
    std::string found;    // value found
    std::string allowed;  // values allowed
};

// The one exception of core and kernels. The message is one sentence for a person; the place repeats its parts for machines.
class Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& message, ErrorPlace place = {});

    // Sentence made of the place: "FILE: FIELD is FOUND; allowed: ALLOWED."
    static Error at(ErrorKind kind, ErrorPlace place);

    ErrorKind kind() const { return m_kind; }
    const ErrorPlace& place() const { return m_place; }

private:
    ErrorKind m_kind;
    ErrorPlace m_place;
};

}  // namespace holo
