#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace holo {

enum class LogLevel { Debug, Info, Warning, Error };

// One replaceable sink for the whole process. Logs are for people; nothing parses them.
using LogSink = std::function<void(LogLevel, std::string_view category, std::string_view message)>;

// Default sink: "category: message" on standard error from Info upwards. May be called from any thread.
void setLogSink(LogSink sink);
void log(LogLevel level, std::string_view category, std::string_view message);

inline void logInfo(std::string_view category, std::string_view message) { log(LogLevel::Info, category, message); }
inline void logWarning(std::string_view category, std::string_view message) { log(LogLevel::Warning, category, message); }

}  // namespace holo
