#include "core/data/document_encoder.h"

namespace holo::data {

namespace {

constexpr std::size_t kLongestRest = 4u << 20;

}  // namespace

void DocumentEncoder::emit(std::string_view text, std::vector<std::uint32_t>& ids)
{
    if (text.empty())
        return;
    if (m_continued)
        m_tokenizer.encodeContinued(text, ids);
    else
        m_tokenizer.encode(text, ids);
    m_continued = true;
}

void DocumentEncoder::add(std::string_view text, bool ends, std::vector<std::uint32_t>& ids)
{
    m_rest += text;
    std::size_t ready = m_rest.size();
    if (!ends) {
        ready = m_tokenizer.stablePrefix(m_rest);
        if (m_rest.size() - ready > kLongestRest) {
            ready = m_rest.size() - 1;
            while (ready > 0 && (static_cast<unsigned char>(m_rest[ready]) & 0xC0u) == 0x80u)
                --ready;
            ++m_forcedCuts;
        }
    }
    emit(std::string_view(m_rest).substr(0, ready), ids);
    m_rest.erase(0, ready);
    if (ends)
        m_continued = false;
}

}  // namespace holo::data
