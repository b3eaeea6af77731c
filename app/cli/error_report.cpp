#include "app/cli/error_report.h"

#include <filesystem>
#include <new>
#include <stdexcept>

namespace holo::cli {

namespace {

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

bool isOutOfMemory(const std::string& message)
{
    return message.find("out of memory") != std::string::npos || message.find("can't allocate memory") != std::string::npos;
}

}  // namespace

Error asError(std::exception_ptr exception)
{
    try {
        std::rethrow_exception(exception);
    } catch (const Error& e) {
        return e;
    } catch (const std::bad_alloc&) {
        return Error(ErrorKind::Resource, "The memory of this machine is exhausted; a smaller batch, context or model needs less.", {"", "memory", "exhausted", "more memory"});
    } catch (const std::filesystem::filesystem_error& e) {
        return Error(ErrorKind::Resource, std::string(e.path1().string()) + ": " + e.code().message() + ".", {e.path1().string(), "", e.code().message(), ""});
    } catch (const std::exception& e) {
        const std::string message = firstLine(e.what());
        // LibTorch's errors share no base class but this one, and its allocator says so in words only.
        if (isOutOfMemory(message))
            return Error(ErrorKind::Resource, "The memory of the device is exhausted: " + message, {"", "memory", message, "a smaller batch, context or model"});
        return Error(ErrorKind::Internal, message.empty() ? "Something failed without saying what." : message);
    } catch (...) {
        return Error(ErrorKind::Internal, "Something failed without saying what.");
    }
}

Json errorDocument(const Error& error)
{
    const auto part = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    const ErrorPlace& place = error.place();
    const int code = exitCode(error.kind());
    return {{"error",
             {{"class", className(code)},
              {"code", code},
              {"message", error.what()},
              {"file", part(place.file)},
              {"field", part(place.field)},
              {"found", part(place.found)},
              {"allowed", part(place.allowed)}}}};
}

}  // namespace holo::cli
