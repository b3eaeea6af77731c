#pragma once

#include <exception>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"

namespace holo::cli {

// Any exception as an Error: what LibTorch and the standard library throw is sorted by kind here and nowhere else.
Error asError(std::exception_ptr exception);

// {"error": {class, code, message, file, field, found, allowed}}; parts that are not known are null.
Json errorDocument(const Error& error);

}  // namespace holo::cli
