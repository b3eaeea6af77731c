#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tokenizer.h"

namespace holo::data {

// Encodes documents that arrive in pieces, with the ids that the whole document would get. What a tokenizer cannot decide yet waits for the
// next piece; a run without any place to cut is cut after 4 MiB, which is counted.
class DocumentEncoder {
public:
    explicit DocumentEncoder(const Tokenizer& tokenizer)
        : m_tokenizer(tokenizer)
    {
    }

    // Appends to `ids`; `ends` closes the document.
    void add(std::string_view text, bool ends, std::vector<std::uint32_t>& ids);
    std::uint64_t forcedCuts() const { return m_forcedCuts; }

private:
    void emit(std::string_view text, std::vector<std::uint32_t>& ids);

    const Tokenizer& m_tokenizer;
    std::string m_rest;
    bool m_continued = false;
    std::uint64_t m_forcedCuts = 0;
};

}  // namespace holo::data
