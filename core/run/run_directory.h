#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

// The run directory: names, records and states that both processes agree on. The engine writes it, everybody reads it.
//
//   run.json                       fully resolved spec, argv, build, devices, data hash, seed
//   events.jsonl                   append-only, one object a line
//   heartbeat.json exit.json control.json worker.log
//   checkpoints/step-N/            model.safetensors optimizer.safetensors state.json manifest.json
//   evals/<eval-id>/               summary.json trials.jsonl
namespace holo::run {

namespace fs = std::filesystem;

inline constexpr int kFormat = 1;

// State of a run, derived from its files and the process that the heartbeat names; never from memory of what we asked for.
enum class RunState { Waiting, Running, Paused, Done, Interrupted, Failed };
std::string_view stateName(RunState state);  // "waiting", "running", "paused", "done", "interrupted", "failed"

struct Heartbeat {
    std::int64_t pid = 0;
    std::int64_t processStart = 0;  // field 22 of /proc/PID/stat: tells a recycled pid apart
    std::string host;
    double unixTime = 0;  // seconds
    std::int64_t step = 0;
    bool paused = false;
};

struct Exit {
    int code = 0;
    std::string className;
    std::string message;
    std::int64_t step = 0;
    std::int64_t tokens = 0;
};

// A folder below checkpoints/ whose manifest names every file with size and SHA-256.
struct CheckpointEntry {
    std::int64_t step = 0;
    fs::path folder;
};

class RunDirectory {
public:
    explicit RunDirectory(fs::path folder)
        : m_folder(std::move(folder))
    {
    }

    const fs::path& folder() const { return m_folder; }
    std::string id() const { return m_folder.filename().string(); }
    fs::path runFile() const { return m_folder / "run.json"; }
    fs::path eventsFile() const { return m_folder / "events.jsonl"; }
    fs::path heartbeatFile() const { return m_folder / "heartbeat.json"; }
    fs::path exitFile() const { return m_folder / "exit.json"; }
    fs::path controlFile() const { return m_folder / "control.json"; }
    fs::path logFile() const { return m_folder / "worker.log"; }
    fs::path checkpointsFolder() const { return m_folder / "checkpoints"; }
    fs::path evalsFolder() const { return m_folder / "evals"; }

    Json readRun() const;  // throws Error (malformed)
    std::optional<Heartbeat> readHeartbeat() const;
    std::optional<Exit> readExit() const;
    void writeHeartbeat(const Heartbeat& heartbeat) const;
    void writeExit(const Exit& exit) const;

    // From files and pid. A run whose process is gone without exit.json is interrupted. On another host the heartbeat's age decides.
    RunState state() const;

    // Complete checkpoints by rising step. Sizes are always checked; with `verifyHashes` the SHA-256 too.
    // `skipped` (if given) receives one sentence for each incomplete folder.
    std::vector<CheckpointEntry> checkpoints(bool verifyHashes = false, std::vector<std::string>* skipped = nullptr) const;
    std::optional<CheckpointEntry> newestCheckpoint(bool verifyHashes = false, std::vector<std::string>* skipped = nullptr) const;

private:
    fs::path m_folder;
};

// True if `folder` holds a manifest.json and every file of it with the right size (and hash); otherwise `why` says what is missing.
bool isCompleteCheckpoint(const fs::path& folder, bool verifyHashes, std::string* why = nullptr);

// Heartbeat of this process.
Heartbeat ownHeartbeat(std::int64_t step, bool paused);
bool isAlive(const Heartbeat& heartbeat);

// Reads lines of a growing file by offset; a half line at the end stays for the next call.
class LineTail {
public:
    explicit LineTail(fs::path file, std::uint64_t offset = 0)
        : m_file(std::move(file))
        , m_offset(offset)
    {
    }
    // New whole lines since the last call (at most `maxBytes` of them). A file that became shorter is read from its start again
    // and `restarted()` turns true.
    std::vector<std::string> poll(std::size_t maxBytes = 8u << 20);
    std::uint64_t offset() const { return m_offset; }
    bool restarted() const { return m_restarted; }

private:
    fs::path m_file;
    std::uint64_t m_offset = 0;
    bool m_restarted = false;
};

}  // namespace holo::run
