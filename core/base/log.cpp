#include "core/base/log.h"

#include <cstdio>
#include <mutex>

namespace holo {

namespace {

std::mutex s_mutex;

LogSink& sink()
{
    static LogSink s_sink = [](LogLevel level, std::string_view category, std::string_view message) {
        if (level >= LogLevel::Info)
            std::fprintf(stderr, "%.*s: %.*s\n", int(category.size()), category.data(), int(message.size()), message.data());
    };
    return s_sink;
}

}  // namespace

void setLogSink(LogSink newSink)
{
    const std::lock_guard lock(s_mutex);
    sink() = std::move(newSink);
}

void log(LogLevel level, std::string_view category, std::string_view message)
{
    const std::lock_guard lock(s_mutex);
    if (sink())
        sink()(level, category, message);
}

}  // namespace holo
