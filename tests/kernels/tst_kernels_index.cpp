#include "kernels/rotary/rotary_launch.h"

#include <QTest>

#include <map>
#include <set>
#include <tuple>
#include <vector>

using namespace holo::kernels;

namespace {

RotaryParams packed(std::int64_t batch, std::int64_t tokens, int queryHeads, int keyHeads, int headDim, int rotaryDim, Dtype dtype)
{
    RotaryParams p;
    p.batch = batch;
    p.tokens = tokens;
    p.headDim = headDim;
    p.rotaryDim = rotaryDim;
    p.dtype = dtype;
    p.groups = 2;
    const std::int64_t row = std::int64_t(queryHeads + 2 * keyHeads) * headDim;
    for (int g = 0; g < 2; ++g) {
        RotaryHeads& x = p.group[g];
        x.output = reinterpret_cast<void*>(std::uintptr_t(4096 + g * queryHeads * headDim * sizeOf(dtype)));
        x.input = x.output;
        x.heads = g == 0 ? queryHeads : keyHeads;
        x.inputBatch = x.outputBatch = tokens * row;
        x.inputToken = x.outputToken = row;
        x.inputHead = x.outputHead = headDim;
    }
    return p;
}

std::int64_t offsetOf(const RotaryParams& p, const RotarySlot& slot)
{
    const RotaryHeads& x = p.group[slot.group];
    return rotaryOffset(x.outputBatch, x.outputToken, x.outputHead, slot.b, slot.t, slot.head);
}

// Walks the whole launch as the device would and counts how often each element is written.
void walk(const RotaryParams& p, const RotaryLaunch& launch)
{
    const std::int64_t first = std::int64_t(reinterpret_cast<std::uintptr_t>(p.group[0].output)) / sizeOf(p.dtype);
    std::map<std::int64_t, int> written;
    for (std::int64_t block = 0; block < launch.blocks; ++block) {
        for (std::int64_t i = 0; i < launch.slots(); ++i) {
            RotarySlot slot;
            if (!launch.slot(block, i, slot))
                continue;
            QVERIFY(slot.b < p.batch && slot.t < p.tokens && slot.head < p.group[slot.group].heads);
            const std::int64_t base = std::int64_t(reinterpret_cast<std::uintptr_t>(p.group[slot.group].output)) / sizeOf(p.dtype) - first
                + offsetOf(p, slot);
            for (int w = 0; w < launch.width; ++w) {
                if (slot.plane < 0) {
                    QVERIFY(slot.dimension + w < p.headDim);
                    ++written[base + slot.dimension + w];
                } else {
                    QVERIFY(slot.plane + w < p.rotaryDim / 2);
                    ++written[base + slot.plane + w];
                    ++written[base + p.rotaryDim / 2 + slot.plane + w];
                }
            }
        }
    }
    const bool inPlace = p.group[0].input == p.group[0].output;
    std::size_t expected = 0;
    for (int g = 0; g < p.groups; ++g)
        expected += std::size_t(p.batch * p.tokens * p.group[g].heads * (inPlace ? p.rotaryDim : p.headDim));
    QCOMPARE(written.size(), expected);
    for (const auto& [element, times] : written)
        QVERIFY2(times == 1, qPrintable(QString("element %1 written %2 times").arg(element).arg(times)));
}

}  // namespace

class TestIndex : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itemsCoverEveryTokenOnce()
    {
        for (const std::int64_t batch : {1, 3}) {
            for (const std::int64_t tokens : {1, 15, 16, 17, 100}) {
                const RotaryItems items{batch, tokens};
                std::set<std::pair<std::int64_t, std::int64_t>> seen;
                for (std::int64_t i = 0; i < items.count(); ++i) {
                    for (std::int64_t t = items.firstToken(i); t < items.lastToken(i); ++t)
                        QVERIFY(seen.emplace(items.batchRow(i), t).second && t < tokens && items.batchRow(i) < batch);
                }
                QCOMPARE(std::int64_t(seen.size()), batch * tokens);
            }
        }
        QCOMPARE((RotaryItems{0, 5}.count()), 0);
        QCOMPARE((RotaryItems{5, 0}.count()), 0);
    }

    void launchWritesEveryElementOnce()
    {
        for (const Dtype dtype : {Dtype::Float32, Dtype::BFloat16}) {
            for (const int batch : {1, 3, 17}) {
                for (const auto& [tokens, q, k, d, r] : std::vector<std::tuple<int, int, int, int, int>>{
                         {1, 1, 1, 64, 64}, {5, 3, 3, 64, 16}, {7, 8, 2, 40, 24}, {4, 5, 5, 10, 6}, {3, 12, 12, 64, 64}, {2, 0, 3, 32, 32}}) {
                    for (const bool inPlace : {true, false}) {
                        RotaryParams p = packed(batch, tokens, q, k, d, r, dtype);
                        for (int g = 0; !inPlace && g < 2; ++g)
                            p.group[g].input = static_cast<const char*>(p.group[g].input) + (std::int64_t(1) << 40);
                        for (const int processors : {1, 132}) {
                            walk(p, rotaryLaunch(p, processors));
                            if (QTest::currentTestFailed())
                                return;
                        }
                    }
                }
            }
        }
    }

    void widthFollowsAlignment()
    {
        RotaryParams p = packed(2, 4, 3, 3, 64, 64, Dtype::BFloat16);
        QCOMPARE(rotaryLaunch(p, 132).width, 8);
        p.dtype = Dtype::Float32;
        QCOMPARE(rotaryLaunch(p, 132).width, 4);
        p.group[1].output = static_cast<char*>(p.group[1].output) + 4;
        p.group[1].input = p.group[1].output;
        QCOMPARE(rotaryLaunch(p, 132).width, 1);
        p = packed(2, 4, 3, 3, 64, 24, Dtype::BFloat16);
        QCOMPARE(rotaryLaunch(p, 132).width, 1);
        p = packed(2, 4, 3, 3, 64, 64, Dtype::BFloat16);
        p.group[0].inputToken += 2;
        QCOMPARE(rotaryLaunch(p, 132).width, 1);
    }

    void ownPositionsGetOwnBlocks()
    {
        RotaryParams p = packed(64, 128, 12, 12, 64, 64, Dtype::BFloat16);
        QVERIFY(rotaryLaunch(p, 132).rows > 1);
        const std::int32_t some = 0;
        p.positions = {&some, 128, 0};
        QCOMPARE(rotaryLaunch(p, 132).rows, 1);
        p.positions.batchStride = 0;
        QVERIFY(rotaryLaunch(p, 132).rows > 1);
    }

    void nothingToDoIsNoLaunch()
    {
        QCOMPARE(rotaryLaunch(packed(0, 4, 3, 3, 64, 64, Dtype::Float32), 132).blocks, 0);
        QCOMPARE(rotaryLaunch(packed(4, 0, 3, 3, 64, 64, Dtype::Float32), 132).blocks, 0);
        QCOMPARE(rotaryLaunch(packed(4, 4, 0, 0, 64, 64, Dtype::Float32), 132).blocks, 0);
        QCOMPARE(rotaryLaunch(packed(4, 4, 3, 3, 64, 0, Dtype::Float32), 132).blocks, 0);
    }

    // Shapes far beyond 2^31 elements, and strides that alone reach beyond it, without their memory.
    void offsetsBeyondThirtyTwoBits()
    {
        const RotaryParams p = packed(64, 131072, 32, 32, 640, 640, Dtype::BFloat16);
        const RotaryLaunch launch = rotaryLaunch(p, 132);
        RotarySlot slot;
        std::int64_t last = launch.slots();
        while (!launch.slot(launch.blocks - 1, --last, slot)) { }
        QCOMPARE(slot.b, 63);
        QCOMPARE(slot.t, 131071);
        QCOMPARE(slot.group, 1);
        QCOMPARE(slot.head, 31);
        const std::int64_t row = 96 * 640;
        QCOMPARE(offsetOf(p, slot), 63 * 131072 * row + 131071 * row + 31 * 640);
        QVERIFY(offsetOf(p, slot) > std::int64_t(1) << 38);

        const RotaryItems items{std::int64_t(1) << 33, 40};
        QCOMPARE(items.count(), (std::int64_t(1) << 33) * 3);
        QCOMPARE(items.batchRow(items.count() - 1), (std::int64_t(1) << 33) - 1);
        QCOMPARE(items.firstToken(items.count() - 1), 32);
        QCOMPARE(items.lastToken(items.count() - 1), 40);
        QCOMPARE((LadderTables{nullptr, nullptr, 255, 1 << 20, 128}.rowOffset(254, (1 << 20) - 1)), (255LL << 27) - 128);

        // More blocks than one grid holds.
        const RotaryLaunch many = rotaryLaunch(packed(std::int64_t(1) << 30, 64, 32, 32, 128, 128, Dtype::Float32), 132);
        QVERIFY(many.blocks > RotaryLaunch::kMaxBlocks);
        QVERIFY(many.slot(many.blocks - 1, many.slots() - 1, slot) && slot.t == 63 && slot.b == (std::int64_t(1) << 30) - 1);
    }
};

QTEST_APPLESS_MAIN(TestIndex)
#include "tst_kernels_index.moc"
