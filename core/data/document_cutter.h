#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/data/tokenizer.h"

namespace holo::data {

// Cuts documents that arrive in pieces where a tokenizer gives both sides the ids that they have in the whole document. What cannot be cut
// off yet waits for the next piece; a run without any place to cut is cut after 4 MiB, which is counted.
class DocumentCutter {
public:
    explicit DocumentCutter(const Tokenizer& tokenizer)
        : m_tokenizer(tokenizer)
    {
    }

    struct Segment {
        std::string text;
        bool continued = false;  // something of its document went before
    };
    // What of the document so far can be encoded by itself; may be empty. `ends` closes the document.
    Segment add(std::string_view text, bool ends);
    std::uint64_t forcedCuts() const { return m_forcedCuts; }

private:
    const Tokenizer& m_tokenizer;
    std::string m_rest;
    bool m_continued = false;
    std::uint64_t m_forcedCuts = 0;
};

}  // namespace holo::data
