#include "core/data/split_pattern.h"

#include <array>
#include <cstdint>
#include <string>

#include <unicode/uchar.h>

namespace holo::data {

namespace {

constexpr std::string_view kContractions = "'s|'t|'re|'ve|'m|'ll|'d";

enum class Class : unsigned char { Letter, Number, Space, Other };

struct Char {
    std::uint32_t code = 0;
    std::size_t length = 0;
};

Char charAt(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return std::uint32_t(static_cast<unsigned char>(text[at + i])); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80)
        return {lead, 1};
    if (lead < 0xE0)
        return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
    if (lead < 0xF0)
        return {(lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
    return {(lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
}

Class classify(std::uint32_t code)
{
    const std::uint32_t mask = U_MASK(u_charType(UChar32(code)));
    if (mask & U_GC_L_MASK)
        return Class::Letter;
    if (mask & U_GC_N_MASK)
        return Class::Number;
    return u_isUWhiteSpace(UChar32(code)) ? Class::Space : Class::Other;
}

Class classOf(std::uint32_t code)
{
    static const std::array<Class, 128> kAscii = [] {
        std::array<Class, 128> table{};
        for (std::uint32_t c = 0; c < 128; ++c)
            table[c] = classify(c);
        return table;
    }();
    return code < 128 ? kAscii[code] : classify(code);
}

// First place at or behind `at` whose character is of another class, after at most `limit` characters.
std::size_t skip(std::string_view text, std::size_t at, Class what, int limit = -1)
{
    while (at < text.size() && limit != 0) {
        const Char c = charAt(text, at);
        if (classOf(c.code) != what)
            break;
        at += c.length;
        --limit;
    }
    return at;
}

// Length of 's, 't, 're, … at the start, else 0.
std::size_t contraction(std::string_view text, bool anyCase)
{
    if (text.size() < 2 || text[0] != '\'')
        return 0;
    // U+017F, the long s, is an s where case does not count.
    if (anyCase && text.substr(1).starts_with("\xC5\xBF"))
        return 3;
    const auto letter = [&](std::size_t i) -> char {
        const char c = i < text.size() ? text[i] : '\0';
        return anyCase && c >= 'A' && c <= 'Z' ? char(c + 32) : c;
    };
    const char first = letter(1);
    if (first == 's' || first == 't' || first == 'm' || first == 'd')
        return 2;
    const char second = letter(2);
    return (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l') ? 3 : 0;
}

// \s+(?!\S)|\s+ : all of the run if text ends with it, else all but its last character, which joins the next word; at least one character.
std::size_t blankRun(std::string_view text)
{
    std::size_t end = 0;
    std::size_t last = 0;
    while (end < text.size()) {
        const Char c = charAt(text, end);
        if (classOf(c.code) != Class::Space)
            break;
        last = end;
        end += c.length;
    }
    return end == text.size() || last == 0 ? end : last;
}

std::size_t gpt2Word(std::string_view text)
{
    if (const std::size_t length = contraction(text, false))
        return length;
    const std::size_t start = text[0] == ' ' && text.size() > 1 ? 1 : 0;
    const Class what = classOf(charAt(text, start).code);
    return what == Class::Space ? blankRun(text) : skip(text, start, what);
}

std::size_t llama3Word(std::string_view text, int digits)
{
    if (const std::size_t length = contraction(text, true))
        return length;
    const auto isBreak = [&](std::size_t i) { return text[i] == '\r' || text[i] == '\n'; };
    const Char first = charAt(text, 0);
    const Class what = classOf(first.code);
    if (what == Class::Letter)
        return skip(text, 0, Class::Letter);
    if (what == Class::Number)
        return skip(text, 0, Class::Number, digits);
    // One character that is neither letter, digit nor line break may lead a word.
    if (!isBreak(0) && first.length < text.size() && classOf(charAt(text, first.length).code) == Class::Letter)
        return skip(text, first.length, Class::Letter);
    const std::size_t start = text[0] == ' ' && text.size() > 1 ? 1 : 0;
    if (classOf(charAt(text, start).code) == Class::Other) {
        std::size_t end = skip(text, start, Class::Other);
        while (end < text.size() && isBreak(end))
            ++end;
        return end;
    }
    // \s*[\r\n]+ : up to the last line break of the run.
    const std::size_t run = skip(text, 0, Class::Space);
    for (std::size_t end = run; end > 0; --end)
        if (isBreak(end - 1))
            return end;
    return blankRun(text);
}

}  // namespace

std::optional<SplitPattern> splitPatternFromRegex(std::string_view regex)
{
    const std::string contractions(kContractions);
    const std::string start = "(?i:" + contractions + R"()|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})";
    const std::string end = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    if (regex == contractions + R"(| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)")
        return SplitPattern::Gpt2;
    if (regex == start + "{1,3}" + end)
        return SplitPattern::Llama3;
    if (regex == start + end)
        return SplitPattern::Qwen2;
    return std::nullopt;
}

std::size_t nextWord(SplitPattern pattern, std::string_view text)
{
    switch (pattern) {
    case SplitPattern::Gpt2: return gpt2Word(text);
    case SplitPattern::Llama3: return llama3Word(text, 3);
    case SplitPattern::Qwen2: return llama3Word(text, 1);
    case SplitPattern::Whole: break;
    }
    return text.size();
}

bool isCutEverywhere(std::string_view text, std::size_t at)
{
    if (at == 0 || at >= text.size() || (text[at] != ' ' && text[at] != '\n'))
        return false;
    std::size_t before = at - 1;
    while (before > 0 && (static_cast<unsigned char>(text[before]) & 0xC0u) == 0x80u)
        --before;
    const Class what = classOf(charAt(text, before).code);
    // A line break may belong to the signs in front of it, never to letters or digits.
    return what == Class::Letter || what == Class::Number || (what == Class::Other && text[at] == ' ');
}

}  // namespace holo::data
