#include "core/data/utf8_stream.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::data {

namespace {

constexpr std::uint64_t kBlockBytes = 1u << 20;
constexpr std::uint64_t kInspectedBytes = 1u << 16;

// Length of the longest start of `text` that is a start of a well-formed sequence, at least 1; `whole` tells whether more bytes could complete it.
std::size_t brokenLength(std::string_view text, bool* unfinished)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    const std::size_t need = lead >= 0xC2 && lead <= 0xDF ? 2 : lead >= 0xE0 && lead <= 0xEF ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 1;
    std::size_t length = 1;
    while (length < need && length < text.size()) {
        unsigned low = 0x80;
        unsigned high = 0xBF;
        if (length == 1) {
            low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        }
        if (byte(length) < low || byte(length) > high)
            break;
        ++length;
    }
    *unfinished = length < need && length == text.size();
    return length;
}

std::string firstBlock(const InputFile& file)
{
    std::string block(std::size_t(std::min(kInspectedBytes, file.size())), '\0');
    file.read(0, block.size(), block.data());
    return block;
}

// Text in two-byte units shows as NULs nearly all on one side of the pairs.
bool looksLikeUtf16(std::string_view block)
{
    std::array<std::size_t, 2> nuls{};
    for (std::size_t i = 0; i < block.size(); ++i)
        nuls[i % 2] += block[i] == '\0';
    const std::size_t more = std::max(nuls[0], nuls[1]);
    const std::size_t fewer = std::min(nuls[0], nuls[1]);
    return block.size() >= 4 && 10 * more >= 3 * block.size() && 20 * fewer <= more;
}

}  // namespace

Utf8Stream::Utf8Stream(const std::filesystem::path& file, LineEnds lineEnds, InvalidBytes invalidBytes)
    : m_file(file)
    , m_lineEnds(lineEnds)
    , m_invalidBytes(invalidBytes)
{
    inspectStart();
}

void Utf8Stream::inspectStart()
{
    const std::string block = firstBlock(m_file);
    const auto unsupported = [&](const char* found, const char* advice) {
        throw Error::at(ErrorKind::Unsupported, {m_file.path().string(), "the content", found, advice});
    };
    using namespace std::string_view_literals;
    const std::string_view start = block;
    if (start.starts_with("\xFF\xFE\0\0"sv) || start.starts_with("\0\0\xFE\xFF"sv))
        unsupported("UTF-32", "UTF-8; convert it with iconv");
    if (start.starts_with("\xFF\xFE"sv) || start.starts_with("\xFE\xFF"sv) || looksLikeUtf16(start))
        unsupported("UTF-16", "UTF-8; convert it with iconv");
    if (start.starts_with("\x1F\x8B"sv) || start.starts_with("\x28\xB5\x2F\xFD"sv) || start.starts_with("PK\3\4"sv) || start.starts_with("BZh"sv) || start.starts_with("\xFD" "7zXZ"sv))
        unsupported("compressed", "text; unpack it first");
    if (start.starts_with("PAR1"sv))
        unsupported("Parquet", "text or JSON Lines; convert it first");
    if (start.starts_with("\xEF\xBB\xBF"sv))
        m_position = 3;
}

bool Utf8Stream::fill(std::string& text, std::size_t wanted)
{
    while (text.size() < wanted) {
        const std::uint64_t count = std::min(kBlockBytes, m_file.size() - m_position);
        if (count == 0 && m_pending.empty() && !m_heldReturn)
            return false;
        const std::size_t before = m_pending.size();
        m_pending.resize(before + std::size_t(count));
        m_file.read(m_position, count, m_pending.data() + before);
        m_position += count;
        if (m_position == m_file.size())
            m_file.checkUnchanged();
        decode(text);
    }
    return true;
}

void Utf8Stream::decode(std::string& text)
{
    const bool last = m_position == m_file.size();
    const std::size_t start = text.size();
    std::string_view rest = m_pending;
    while (!rest.empty()) {
        std::size_t good = rest.size();
        if (isUtf8(rest, &good)) {
            text += rest;
            rest = {};
            break;
        }
        text += rest.substr(0, good);
        rest.remove_prefix(good);
        bool unfinished = false;
        const std::size_t broken = brokenLength(rest, &unfinished);
        if (unfinished && !last)
            break;
        if (m_invalidBytes == InvalidBytes::Refuse) {
            static constexpr char kDigits[] = "0123456789ABCDEF";
            const auto byte = static_cast<unsigned char>(rest[0]);
            throw Error::at(ErrorKind::Malformed, {m_file.path().string(), "byte " + std::to_string(m_position - rest.size()),
                                                   std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 15] + ", which is not UTF-8", "UTF-8, or ask for replacement of invalid bytes"});
        }
        text += "\xEF\xBF\xBD";
        ++m_replaced;
        rest.remove_prefix(broken);
    }
    m_pending.erase(0, m_pending.size() - rest.size());

    if (m_lineEnds == LineEnds::Keep)
        return;
    std::size_t out = start;
    std::string fresh = text.substr(start);
    if (m_heldReturn)
        fresh.insert(fresh.begin(), '\r');
    m_heldReturn = !last && fresh.ends_with('\r');
    if (m_heldReturn)
        fresh.pop_back();
    text.resize(start + fresh.size());
    for (std::size_t i = 0; i < fresh.size(); ++i)
        if (fresh[i] != '\r' || i + 1 == fresh.size() || fresh[i + 1] != '\n')
            text[out++] = fresh[i];
    text.resize(out);
}

bool looksBinary(const InputFile& file)
{
    const std::string block = firstBlock(file);
    std::size_t nuls = 0;
    std::size_t controls = 0;
    for (const char c : block) {
        const auto byte = static_cast<unsigned char>(c);
        nuls += byte == 0;
        controls += byte < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f';
    }
    std::size_t good = 0;
    bool unfinished = false;
    const bool valid = isUtf8(block, &good) || (brokenLength(std::string_view(block).substr(good), &unfinished), unfinished);
    return 10 * controls > block.size() || (!valid && nuls > 0) || (!valid && 50 * controls > block.size());
}

}  // namespace holo::data
