#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace holo::run {

// A program of ours run as a child in its own process group: a Ctrl-C in the terminal reaches the parent alone, which passes it on. The
// kernel kills the child when the parent dies, however that happens. Output goes to the end of a log file.
class ChildProcess {
public:
    // Throws Error (resource) if no process can be made or the log cannot be opened. Has to be called from the thread that lives as long as
    // the child shall.
    ChildProcess(const std::vector<std::string>& command, const std::filesystem::path& logFile);
    ~ChildProcess();  // kills what is still running and waits for it
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;

    pid_t pid() const { return m_pid; }
    // Exit code once the child has ended; a death by signal is 128 + its number. Never waits.
    std::optional<int> poll();
    void signal(int number) const;

private:
    pid_t m_pid = -1;
    std::optional<int> m_code;
};

}  // namespace holo::run
