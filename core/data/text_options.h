#pragma once

#include <string>

namespace holo::data {

enum class LineEnds { Keep, Normalize };       // Normalize: CR LF becomes LF
enum class InvalidBytes { Refuse, Replace };   // Replace: U+FFFD for each broken sequence, counted

struct TextOptions {
    LineEnds lineEnds = LineEnds::Keep;
    InvalidBytes invalidBytes = InvalidBytes::Refuse;
    std::string jsonField = "text";  // of the objects of a JSON Lines file
};

}  // namespace holo::data
