#include "core/run/run_directory.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_value.h"
#include "core/base/text.h"

namespace holo::run {

namespace {

constexpr double kStaleSeconds = 60;  // a remote run that has not written for this long counts as interrupted

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string hostName()
{
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return host.data();
}

std::int64_t processStartTime(std::int64_t pid)
{
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    const auto nameEnd = text.rfind(')');  // the command name may hold blanks
    if (nameEnd == std::string::npos)
        return 0;
    const auto fields = split(trimmed(std::string_view(text).substr(nameEnd + 1)), ' ');
    if (fields.size() < 20 || fields[0] == "Z")
        return 0;
    return parseInt(fields[19]).value_or(0);
}

std::optional<Json> tryRead(const fs::path& file)
{
    std::error_code ec;
    if (!fs::exists(file, ec))
        return std::nullopt;
    try {
        return readJsonFile(file);
    } catch (const Error&) {
        return std::nullopt;  // half a file of a writer that died is the same as none
    }
}

}  // namespace

std::string_view stateName(RunState state)
{
    switch (state) {
    case RunState::Waiting: return "waiting";
    case RunState::Running: return "running";
    case RunState::Paused: return "paused";
    case RunState::Done: return "done";
    case RunState::Interrupted: return "interrupted";
    case RunState::Failed: return "failed";
    }
    return "waiting";
}

Json RunDirectory::readRun() const { return readJsonFile(runFile()); }

std::optional<Heartbeat> RunDirectory::readHeartbeat() const
{
    const auto json = tryRead(heartbeatFile());
    if (!json || !json->is_object())
        return std::nullopt;
    Heartbeat h;
    h.pid = valueOr<std::int64_t>(*json, "pid", 0);
    h.processStart = valueOr<std::int64_t>(*json, "process_start", 0);
    h.host = valueOr<std::string>(*json, "host", "");
    h.unixTime = valueOr<double>(*json, "time", 0);
    h.step = valueOr<std::int64_t>(*json, "step", 0);
    h.paused = valueOr<bool>(*json, "paused", false);
    return h;
}

std::optional<Exit> RunDirectory::readExit() const
{
    const auto json = tryRead(exitFile());
    if (!json || !json->is_object())
        return std::nullopt;
    Exit e;
    e.code = valueOr<int>(*json, "code", 1);
    e.className = valueOr<std::string>(*json, "class", "internal");
    e.message = valueOr<std::string>(*json, "message", "");
    e.step = valueOr<std::int64_t>(*json, "step", 0);
    e.tokens = valueOr<std::int64_t>(*json, "tokens", 0);
    return e;
}

void RunDirectory::writeHeartbeat(const Heartbeat& h) const
{
    // Not synced: a heartbeat lost with the machine is as good as an old one.
    const Json json = {{"pid", h.pid}, {"process_start", h.processStart}, {"host", h.host}, {"time", h.unixTime}, {"step", h.step}, {"paused", h.paused}};
    const fs::path temporary = m_folder / ".heartbeat.json.new";
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out << dumpLine(json) << '\n';
        if (!out.flush())
            throw Error(ErrorKind::Resource, temporary.string() + ": cannot be written.", {temporary.string(), "", "", ""});
    }
    fs::rename(temporary, heartbeatFile());
}

void RunDirectory::writeExit(const Exit& e) const
{
    writeFileAtomic(exitFile(), dumpPretty({{"code", e.code}, {"class", e.className}, {"message", e.message}, {"step", e.step}, {"tokens", e.tokens}}));
}

RunState RunDirectory::state() const
{
    const auto heartbeat = readHeartbeat();
    if (heartbeat && isAlive(*heartbeat))
        return heartbeat->paused ? RunState::Paused : RunState::Running;
    if (const auto exit = readExit()) {
        if (exit->code == 0)
            return RunState::Done;
        return exit->code == 75 ? RunState::Interrupted : RunState::Failed;
    }
    return heartbeat ? RunState::Interrupted : RunState::Waiting;
}

std::vector<CheckpointEntry> RunDirectory::checkpoints(bool verifyHashes, std::vector<std::string>* skipped) const
{
    std::vector<CheckpointEntry> entries;
    std::error_code ec;
    for (const auto& item : fs::directory_iterator(checkpointsFolder(), ec)) {
        const std::string name = item.path().filename().string();
        if (!name.starts_with("step-"))
            continue;
        const auto step = parseInt(std::string_view(name).substr(5));
        if (!step)
            continue;
        std::string why;
        if (isCompleteCheckpoint(item.path(), verifyHashes, &why))
            entries.push_back({*step, item.path()});
        else if (skipped)
            skipped->push_back("checkpoints/" + name + " is incomplete (" + why + ")");
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    return entries;
}

std::optional<CheckpointEntry> RunDirectory::newestCheckpoint(bool verifyHashes, std::vector<std::string>* skipped) const
{
    auto entries = checkpoints(false, skipped);
    while (!entries.empty()) {
        std::string why;
        if (!verifyHashes || isCompleteCheckpoint(entries.back().folder, true, &why))
            return entries.back();
        if (skipped)
            skipped->push_back("checkpoints/" + entries.back().folder.filename().string() + " is damaged (" + why + ")");
        entries.pop_back();
    }
    return std::nullopt;
}

bool isCompleteCheckpoint(const fs::path& folder, bool verifyHashes, std::string* why)
{
    const auto fail = [&](const std::string& text) {
        if (why)
            *why = text;
        return false;
    };
    const auto manifest = tryRead(folder / "manifest.json");
    if (!manifest || !manifest->is_object() || !manifest->contains("files") || !manifest->at("files").is_object())
        return fail("no readable manifest.json");
    for (const auto& [name, entry] : manifest->at("files").items()) {
        const fs::path file = folder / name;
        std::error_code ec;
        const auto size = fs::file_size(file, ec);
        if (ec)
            return fail(name + " is missing");
        const auto expected = valueOr<std::uint64_t>(entry, "bytes", 0);
        if (size != expected)
            return fail(name + " has " + std::to_string(size) + " bytes of " + std::to_string(expected));
        if (verifyHashes && sha256OfFile(file) != valueOr<std::string>(entry, "sha256", ""))
            return fail(name + " does not match its SHA-256");
    }
    return true;
}

Heartbeat ownHeartbeat(std::int64_t step, bool paused)
{
    static const std::string host = hostName();
    const std::int64_t pid = ::getpid();
    return {pid, processStartTime(pid), host, now(), step, paused};
}

bool isAlive(const Heartbeat& heartbeat)
{
    if (heartbeat.pid <= 0)
        return false;
    if (heartbeat.host != hostName())
        return now() - heartbeat.unixTime < kStaleSeconds;
    return processStartTime(heartbeat.pid) == heartbeat.processStart && heartbeat.processStart != 0;
}

std::vector<std::string> LineTail::poll(std::size_t maxBytes)
{
    std::vector<std::string> lines;
    m_restarted = false;
    std::ifstream in(m_file, std::ios::binary | std::ios::ate);
    if (!in)
        return lines;
    const auto size = static_cast<std::uint64_t>(in.tellg());
    if (size < m_offset) {
        m_offset = 0;
        m_restarted = true;
    }
    std::string buffer(std::min<std::uint64_t>(size - m_offset, maxBytes), '\0');
    in.seekg(static_cast<std::streamoff>(m_offset));
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    buffer.resize(static_cast<std::size_t>(in.gcount()));
    std::size_t begin = 0;
    for (std::size_t end; (end = buffer.find('\n', begin)) != std::string::npos; begin = end + 1)
        lines.push_back(buffer.substr(begin, end - begin));
    m_offset += begin;
    return lines;
}

}  // namespace holo::run
