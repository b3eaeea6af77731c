#include "core/run/machine.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include <sched.h>
#include <unistd.h>

#include "core/base/text.h"

namespace holo::run {

int availableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return std::max(1, CPU_COUNT(&set));
}

std::string cpuName()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(':'); colon != std::string::npos)
                return std::string(trimmed(std::string_view(line).substr(colon + 1)));
    return "unknown";
}

std::string hostName()
{
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return host.data();
}

int threadsFor(int asked) { return asked <= 0 ? availableCores() : std::min(asked, availableCores()); }

std::vector<std::string> openMpLibraries()
{
    std::set<std::string> found;
    std::ifstream in("/proc/self/maps");
    for (std::string line; std::getline(in, line);) {
        const auto slash = line.rfind('/');
        if (slash == std::string::npos)
            continue;
        const std::string name = line.substr(slash + 1);
        if (name.starts_with("libgomp") || name.starts_with("libiomp") || name.starts_with("libomp"))
            found.insert(line.substr(line.find('/')));
    }
    return {found.begin(), found.end()};
}

}  // namespace holo::run
