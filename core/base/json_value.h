#pragma once

#include <span>

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

// A list of number(); non-finite ones as their strings.
inline Json numbers(std::span<const double> values)
{
    Json list = Json::array();
    for (const double value : values)
        list.push_back(number(value));
    return list;
}

}  // namespace holo
