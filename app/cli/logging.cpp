#include "app/cli/logging.h"

#include <cstdlib>
#include <memory>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include "core/base/log.h"

namespace holo::cli {

namespace {

spdlog::level::level_enum spdlogLevel(LogLevel level)
{
    switch (level) {
    case LogLevel::Debug: return spdlog::level::debug;
    case LogLevel::Info: return spdlog::level::info;
    case LogLevel::Warning: return spdlog::level::warn;
    case LogLevel::Error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

}  // namespace

void startLogging(const std::string& level, bool quiet)
{
    const bool plain = std::getenv("NO_COLOR") != nullptr;
    const auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(plain ? spdlog::color_mode::never : spdlog::color_mode::automatic);
    const auto logger = std::make_shared<spdlog::logger>("holonomy", sink);
    logger->set_pattern("%^%l%$ %v");
    logger->set_level(quiet ? spdlog::level::err : spdlog::level::from_str(level));
    logger->flush_on(spdlog::level::trace);
    setLogSink([logger](LogLevel at, std::string_view category, std::string_view message) {
        logger->log(spdlogLevel(at), "{}: {}", category, message);
    });
}

}  // namespace holo::cli
