#include "core/data/document_cutter.h"

namespace holo::data {

namespace {

constexpr std::size_t kLongestRest = 4u << 20;

}  // namespace

DocumentCutter::Segment DocumentCutter::add(std::string_view text, bool ends)
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
    Segment segment{{}, m_continued};
    std::string rest = m_rest.substr(ready);
    m_rest.resize(ready);
    segment.text = std::move(m_rest);
    m_rest = std::move(rest);
    m_continued = !ends && (m_continued || !segment.text.empty());
    return segment;
}

}  // namespace holo::data
