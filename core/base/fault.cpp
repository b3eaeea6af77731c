#include "core/base/fault.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace holo::fault {

namespace {

struct Hook {
    std::string point;
    std::string action;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::uint64_t seed = 0;
    std::int64_t visits = 0;
};

template <class T>
T parse(std::string_view text)
{
    T value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::vector<Hook> readHooks()
{
    std::vector<Hook> hooks;
    const char* environment = std::getenv("HOLONOMY_FAULT");
    std::string_view rest = environment ? environment : "";
    while (!rest.empty()) {
        const auto end = rest.find(';');
        const std::string_view spec = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        const auto colon = spec.find(':');
        const auto atSign = spec.find('@');
        if (colon == std::string_view::npos || atSign == std::string_view::npos || atSign < colon) {
            std::fprintf(stderr, "HOLONOMY_FAULT: \"%.*s\" is not POINT:ACTION@N\n", int(spec.size()), spec.data());
            continue;
        }
        Hook hook;
        hook.point = spec.substr(0, colon);
        hook.action = spec.substr(colon + 1, atSign - colon - 1);
        std::string_view range = spec.substr(atSign + 1);
        const auto comma = range.find(',');
        if (comma != std::string_view::npos) {
            const std::string_view option = range.substr(comma + 1);
            if (option.starts_with("seed="))
                hook.seed = parse<std::uint64_t>(option.substr(5));
            range = range.substr(0, comma);
        }
        const auto dash = range.find('-');
        hook.first = parse<std::int64_t>(range.substr(0, dash));
        hook.last = dash == std::string_view::npos ? hook.first : parse<std::int64_t>(range.substr(dash + 1));
        hooks.push_back(hook);
    }
    return hooks;
}

std::mutex s_mutex;

std::vector<Hook>& hooks()
{
    static std::vector<Hook> list = readHooks();
    return list;
}

bool report(const Hook& hook, std::int64_t number)
{
    std::fprintf(stderr, "fault hook met: %s:%s@%lld\n", hook.point.c_str(), hook.action.c_str(), static_cast<long long>(number));
    std::fflush(stderr);
    return true;
}

}  // namespace

bool hit(std::string_view point, std::string_view action)
{
    const std::lock_guard lock(s_mutex);
    for (Hook& hook : hooks()) {
        if (hook.point != point || hook.action != action)
            continue;
        ++hook.visits;
        if (hook.visits >= hook.first && hook.visits <= hook.last)
            return report(hook, hook.visits);
    }
    return false;
}

bool at(std::string_view point, std::string_view action, std::int64_t number)
{
    const std::lock_guard lock(s_mutex);
    for (const Hook& hook : hooks())
        if (hook.point == point && hook.action == action && number >= hook.first && number <= hook.last)
            return report(hook, number);
    return false;
}

std::uint64_t seed(std::string_view point, std::string_view action)
{
    const std::lock_guard lock(s_mutex);
    for (const Hook& hook : hooks())
        if (hook.point == point && hook.action == action)
            return hook.seed;
    return 0;
}

}  // namespace holo::fault
