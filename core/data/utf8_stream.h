#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/input_file.h"
#include "core/data/text_options.h"

namespace holo::data {

// Text of a file, block by block, as valid UTF-8. A byte order mark is dropped, NUL is kept.
// Throws Error: (malformed) with the offset of an invalid byte unless replacing was asked for, (unsupported) for UTF-16, UTF-32
// and for compressed or columnar files, by name.
class Utf8Stream {
public:
    Utf8Stream(const std::filesystem::path& file, LineEnds lineEnds, InvalidBytes invalidBytes);

    // Appends to `text` until it holds at least `wanted` bytes or the file has ended. False if the file has ended.
    bool fill(std::string& text, std::size_t wanted);

    std::uint64_t bytes() const { return m_position; }   // read so far
    std::uint64_t replaced() const { return m_replaced; }
    const InputFile& file() const { return m_file; }

private:
    void inspectStart();
    void decode(std::string& text);

    InputFile m_file;
    LineEnds m_lineEnds;
    InvalidBytes m_invalidBytes;
    std::uint64_t m_position = 0;
    std::uint64_t m_replaced = 0;
    std::string m_pending;       // bytes read, not decoded yet: at most one unfinished character between blocks
    bool m_heldReturn = false;   // a CR whose follower has not been seen
};

// True if the first block of a file looks like something other than text (many control bytes, broken UTF-8 with NULs).
bool looksBinary(const InputFile& file);

}  // namespace holo::data
