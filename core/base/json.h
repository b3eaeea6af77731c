#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace holo {

// Keys keep the order in which they were written, so that files are readable and byte-stable.
using Json = nlohmann::ordered_json;

struct JsonLimits {
    std::size_t bytes = 64u << 20;
    int depth = 64;
};

// Strict: UTF-8, no comments, no duplicate keys, bounded size and depth.
// Throws Error (malformed) that names `source` and the byte offset.
Json parseJson(std::string_view text, const std::string& source, JsonLimits limits = {});

// Throws Error (malformed) also when the file is missing or unreadable.
Json readJsonFile(const std::filesystem::path& file, JsonLimits limits = {});

// A float as JSON: the shortest text that round-trips, non-finite values as the strings "nan", "inf", "-inf".
Json number(double value);
// Inverse of number(): accepts numbers and the three strings; throws Error (malformed) that names `field`.
double toDouble(const Json& value, const std::string& field);

// Compact on one line (events) or indented by two blanks with a final newline (files). Never depends on the locale.
std::string dumpLine(const Json& value);
std::string dumpPretty(const Json& value);

}  // namespace holo
