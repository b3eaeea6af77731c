#pragma once

#include "core/base/json.h"

namespace holo {

// The member `key` of an object, or `fallback` where it is missing or of another type: for files that other builds have written.
template <class T>
T valueOr(const Json& object, const char* key, T fallback)
{
    const auto it = object.find(key);
    if (it == object.end())
        return fallback;
    try {
        return it->template get<T>();
    } catch (const Json::exception&) {
        return fallback;
    }
}

}  // namespace holo
