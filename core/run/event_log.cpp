#include "core/run/event_log.h"

#include <algorithm>
#include <chrono>
#include <fstream>

#include "core/base/error.h"
#include "core/run/run_directory.h"

namespace holo::run {

namespace fs = std::filesystem;

namespace {

double monotonicSeconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::int64_t highestAttempt(const fs::path& file)
{
    std::int64_t highest = 0;
    LineTail tail(file);
    for (auto lines = tail.poll(); !lines.empty(); lines = tail.poll())
        for (const std::string& line : lines) {
            if (line.find("\"attempt\"") == std::string::npos)
                continue;
            try {
                highest = std::max(highest, parseJson(line, file.string()).value("attempt", std::int64_t(0)));
            } catch (const Error&) {
                continue;  // a line that a dying writer broke
            } catch (const Json::exception&) {
                continue;
            }
        }
    return highest;
}

bool endsInMidLine(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in || in.tellg() == 0)
        return false;
    in.seekg(-1, std::ios::end);
    return in.get() != '\n';
}

}  // namespace

EventLog::EventLog(const fs::path& file, const Json& start)
    : m_begin(monotonicSeconds())
{
    std::error_code ec;
    if (fs::exists(file, ec))
        m_attempt = highestAttempt(file) + 1;
    const bool broken = endsInMidLine(file);
    m_file = AppendFile(file);
    if (broken)
        m_file.append("\n");
    Json row = {{"format", kFormat}, {"type", "start"}, {"attempt", m_attempt}};
    row.update(start);
    append(std::move(row));
}

void EventLog::append(Json row) { m_file.append(dumpLine(row) + "\n"); }

void EventLog::step(const Step& row)
{
    Json json = {{"type", "step"}, {"attempt", m_attempt}, {"step", row.step}, {"tokens", row.tokens}, {"t", number(monotonicSeconds() - m_begin)}, {"active", number(row.active)},
        {"loss", number(row.loss)}, {"grad_norm", number(row.gradNorm)}, {"lr", number(row.lr)}, {"tok_s", number(row.tokensPerSecond)}};
    if (!row.skipped.empty())
        json["skipped"] = row.skipped;
    append(std::move(json));
}

void EventLog::evaluation(const std::string& id, const std::string& protocol, std::int64_t step, std::int64_t tokens, const Json& result)
{
    Json json = {{"type", "eval"}, {"attempt", m_attempt}, {"step", step}, {"tokens", tokens}, {"t", number(monotonicSeconds() - m_begin)}, {"eval", id}, {"protocol", protocol}};
    json.update(result);
    append(std::move(json));
}

void EventLog::checkpoint(std::int64_t step, const std::string& folder, const std::string& sha256, double seconds)
{
    append({{"type", "checkpoint"}, {"attempt", m_attempt}, {"step", step}, {"t", number(monotonicSeconds() - m_begin)}, {"folder", folder}, {"sha256", sha256}, {"seconds", number(seconds)}});
    m_file.sync();
}

void EventLog::note(const std::string& text, std::int64_t step)
{
    append({{"type", "note"}, {"attempt", m_attempt}, {"step", step}, {"t", number(monotonicSeconds() - m_begin)}, {"text", text}});
}

}  // namespace holo::run
