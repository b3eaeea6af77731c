#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holo {

// Numbers as text, in every locale alike. parse… return nothing unless the whole text is one number.
std::optional<double> parseDouble(std::string_view text);
std::optional<std::int64_t> parseInt(std::string_view text);
std::string formatDouble(double value);                 // shortest text that round-trips; nan, inf, -inf
std::string formatFixed(double value, int decimals);    // for people

// The nearest of `names` by edit distance, if it is near enough to be a plausible slip.
std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string>& names);

// "…, did you mean "x"?" or the list of all names where none is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& names);

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view trimmed(std::string_view text);

// True if `text` is well-formed UTF-8; otherwise `offset` (if given) is the first broken byte.
bool isUtf8(std::string_view text, std::size_t* offset = nullptr);

}  // namespace holo
