#pragma once

#include <functional>

#include "core/base/error.h"

namespace holo::test {

// The kind of Error that `action` throws; Internal where it throws none.
inline ErrorKind kindOf(const std::function<void()>& action)
{
    try {
        action();
    } catch (const Error& e) {
        return e.kind();
    }
    return ErrorKind::Internal;
}

}  // namespace holo::test
