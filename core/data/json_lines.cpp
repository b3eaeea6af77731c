#include "core/data/json_lines.h"

#include <iterator>

#include "core/base/error.h"
#include "core/base/json.h"

namespace holo::data {

namespace {

constexpr std::size_t kBlockBytes = 1u << 16;
constexpr int kMaxDepth = 64;

// Takes one string field of the outermost object and checks the rest.
class FieldSax {
public:
    FieldSax(std::string& text, const std::string& field, const std::string& file, std::uint64_t line)
        : m_text(text)
        , m_field(field)
        , m_file(file)
        , m_line(line)
    {
    }

    bool null() { return other("null"); }
    bool boolean(bool) { return other("true or false"); }
    bool number_integer(std::int64_t) { return other("a number"); }
    bool number_unsigned(std::uint64_t) { return other("a number"); }
    bool number_float(double, const std::string&) { return other("a number"); }
    bool binary(Json::binary_t&) { return other("binary"); }
    bool string(std::string& value)
    {
        if (!m_isField)
            return other("a string");
        m_text = std::move(value);
        m_isField = false;
        m_found = true;
        return true;
    }
    bool start_object(std::size_t)
    {
        if (m_depth > 0)
            other("an object");
        return enter();
    }
    bool key(std::string& name)
    {
        if (m_depth != 1)
            return true;
        m_isField = name == m_field;
        if (m_isField && m_found)
            fail("field \"" + m_field + "\"", "there twice", "once");
        return true;
    }
    bool end_object() { return leave(); }
    bool start_array(std::size_t)
    {
        other("a list");
        return enter();
    }
    bool end_array() { return leave(); }
    bool parse_error(std::size_t position, const std::string&, const Json::exception&)
    {
        throw Error(ErrorKind::Malformed, m_file + ": line " + std::to_string(m_line) + " is not valid JSON at byte " + std::to_string(position) + ".",
                    {m_file, "line " + std::to_string(m_line), "broken JSON", "one JSON object a line"});
    }
    void finish() const
    {
        if (!m_found)
            fail("field \"" + m_field + "\"", "missing", "a string");
    }

private:
    [[noreturn]] void fail(const std::string& field, const std::string& found, const std::string& allowed) const
    {
        throw Error::at(ErrorKind::Malformed, {m_file, "line " + std::to_string(m_line) + ", " + field, found, allowed});
    }
    bool other(const std::string& found)
    {
        if (m_depth == 0)
            fail("the value", found, "an object");
        if (m_isField)
            fail("field \"" + m_field + "\"", found, "a string");
        return true;
    }
    bool enter()
    {
        if (++m_depth > kMaxDepth)
            fail("the value", "nested deeper than " + std::to_string(kMaxDepth) + " levels", "less");
        return true;
    }
    bool leave()
    {
        --m_depth;
        return true;
    }

    std::string& m_text;
    const std::string& m_field;
    const std::string& m_file;
    std::uint64_t m_line;
    int m_depth = 0;
    bool m_isField = false;
    bool m_found = false;
};

}  // namespace

// Characters up to the end of the line, pulled from the stream.
class LineIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    LineIterator() = default;
    explicit LineIterator(JsonLines* lines)
        : m_lines(lines)
    {
    }
    char operator*() const
    {
        const char c = m_lines->current();
        // The parser would take a NUL for the end of its input and never see what follows.
        if (c == '\0')
            throw Error::at(ErrorKind::Malformed, {m_lines->m_stream.file().path().string(), "line " + std::to_string(m_lines->m_line), "broken by a NUL", "one JSON object a line"});
        return c;
    }
    LineIterator& operator++()
    {
        ++m_lines->m_place;
        return *this;
    }
    LineIterator operator++(int)
    {
        LineIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const LineIterator& other) const { return ended() == other.ended(); }

private:
    bool ended() const { return !m_lines || m_lines->atLineEnd(); }

    JsonLines* m_lines = nullptr;
};

JsonLines::JsonLines(Utf8Stream& stream, std::string field)
    : m_stream(stream)
    , m_field(std::move(field))
{
}

bool JsonLines::atEnd()
{
    if (m_place < m_block.size())
        return false;
    m_block.clear();
    m_place = 0;
    return !m_stream.fill(m_block, kBlockBytes) && m_block.empty();
}

bool JsonLines::atLineEnd() { return atEnd() || current() == '\n'; }

bool JsonLines::next(std::string& text)
{
    for (;;) {
        if (atEnd())
            return false;
        ++m_line;
        while (!atLineEnd() && (current() == ' ' || current() == '\t' || current() == '\r'))
            ++m_place;
        if (!atLineEnd())
            break;
        if (!atEnd())
            ++m_place;
    }
    const std::string file = m_stream.file().path().string();
    FieldSax sax(text, m_field, file, m_line);
    Json::sax_parse(LineIterator(this), LineIterator(), &sax);
    sax.finish();
    if (!atEnd())
        ++m_place;
    return true;
}

}  // namespace holo::data
