#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace holo {

// As much of the protocol-buffers wire format as event files and SentencePiece models need.

inline void putVarint(std::string& out, std::uint64_t value)
{
    while (value >= 0x80) {
        out += char(value | 0x80);
        value >>= 7;
    }
    out += char(value);
}

template <class T>
void putFixed(std::string& out, T value)
{
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

inline void putBytes(std::string& out, int field, std::string_view bytes)
{
    putVarint(out, std::uint64_t(field) << 3 | 2);
    putVarint(out, bytes.size());
    out += bytes;
}

struct WireField {
    int number = 0;
    int type = 0;             // 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes
    std::uint64_t value = 0;  // of types 0, 1 and 5
    std::string_view bytes;   // of type 2

    float asFloat() const { return std::bit_cast<float>(std::uint32_t(value)); }
    double asDouble() const { return std::bit_cast<double>(value); }
};

// Takes the next field off the front; nothing at the end. `broken` turns true for what is no message.
inline std::optional<WireField> takeField(std::string_view& message, bool& broken)
{
    const auto varint = [&]() -> std::uint64_t {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            if (message.empty() || shift > 63)
                break;
            const auto byte = static_cast<unsigned char>(message.front());
            message.remove_prefix(1);
            value |= std::uint64_t(byte & 0x7F) << shift;
            if (byte < 0x80)
                return value;
        }
        broken = true;
        return 0;
    };
    if (message.empty())
        return std::nullopt;
    WireField field;
    const std::uint64_t key = varint();
    field.number = int(key >> 3 & 0x1FFFFFFF);
    field.type = int(key & 7);
    const auto fixed = [&](std::size_t size) {
        if (message.size() < size) {
            broken = true;
            return;
        }
        std::memcpy(&field.value, message.data(), size);
        message.remove_prefix(size);
    };
    switch (field.type) {
    case 0: field.value = varint(); break;
    case 1: fixed(8); break;
    case 5: fixed(4); break;
    case 2: {
        const std::uint64_t length = varint();
        if (length > message.size()) {
            broken = true;
            break;
        }
        field.bytes = message.substr(0, std::size_t(length));
        message.remove_prefix(std::size_t(length));
        break;
    }
    default: broken = true;
    }
    if (broken)
        return std::nullopt;
    return field;
}

}  // namespace holo
