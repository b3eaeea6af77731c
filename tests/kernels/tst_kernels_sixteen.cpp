#include "kernels/rotary/rotary_index.h"
#include "tests/kernels/attention_case.h"
#include "tests/kernels/rotary_case.h"
#include "tests/kernels/sixteen_lanes.h"

#include <memory>
#include <new>

using namespace holo::kernels;
using namespace holo::kernels::test;

namespace {

// One run per head, so that the plan of the library is not needed.
template <typename T>
void rotateSixteen(const RotaryParams& p)
{
    RowPlan plan;
    plan.params = p;
    std::vector<HeadRun> runs;
    std::vector<RowHead> rowHeads;
    std::vector<std::int64_t> ladderRows;
    for (int g = 0; g < p.groups; ++g) {
        for (int h = 0; h < p.group[g].heads; ++h) {
            rowHeads.push_back({h * p.group[g].inputHead, h * p.group[g].outputHead, h * p.group[g].inputHead, 0});
            ladderRows.push_back(p.group[g].tables.rowOffset(p.group[g].ladders[h], 0));
        }
    }
    std::size_t next = 0;
    for (int g = 0; g < p.groups; ++g) {
        const RotaryHeads& heads = plan.params.group[g];
        for (int h = 0; h < heads.heads; ++h, ++next)
            runs.push_back({&heads, &ladderRows[next], heads.ladders[h] != kNoLadder, &rowHeads[next], 1, false, heads.input != heads.output});
    }
    plan.runs = runs.data();
    plan.runCount = int(runs.size());
    rotateRowsSixteen(plan, 0, RotaryItems{p.batch, p.tokens}.count());
}

template <typename T>
void compareRotary(const RotaryCase& c, Pairing pairing, Dtype dtype)
{
    RotaryData<T> wide(c, pairing, dtype), wanted(c, pairing, dtype);
    rotateSixteen<T>(wide.params);
    rotate(wanted.params, serialFor, Isa::Plain);
    QVERIFY(wide.written().empty() || std::memcmp(wide.written().data(), wanted.written().data(), wide.written().size() * sizeof(T)) == 0);
}

AttentionWork workOf(const AttentionParams& p)
{
    AttentionWork work;
    work.params = p;
    work.tasks = {p.batch * p.keyHeads, 1, (p.queries + 31) / 32 * 32, p.batch * p.keyHeads};
    return work;
}

void runTasks(const AttentionWork& work, std::int64_t floats, void (*function)(const AttentionWork&, std::int64_t, float*))
{
    float* scratch = static_cast<float*>(::operator new(std::size_t(floats) * sizeof(float), std::align_val_t(64)));
    for (std::int64_t task = 0; task < work.tasks.count; ++task)
        function(work, task, scratch);
    ::operator delete(scratch, std::align_val_t(64));
}

}  // namespace

class TestSixteen : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (!available(Isa::Avx2))
            QSKIP("needs a processor with AVX2");
    }

    void rotary()
    {
        for (const RotaryCase& c : rotaryCases()) {
            for (const Pairing pairing : {Pairing::HalfSplit, Pairing::Interleaved}) {
                compareRotary<float>(c, pairing, Dtype::Float32);
                compareRotary<BFloat16>(c, pairing, Dtype::BFloat16);
                compareRotary<Float16>(c, pairing, Dtype::Float16);
                if (QTest::currentTestFailed())
                    QFAIL(c.name.c_str());
            }
        }
    }

    void attention()
    {
        for (const AttentionCase& c : attentionCases()) {
            compareAttention<float>(
                c, Dtype::Float32, 1e-6,
                [](const AttentionParams& p, const AttentionOutput& out, float* sums) {
                    AttentionWork work = workOf(p);
                    work.out = out;
                    work.logSumExp = sums;
                    runTasks(work, forwardScratch(p), attentionForwardSixteen);
                },
                [](const AttentionParams& p, const AttentionGradients& g) {
                    AttentionWork work = workOf(p);
                    work.gradients = g;
                    runTasks(work, backwardScratch(p), attentionBackwardSixteen);
                });
            if (QTest::currentTestFailed())
                QFAIL(c.name.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestSixteen)
#include "tst_kernels_sixteen.moc"
