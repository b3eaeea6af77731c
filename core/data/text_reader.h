#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/text_options.h"
#include "core/data/text_sources.h"

namespace holo::data {

// A part of a document, at most 1 MiB, cut between characters. Valid until the next call of TextReader::next.
struct TextPiece {
    std::string_view text;
    bool begins = false;  // first piece of its document
    bool ends = false;    // last piece of its document
    const std::string* source = nullptr;
};

// Documents of the sources in order, piece by piece, in memory bounded by a few MiB (plain text: one document a file) or by a few times the
// longest line (JSON Lines: one document a line, blank lines skipped). The cuts depend on the text alone. Documents without text are skipped.
// Throws Error as Utf8Stream does, and (malformed) with the line number for a line that is not an object with a string in the field asked for.
class TextReader {
public:
    static constexpr std::size_t kPieceBytes = 1u << 20;

    TextReader(TextSources sources, TextOptions options);
    ~TextReader();

    bool next(TextPiece& piece);  // false after the last piece

    std::uint64_t documents() const { return m_documents; }
    std::uint64_t bytes() const;           // of the sources, read so far
    std::uint64_t totalBytes() const { return m_totalBytes; }
    std::uint64_t replacedBytes() const { return m_replaced; }
    const std::vector<std::string>& notes() const { return m_sources.notes; }

private:
    class Lines;

    bool nextSource();
    bool nextPlain(TextPiece& piece);
    bool nextLine(TextPiece& piece);
    void finishSource();

    TextSources m_sources;
    TextOptions m_options;
    std::size_t m_nextSource = 0;
    std::unique_ptr<class Utf8Stream> m_stream;
    std::unique_ptr<Lines> m_lines;
    std::string m_text;        // text not given out yet, behind m_given
    std::size_t m_given = 0;
    bool m_inDocument = false;
    std::uint64_t m_documents = 0;
    std::uint64_t m_doneBytes = 0;
    std::uint64_t m_totalBytes = 0;
    std::uint64_t m_replaced = 0;
};

}  // namespace holo::data
