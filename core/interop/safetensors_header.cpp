#include "core/interop/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/interop/dtype.h"

namespace holo::interop {

namespace {

constexpr int kMaxSkippedDepth = 64;

std::string inQuotes(std::string_view name)
{
    constexpr std::size_t kShown = 200;
    return '"' + std::string(name.substr(0, kShown)) + (name.size() > kShown ? "…\"" : "\"");
}

[[noreturn]] void fail(const std::string& source, const std::string& field, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Malformed, {source, field, found, allowed});
}

// State machine over the parser's events: the header is an object of objects of fixed shape, so no tree is needed.
class HeaderSax {
public:
    HeaderSax(SafetensorsHeader& header, const std::string& source)
        : m_header(header)
        , m_source(source)
    {
    }

    bool null() { return scalar("null"); }
    bool boolean(bool value) { return scalar(value ? "true" : "false"); }
    bool number_integer(std::int64_t value) { return scalar(std::to_string(value)); }
    bool number_float(double, const std::string& text) { return scalar(text); }
    bool binary(Json::binary_t&) { return scalar("binary"); }

    bool number_unsigned(std::uint64_t value)
    {
        if (m_skipped == 0 && m_state == State::Shape) {
            if (value > std::uint64_t(std::numeric_limits<std::int64_t>::max()))
                fail(m_source, place("shape"), std::to_string(value), "sizes below 2^63");
            m_tensor.shape.push_back(std::int64_t(value));
            return true;
        }
        if (m_skipped == 0 && m_state == State::Offsets) {
            if (m_offsets == 2)
                fail(m_source, place("data_offsets"), "a list of more than two numbers", "[begin, end]");
            (m_offsets++ == 0 ? m_tensor.begin : m_tensor.end) = value;
            return true;
        }
        return scalar(std::to_string(value));
    }

    bool string(std::string& value)
    {
        if (m_skipped == 0 && m_state == State::Metadata) {
            m_header.metadata.emplace_back(m_key, value);
            return true;
        }
        if (m_skipped == 0 && m_state == State::Tensor && m_key == "dtype") {
            if (!dtypeBits(value))
                fail(m_source, place("dtype"), inQuotes(value), "a type of the safetensors format");
            m_tensor.dtype = value;
            return true;
        }
        return scalar(inQuotes(value));
    }

    bool start_object(std::size_t)
    {
        if (m_skipped > 0 || isUnknownField())
            return enterSkipped(true);
        if (m_state == State::Start) {
            m_state = State::Top;
        } else if (m_state == State::Top && m_name == "__metadata__") {
            m_state = State::Metadata;
        } else if (m_state == State::Top) {
            m_state = State::Tensor;
            m_tensor = TensorInfo{m_name, {}, {}, 0, 0};
        } else {
            wrong("an object");
        }
        m_keys.clear();
        return true;
    }

    bool key(std::string& name)
    {
        if (m_skipped > 0) {
            if (!m_skippedKeys.back().insert(name).second)
                twice(name);
            return true;
        }
        if (m_state == State::Top) {
            if (!m_names.insert(name).second)
                twice(name);
            m_name = name;
        } else {
            if (!m_keys.insert(name).second)
                twice(name);
            m_key = name;
            if (m_state == State::Tensor && !isKnownField(name))
                m_header.notes.push_back("tensor " + inQuotes(m_name) + " has a field " + inQuotes(name) + " that the format does not define; it is ignored");
        }
        return true;
    }

    bool end_object()
    {
        if (m_skipped > 0)
            return leaveSkipped(true);
        if (m_state == State::Tensor) {
            for (const char* field : {"dtype", "shape", "data_offsets"})
                if (!m_keys.contains(field))
                    fail(m_source, place(field), "missing", "all of dtype, shape, data_offsets");
            m_header.tensors.push_back(std::move(m_tensor));
        }
        m_state = State::Top;
        m_keys.clear();
        return true;
    }

    bool start_array(std::size_t)
    {
        if (m_skipped > 0 || isUnknownField())
            return enterSkipped(false);
        if (m_state == State::Tensor && m_key == "shape")
            m_state = State::Shape;
        else if (m_state == State::Tensor && m_key == "data_offsets") {
            m_state = State::Offsets;
            m_offsets = 0;
        } else {
            wrong("a list");
        }
        return true;
    }

    bool end_array()
    {
        if (m_skipped > 0)
            return leaveSkipped(false);
        if (m_state == State::Offsets && m_offsets != 2)
            fail(m_source, place("data_offsets"), "a list of " + std::to_string(m_offsets) + " numbers", "[begin, end]");
        m_state = State::Tensor;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const Json::exception&)
    {
        throw Error(ErrorKind::Malformed, m_source + ": the header is not valid JSON at byte " + std::to_string(position) + ".",
                    {m_source, "header", "broken JSON at byte " + std::to_string(position), "JSON (UTF-8)"});
    }

private:
    enum class State { Start, Top, Metadata, Tensor, Shape, Offsets };

    static bool isKnownField(std::string_view name) { return name == "dtype" || name == "shape" || name == "data_offsets"; }
    bool isUnknownField() const { return m_state == State::Tensor && !isKnownField(m_key); }
    std::string place(const std::string& field) const { return "tensor " + inQuotes(m_name) + ", " + field; }

    bool scalar(const std::string& found)
    {
        if (m_skipped == 0 && !isUnknownField())
            wrong(found);
        return true;
    }

    [[noreturn]] void wrong(const std::string& found) const
    {
        switch (m_state) {
        case State::Start: fail(m_source, "header", found, "an object");
        case State::Top: fail(m_source, m_name == "__metadata__" ? m_name : "tensor " + inQuotes(m_name), found, "an object");
        case State::Metadata: fail(m_source, "__metadata__, " + inQuotes(m_key), found, "a string");
        case State::Tensor: fail(m_source, place(m_key), found, m_key == "dtype" ? "a string" : m_key == "shape" ? "a list of sizes" : "[begin, end]");
        case State::Shape: fail(m_source, place("shape"), found, "whole numbers from 0");
        case State::Offsets: break;
        }
        fail(m_source, place("data_offsets"), found, "two whole numbers from 0");
    }

    [[noreturn]] void twice(const std::string& name) const
    {
        throw Error(ErrorKind::Malformed, m_source + ": the key " + inQuotes(name) + " stands twice in one object of the header.",
                    {m_source, name, "twice", "once"});
    }

    bool enterSkipped(bool object)
    {
        if (++m_skipped > kMaxSkippedDepth)
            fail(m_source, place(m_key), "nested deeper than " + std::to_string(kMaxSkippedDepth) + " levels", "less");
        if (object)
            m_skippedKeys.emplace_back();
        return true;
    }

    bool leaveSkipped(bool object)
    {
        --m_skipped;
        if (object)
            m_skippedKeys.pop_back();
        return true;
    }

    SafetensorsHeader& m_header;
    const std::string& m_source;
    State m_state = State::Start;
    std::string m_name;
    std::string m_key;
    TensorInfo m_tensor;
    int m_offsets = 0;
    int m_skipped = 0;
    std::unordered_set<std::string> m_names;
    std::unordered_set<std::string> m_keys;
    std::vector<std::set<std::string>> m_skippedKeys;
};

// Bytes of a tensor from its dtype and shape; throws where the product does not fit.
std::uint64_t declaredBytes(const TensorInfo& tensor, const std::string& source)
{
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.shape)
        if (__builtin_mul_overflow(count, std::uint64_t(size), &count))
            fail(source, "tensor " + inQuotes(tensor.name) + ", shape", "more than 2^64 elements", "a product that fits");
    std::uint64_t bits = 0;
    if (__builtin_mul_overflow(count, std::uint64_t(*dtypeBits(tensor.dtype)), &bits))
        fail(source, "tensor " + inQuotes(tensor.name) + ", shape", "more than 2^64 bits", "a product that fits");
    if (bits % 8 != 0)
        fail(source, "tensor " + inQuotes(tensor.name) + ", shape", std::to_string(bits) + " bits", "whole bytes");
    return bits / 8;
}

void checkTensors(std::vector<TensorInfo>& tensors, std::uint64_t dataBytes, const std::string& source)
{
    for (const TensorInfo& tensor : tensors) {
        const std::string offsets = "[" + std::to_string(tensor.begin) + ", " + std::to_string(tensor.end) + "]";
        const std::string field = "tensor " + inQuotes(tensor.name) + ", data_offsets";
        if (tensor.begin > tensor.end)
            fail(source, field, offsets, "begin not after end");
        if (tensor.end > dataBytes)
            fail(source, field, offsets, "offsets up to " + std::to_string(dataBytes) + ", the bytes that the file holds behind its header");
        const std::uint64_t declared = declaredBytes(tensor, source);
        if (declared != tensor.bytes())
            fail(source, field, offsets + ", which is " + std::to_string(tensor.bytes()) + " bytes",
                 std::to_string(declared) + " bytes for " + tensor.dtype + " of shape " + shapeText(tensor.shape).substr(0, 200));
    }
    std::stable_sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    std::uint64_t covered = 0;
    for (const TensorInfo& tensor : tensors) {
        if (tensor.begin != covered)
            fail(source, "tensor " + inQuotes(tensor.name) + ", data_offsets", "a begin of " + std::to_string(tensor.begin),
                 std::to_string(covered) + ", since tensors may neither overlap nor leave gaps");
        covered = tensor.end;
    }
    if (covered != dataBytes)
        fail(source, "the data behind the header", std::to_string(dataBytes) + " bytes", std::to_string(covered) + ", the end of the last tensor");
}

}  // namespace

SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataBytes, const std::string& source)
{
    if (!text.starts_with('{'))
        fail(source, "the header's first byte", text.empty() ? "missing" : std::to_string(static_cast<unsigned char>(text.front())), "'{'");
    // A NUL would end the JSON parser's input early.
    if (const auto nul = text.find('\0'); nul != std::string_view::npos)
        fail(source, "the header", "broken by a NUL at byte " + std::to_string(nul), "JSON (UTF-8)");
    const auto last = text.find_last_not_of(' ');
    if (text[last] != '}')
        fail(source, "the header's end", "byte " + std::to_string(static_cast<unsigned char>(text[last])), "'}' followed by blanks alone");
    SafetensorsHeader header;
    HeaderSax sax(header, source);
    Json::sax_parse(text, &sax);
    checkTensors(header.tensors, dataBytes, source);
    return header;
}

}  // namespace holo::interop
