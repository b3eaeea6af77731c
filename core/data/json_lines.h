#pragma once

#include <cstdint>
#include <string>

#include "core/data/utf8_stream.h"

namespace holo::data {

// One string field of each object of a JSON Lines file. A line is parsed as it streams in and never held as a whole, only the strings in it.
class JsonLines {
public:
    JsonLines(Utf8Stream& stream, std::string field);

    // Moves the field of the next line that is not blank into `text`; false at the end of the file.
    // Throws Error (malformed) that names file, line and what is wrong.
    bool next(std::string& text);

private:
    friend class LineIterator;
    bool atEnd();       // of the file
    bool atLineEnd();   // of the line or the file
    char current() const { return m_block[m_place]; }

    Utf8Stream& m_stream;
    std::string m_field;
    std::string m_block;
    std::size_t m_place = 0;
    std::uint64_t m_line = 0;
};

}  // namespace holo::data
