#include "core/base/error.h"

namespace holo {

std::string_view className(int exitCode)
{
    switch (exitCode) {
    case 0: return "done";
    case 2: return "argument";
    case 3: return "input-malformed";
    case 4: return "input-unsupported";
    case 5: return "resource";
    case 6: return "busy";
    case 7: return "numeric-stop";
    case 8: return "partial";
    case 75: return "interrupted";
    default: return "internal";
    }
}

Error::Error(ErrorKind kind, const std::string& message, ErrorPlace place)
    : std::runtime_error(message)
    , m_kind(kind)
    , m_place(std::move(place))
{
}

Error Error::at(ErrorKind kind, ErrorPlace place)
{
    std::string message;
    if (!place.file.empty())
        message += place.file + ": ";
    message += place.field.empty() ? std::string("the value") : place.field;
    message += " is " + (place.found.empty() ? std::string("missing") : place.found);
    if (!place.allowed.empty())
        message += "; allowed: " + place.allowed;
    message += ".";
    return Error(kind, message, std::move(place));
}

}  // namespace holo
