#include "core/data/text_reader.h"

#include "core/base/input_file.h"
#include "core/data/json_lines.h"
#include "core/data/utf8_stream.h"

namespace holo::data {

namespace {

// Length of the longest start of `text` that has at most `limit` bytes and ends between characters.
std::size_t characterCut(std::string_view text, std::size_t limit)
{
    if (text.size() <= limit)
        return text.size();
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0u) == 0x80u)
        --limit;
    return limit;
}

void normalizeLineEnds(std::string& text)
{
    std::size_t out = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n')
            text[out++] = text[i];
    text.resize(out);
}

}  // namespace

class TextReader::Lines : public JsonLines {
public:
    using JsonLines::JsonLines;
};

TextReader::TextReader(TextSources sources, TextOptions options)
    : m_sources(std::move(sources))
    , m_options(std::move(options))
{
    for (const TextSource& source : m_sources.files)
        m_totalBytes += InputFile(source.file).size();
}

TextReader::~TextReader() = default;

std::uint64_t TextReader::bytes() const { return m_doneBytes + (m_stream ? m_stream->bytes() : 0); }

bool TextReader::nextSource()
{
    if (m_nextSource == m_sources.files.size())
        return false;
    const TextSource& source = m_sources.files[m_nextSource++];
    m_stream = std::make_unique<Utf8Stream>(source.file, source.isJsonLines ? LineEnds::Keep : m_options.lineEnds, m_options.invalidBytes);
    if (source.isJsonLines)
        m_lines = std::make_unique<Lines>(*m_stream, m_options.jsonField);
    return true;
}

void TextReader::finishSource()
{
    m_doneBytes += m_stream->bytes();
    m_replaced += m_stream->replaced();
    m_lines.reset();
    m_stream.reset();
    m_text.clear();
    m_given = 0;
}

bool TextReader::next(TextPiece& piece)
{
    while (m_stream || nextSource()) {
        piece.source = &m_sources.files[m_nextSource - 1].name;
        if (m_lines ? nextLine(piece) : nextPlain(piece)) {
            piece.begins = !m_inDocument;
            m_inDocument = !piece.ends;
            m_documents += piece.begins;
            return true;
        }
        finishSource();
    }
    return false;
}

bool TextReader::nextPlain(TextPiece& piece)
{
    m_text.erase(0, m_given);
    m_given = 0;
    // One byte more than a piece tells whether this one is the last.
    m_stream->fill(m_text, kPieceBytes + 1);
    if (m_text.empty())
        return false;
    m_given = characterCut(m_text, kPieceBytes);
    piece.text = std::string_view(m_text).substr(0, m_given);
    piece.ends = m_given == m_text.size();
    return true;
}

bool TextReader::nextLine(TextPiece& piece)
{
    while (m_given == m_text.size()) {
        m_given = 0;
        if (!m_lines->next(m_text))
            return false;
        if (m_options.lineEnds == LineEnds::Normalize)
            normalizeLineEnds(m_text);
    }
    const std::string_view rest = std::string_view(m_text).substr(m_given);
    piece.text = rest.substr(0, characterCut(rest, kPieceBytes));
    m_given += piece.text.size();
    piece.ends = m_given == m_text.size();
    return true;
}

}  // namespace holo::data
