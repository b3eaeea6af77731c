#pragma once

#include "kernels/rotary/rotary.h"
#include "tests/kernels/values.h"

#include <string>

namespace holo::kernels::test {

// How q and k lie in memory.
enum class Layout {
    Packed,      // [batch][token][q heads | k heads | v heads][dim]
    Transposed,  // [batch][heads][token][dim], no v
    Expanded,    // out of place from one batch row and one token shared by all (strides 0)
};

struct RotaryCase {
    std::string name;
    int batch = 2, tokens = 5, queryHeads = 3, keyHeads = 3, headDim = 64, rotaryDim = 64;
    Layout layout = Layout::Packed;
    bool inPlace = true;
    int shift = 0;               // elements by which every pointer is moved off its alignment
    bool givenPositions = false;
    bool unrotatedHead = false;  // head 1 of q has no ladder
    int ladders = 3;
};

inline std::vector<RotaryCase> rotaryCases()
{
    std::vector<RotaryCase> cases = {
        {"whole heads"},
        {"one head, one token", 1, 1, 1, 1},
        {"odd head counts", 2, 3, 5, 7, 16, 16},
        {"grouped keys", 3, 17, 8, 2, 64, 64},
        {"partial width", 2, 5, 4, 4, 64, 16},
        {"two dims", 2, 5, 3, 3, 8, 2},
        {"more tokens than one item", 3, 35, 2, 1, 32, 32},
        {"nothing rotated", 2, 5, 3, 3, 32, 0, Layout::Packed, false},
        {"empty batch", 0, 5},
        {"no tokens", 2, 0},
        {"no heads", 2, 5, 0, 0},
        {"out of place", 2, 5, 3, 3, 40, 24, Layout::Packed, false},
        {"transposed", 2, 9, 4, 2, 32, 32, Layout::Transposed},
        {"transposed out of place", 2, 9, 4, 2, 32, 16, Layout::Transposed, false},
        {"expanded", 3, 6, 2, 2, 48, 32, Layout::Expanded, false},
        {"unaligned", 2, 5, 3, 3, 64, 64, Layout::Packed, true, 1},
        {"unaligned by three", 2, 5, 3, 3, 40, 40, Layout::Packed, false, 3},
        {"given positions", 2, 19, 3, 3, 16, 16, Layout::Packed, true, 0, true},
        {"unrotated head in place", 2, 5, 3, 3, 32, 32, Layout::Packed, true, 0, false, true},
        {"unrotated head out of place", 2, 5, 3, 3, 32, 32, Layout::Packed, false, 0, false, true},
        {"one ladder", 2, 5, 3, 3, 64, 64, Layout::Packed, true, 0, false, false, 1},
        {"a ladder for every head", 2, 5, 40, 3, 16, 16, Layout::Packed, true, 0, false, false, 43},
        {"many ladders out of place", 2, 5, 40, 20, 24, 16, Layout::Packed, false, 0, false, true, 23},
    };
    // Every remainder that whole vectors, half vectors and quarter vectors can leave.
    for (int planes = 1; planes <= 40; ++planes)
        cases.push_back({"width " + std::to_string(2 * planes), 1, 2, 2, 1, 2 * planes + 3, 2 * planes});
    cases.push_back({"width 256", 1, 3, 2, 2, 256, 256});
    return cases;
}

// Owns the buffers of one case. Buffers carry guards on both sides, filled with values that a stray write would change.
template <typename T>
struct RotaryData {
    static constexpr int kGuard = 64;
    static constexpr int kRows = 64;

    RotaryData(const RotaryCase& c, Pairing pairing, Dtype dtype, bool unitTables = false)
    {
        const std::int64_t heads = c.queryHeads + 2 * c.keyHeads;
        const std::size_t size = std::size_t(2 * kGuard + 4 + c.batch * c.tokens * heads * c.headDim + 256 * heads);
        input = stored<T>(normals(size, 1, "input"));
        output = c.inPlace ? std::vector<T>() : stored<T>(normals(size, 2, "output"));
        const int planes = c.rotaryDim / 2;
        cosines = normals(std::size_t(c.ladders * kRows * planes), 3, "cosines");
        sines = normals(std::size_t(c.ladders * kRows * planes), 4, "sines");
        for (std::size_t i = 0; unitTables && i < cosines.size(); ++i) {
            const double angle = 100.0 * double(cosines[i]);
            cosines[i] = float(std::cos(angle));
            sines[i] = float(std::sin(angle));
        }
        for (int i = 0; i < c.batch * c.tokens; ++i)
            positions.push_back(std::int32_t((i * 29 + 11) % kRows));
        for (int h = 0; h < c.queryHeads; ++h)
            queryLadders.push_back(c.unrotatedHead && h == 1 ? kNoLadder : std::uint8_t((h * 2 + 1) % c.ladders));
        for (int h = 0; h < c.keyHeads; ++h)
            keyLadders.push_back(std::uint8_t(h % c.ladders));

        params.batch = c.batch;
        params.tokens = c.tokens;
        params.headDim = c.headDim;
        params.rotaryDim = c.rotaryDim;
        params.pairing = pairing;
        params.dtype = dtype;
        if (c.givenPositions)
            params.positions = {positions.data(), c.tokens, 0};
        else
            params.positions.offset = 7;
        params.groups = 2;
        T* in = input.data() + kGuard + c.shift;
        T* out = c.inPlace ? in : output.data() + kGuard + c.shift;
        for (int g = 0; g < 2; ++g) {
            RotaryHeads& group = params.group[g];
            group.heads = g == 0 ? c.queryHeads : c.keyHeads;
            group.ladders = g == 0 ? queryLadders.data() : keyLadders.data();
            group.tables = {cosines.data(), sines.data(), c.ladders, kRows, planes};
            const std::int64_t first = g == 0 ? 0 : c.queryHeads;
            std::int64_t offset = first * c.headDim;
            group.outputBatch = c.tokens * heads * c.headDim;
            group.outputToken = heads * c.headDim;
            group.outputHead = c.headDim;
            if (c.layout == Layout::Transposed) {
                offset *= c.tokens;
                group.outputToken = c.headDim;
                group.outputHead = std::int64_t(c.tokens) * c.headDim;
            }
            group.inputBatch = group.outputBatch;
            group.inputToken = group.outputToken;
            group.inputHead = group.outputHead;
            if (c.layout == Layout::Expanded)
                group.inputBatch = group.inputToken = 0;
            group.input = in + offset;
            group.output = out + offset;
        }
    }
    RotaryData(const RotaryData&) = delete;

    // Whole written buffer, guards and untouched parts included.
    const std::vector<T>& written() const { return output.empty() ? input : output; }

    std::vector<T> input, output;
    std::vector<float> cosines, sines;
    std::vector<std::int32_t> positions;
    std::vector<std::uint8_t> queryLadders, keyLadders;
    RotaryParams params;
};

}  // namespace holo::kernels::test
