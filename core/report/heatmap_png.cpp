#include "core/report/heatmap_png.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace holo::report {

namespace {

constexpr int kScale = 2;         // pixels of a dot of the letters
constexpr int kLetterWidth = 6 * kScale;
constexpr int kLetterHeight = 7 * kScale;
constexpr int kCellWidth = 88;
constexpr int kCellHeight = 32;
constexpr int kLeft = 72;
constexpr int kTop = 34;
constexpr std::uint8_t kWhite = 254;
constexpr std::uint8_t kBlack = 255;

// Letters of 5 × 7 dots, a row a number, the left dot in bit 4.
struct Letter {
    char name;
    std::array<std::uint8_t, 7> rows;
};
constexpr std::array<Letter, 21> kLetters{{
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},      {'2', {14, 17, 1, 2, 4, 8, 31}},    {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},   {'6', {6, 8, 16, 30, 17, 17, 14}},  {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},   {'.', {0, 0, 0, 0, 0, 12, 12}},     {'*', {0, 4, 21, 14, 21, 4, 0}},
    {'d', {1, 1, 13, 19, 17, 17, 15}},   {'e', {0, 0, 14, 17, 31, 16, 14}},   {'p', {0, 0, 30, 17, 30, 16, 16}},  {'t', {8, 8, 28, 8, 8, 9, 6}},
    {'h', {16, 16, 22, 25, 17, 17, 17}}, {'l', {12, 4, 4, 4, 4, 4, 14}},      {'n', {0, 0, 22, 25, 17, 17, 17}},  {'g', {0, 15, 17, 17, 15, 1, 14}},
    {'%', {24, 25, 2, 4, 8, 19, 3}},
}};

// Viridis (Smith and van der Walt, matplotlib, CC0) at nine places.
constexpr std::array<std::array<double, 3>, 9> kColours{{{68, 1, 84}, {71, 44, 122}, {59, 81, 139}, {44, 113, 142}, {33, 144, 141}, {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}}};

// Indexed picture: 0 … 253 the colour scale, then white and black.
class Picture {
public:
    Picture(int width, int height)
        : m_width(width)
        , m_height(height)
        , m_pixels(std::size_t(width) * std::size_t(height), kWhite)
    {
    }

    int width() const { return m_width; }
    int height() const { return m_height; }
    const std::uint8_t* row(int y) const { return m_pixels.data() + std::size_t(y) * std::size_t(m_width); }

    void fill(int x, int y, int width, int height, std::uint8_t value)
    {
        for (int i = std::max(y, 0); i < std::min(y + height, m_height); ++i)
            for (int j = std::max(x, 0); j < std::min(x + width, m_width); ++j)
                m_pixels[std::size_t(i) * std::size_t(m_width) + std::size_t(j)] = value;
    }

    void write(int x, int y, std::string_view text, std::uint8_t value)
    {
        for (const char c : text) {
            for (const Letter& letter : kLetters)
                if (letter.name == c)
                    for (int r = 0; r < 7; ++r)
                        for (int b = 0; b < 5; ++b)
                            if (letter.rows[std::size_t(r)] >> (4 - b) & 1)
                                fill(x + b * kScale, y + r * kScale, kScale, kScale, value);
            x += kLetterWidth;
        }
    }

    void writeCentred(int x, int y, std::string_view text, std::uint8_t value) { write(x - int(text.size()) * kLetterWidth / 2 + kScale / 2, y, text, value); }

private:
    int m_width;
    int m_height;
    std::vector<std::uint8_t> m_pixels;
};

void appendBig(std::string& bytes, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += char(value >> shift & 0xFF);
}

std::uint32_t crc32(std::string_view bytes)
{
    std::uint32_t crc = 0xFFFFFFFF;
    for (const unsigned char byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

void appendChunk(std::string& png, const std::string& type, const std::string& data)
{
    appendBig(png, std::uint32_t(data.size()));
    png += type + data;
    appendBig(png, crc32(type + data));
}

// zlib stream of stored blocks (RFC 1950, 1951): a figure this small is not worth a compressor.
std::string stored(const std::string& data)
{
    std::string stream("\x78\x01", 2);
    std::uint32_t a = 1, b = 0;
    for (const unsigned char byte : data) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    for (std::size_t at = 0; at < data.size(); at += 65535) {
        const std::size_t size = std::min<std::size_t>(65535, data.size() - at);
        const bool last = at + size == data.size();
        stream += char(last);
        for (const std::size_t value : {size, ~size}) {
            stream += char(value & 0xFF);
            stream += char(value >> 8 & 0xFF);
        }
        stream.append(data, at, size);
    }
    appendBig(stream, b << 16 | a);
    return stream;
}

std::string palette()
{
    std::string bytes;
    for (int i = 0; i < kWhite; ++i) {
        const double at = double(i) / (kWhite - 1) * double(kColours.size() - 1);
        const std::size_t low = std::min<std::size_t>(std::size_t(at), kColours.size() - 2);
        for (std::size_t c = 0; c < 3; ++c)
            bytes += char(std::lround(kColours[low][c] + (kColours[low + 1][c] - kColours[low][c]) * (at - double(low))));
    }
    return bytes + std::string(3, char(0xFF)) + std::string(3, '\0');
}

std::string encoded(const Picture& picture)
{
    std::string header;
    appendBig(header, std::uint32_t(picture.width()));
    appendBig(header, std::uint32_t(picture.height()));
    header += std::string("\x08\x03\x00\x00\x00", 5);
    std::string rows;
    for (int y = 0; y < picture.height(); ++y) {
        rows += '\0';
        rows.append(reinterpret_cast<const char*>(picture.row(y)), std::size_t(picture.width()));
    }
    std::string png = "\x89PNG\r\n\x1a\n";
    appendChunk(png, "IHDR", header);
    appendChunk(png, "PLTE", palette());
    appendChunk(png, "IDAT", stored(rows));
    appendChunk(png, "IEND", "");
    return png;
}

}  // namespace

std::string heatmapPng(const model::NeedleGrid& grid)
{
    const int columns = int(grid.lengths.size()), rows = int(grid.depths.size());
    Picture picture(std::max(kLeft + kCellWidth * columns + 16, 240), kTop + kCellHeight * rows + 2 * kLetterHeight + 30);
    picture.write(8, 10, "depth", kBlack);
    for (int d = 0; d < rows; ++d) {
        const int y = kTop + kCellHeight * d;
        const std::string name = formatFixed(grid.depths[std::size_t(d)], 2);
        picture.write(kLeft - 8 - int(name.size()) * kLetterWidth, y + (kCellHeight - kLetterHeight) / 2, name, kBlack);
        for (int l = 0; l < columns; ++l) {
            const auto& cell = grid.at(std::size_t(d), std::size_t(l));
            if (!cell)
                continue;
            const double share = std::clamp(cell->accuracy, 0.0, 1.0);
            picture.fill(kLeft + kCellWidth * l, y, kCellWidth - 2, kCellHeight - 2, std::uint8_t(std::lround(share * (kWhite - 1))));
            picture.writeCentred(kLeft + kCellWidth * l + kCellWidth / 2, y + (kCellHeight - kLetterHeight) / 2, formatFixed(100 * share, 0) + (cell->outsideTraining ? "*" : ""),
                                 share > 0.55 ? kBlack : kWhite);
        }
    }
    const int bottom = kTop + kCellHeight * rows;
    for (int l = 0; l < columns; ++l)
        picture.writeCentred(kLeft + kCellWidth * l + kCellWidth / 2, bottom + 6, std::to_string(grid.lengths[std::size_t(l)]), kBlack);
    picture.writeCentred(kLeft + std::max(kCellWidth * columns / 2, 60), bottom + kLetterHeight + 16, "length", kBlack);
    return encoded(picture);
}

}  // namespace holo::report
