#include "app/cli/output.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "core/base/error.h"

namespace holo::cli {

void writeOutput(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE)
            return;
        if (n < 0)
            throw Error(ErrorKind::Resource, std::string("standard output: cannot be written (") + std::strerror(errno) + ").", {"standard output", "", std::strerror(errno), ""});
        text.remove_prefix(std::size_t(n));
    }
}

void writeError(std::string_view sentence)
{
    std::string line(sentence);
    line += '\n';
    for (std::string_view rest = line; !rest.empty();) {
        const ssize_t n = ::write(STDERR_FILENO, rest.data(), rest.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return;  // nobody is left to be told
        rest.remove_prefix(std::size_t(n));
    }
}

}  // namespace holo::cli
