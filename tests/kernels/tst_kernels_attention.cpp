#include "kernels/rotary/rotary.h"
#include "tests/kernels/attention_case.h"

#include <stdexcept>

using namespace holo::kernels;
using namespace holo::kernels::test;

namespace {

// Loss ⟨out, dout⟩ in double, for differences.
double loss(AttentionData<double>& data)
{
    attentionReference(data.params, data.outView, nullptr);
    double sum = 0;
    for (std::size_t i = 0; i < data.out.size(); ++i)
        sum += data.out[i] * data.dout[i];
    return sum;
}

}  // namespace

class TestAttention : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The yardstick itself: its gradients are differences of its loss.
    void referenceGradientIsTheDerivative()
    {
        for (const AttentionCase& c : {AttentionCase{"", 2, 9, 9, 4, 2, 6, 4, Pairing::HalfSplit, true, true, true, true, true},
                 AttentionCase{"", 1, 3, 8, 2, 2, 6, 6, Pairing::Interleaved, true, false, false, true}}) {
            AttentionData<double> data(c, Dtype::Float64);
            std::fill(data.gradient.begin(), data.gradient.end(), 0);
            attentionReferenceBackward(data.params, data.gradients);
            for (std::size_t i = 0; i < data.qkv.size(); ++i) {
                const double x = data.qkv[i], step = 1e-5;
                data.qkv[i] = x + step;
                const double above = loss(data);
                data.qkv[i] = x - step;
                const double below = loss(data);
                data.qkv[i] = x;
                const double slope = (above - below) / (2 * step);
                QVERIFY2(std::abs(slope - data.gradient[i]) < 1e-7 * (1 + std::abs(slope)),
                    qPrintable(QString("element %1: %2 for %3").arg(i).arg(data.gradient[i]).arg(slope)));
            }
        }
    }

    void matchesReference_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("isa");
        const std::vector<AttentionCase> cases = attentionCases();
        for (std::size_t i = 0; i < cases.size(); ++i) {
            for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
                if (available(isa))
                    QTest::addRow("%s, %s", cases[i].name.c_str(), isaName(isa).data()) << int(i) << int(isa);
            }
        }
    }
    void matchesReference()
    {
        QFETCH(int, index);
        QFETCH(int, isa);
        const AttentionCase c = attentionCases()[std::size_t(index)];
        const ForwardFunction forward = [&](const AttentionParams& p, const AttentionOutput& out, float* sums) {
            attentionForward(p, out, sums, serialFor, Isa(isa));
        };
        const BackwardFunction backward = [&](const AttentionParams& p, const AttentionGradients& g) {
            attentionBackward(p, g, serialFor, Isa(isa));
        };
        compareAttention<float>(c, Dtype::Float32, 1e-6, forward, backward);
        compareAttention<BFloat16>(c, Dtype::BFloat16, 4e-3, forward, backward);
        compareAttention<Float16>(c, Dtype::Float16, 5e-4, forward, backward);
    }

    void bitsDoNotDependOnTheCut()
    {
        for (const AttentionCase& c : {AttentionCase{"", 2, 75, 75, 8, 4, 40, 24, Pairing::HalfSplit, true, true, true, true},
                 AttentionCase{"", 1, 200, 200, 1, 1, 8, 8}}) {
            AttentionData<float> one(c, Dtype::Float32);
            attentionForward(one.params, one.outView, one.logSumExp.data());
            attentionBackward(one.params, one.gradients);
            for (const ParallelFor& cut : {ParallelFor(backwardsFor), ParallelFor(thirdsFor)}) {
                AttentionData<float> other(c, Dtype::Float32);
                attentionForward(other.params, other.outView, other.logSumExp.data(), cut);
                attentionBackward(other.params, other.gradients, cut);
                QVERIFY(one.out == other.out && one.logSumExp == other.logSumExp && one.gradient == other.gradient);
            }
        }
    }

    void rowsWithoutKeysAreZero()
    {
        const AttentionCase c{"", 2, 20, 20, 2, 2, 16, 16};
        AttentionData<float> data(c, Dtype::Float32);
        std::vector<std::int32_t> first(40, 0);
        std::fill(first.begin() + 20, first.end(), 20);  // the second batch row is padding throughout
        data.params.firstKey = first.data();
        data.params.firstKeyBatchStride = 20;
        attentionForward(data.params, data.outView, data.logSumExp.data());
        attentionBackward(data.params, data.gradients);
        QVERIFY(std::all_of(data.out.begin() + std::ptrdiff_t(data.out.size() / 2), data.out.end(), [](float x) { return x == 0; }));
        QVERIFY(std::all_of(
            data.gradient.begin() + std::ptrdiff_t(data.gradient.size() / 2), data.gradient.end(), [](float x) { return x == 0; }));
        QVERIFY(std::all_of(data.gradient.begin(), data.gradient.end(), [](float x) { return std::isfinite(x); }));
        QCOMPARE(attentionCost(data.params).pairs, 2.0 * 20 * 21 / 2);
    }

    void nonFiniteInputIsNotHidden()
    {
        AttentionData<float> data({"", 1, 20, 20, 1, 1, 16, 16}, Dtype::Float32);
        data.qkv[std::size_t(5 * 48)] = NAN;  // one query
        attentionForward(data.params, data.outView, data.logSumExp.data());
        QVERIFY(std::isnan(data.out[5 * 16]) && std::isnan(data.logSumExp[5]) && std::isfinite(data.out[6 * 16]));
        attentionBackward(data.params, data.gradients);
        QVERIFY(std::isnan(data.gradient[std::size_t(5 * 48 + 1)]));
    }

    // Rotating beforehand with the rotary kernel and attending without tables is the same thing.
    void fusedRotationEqualsRotationBefore()
    {
        const AttentionCase c{"", 2, 30, 30, 4, 2, 32, 16, Pairing::Interleaved};
        AttentionData<float> fused(c, Dtype::Float32), apart(c, Dtype::Float32);
        RotaryParams r;
        r.batch = 2;
        r.tokens = 30;
        r.headDim = 32;
        r.rotaryDim = 16;
        r.pairing = c.pairing;
        r.positions = apart.params.positions;
        r.groups = 2;
        const auto group = [&](const AttentionInput& x, int heads, const std::vector<std::uint8_t>& ladders) {
            RotaryHeads heads_;
            heads_.input = x.data;
            heads_.output = const_cast<void*>(x.data);
            heads_.heads = heads;
            heads_.inputBatch = heads_.outputBatch = x.batchStride;
            heads_.inputToken = heads_.outputToken = x.tokenStride;
            heads_.inputHead = heads_.outputHead = x.headStride;
            heads_.tables = apart.params.queryTables;
            heads_.ladders = ladders.data();
            return heads_;
        };
        r.group[0] = group(apart.params.q, 4, apart.queryLadders);
        r.group[1] = group(apart.params.k, 2, apart.keyLadders);
        rotate(r);
        apart.params.rotaryDim = 0;
        for (AttentionData<float>* data : {&fused, &apart}) {
            attentionForward(data->params, data->outView, data->logSumExp.data());
            attentionBackward(data->params, data->gradients);
        }
        verifyClose(apart.out, fused.out, 1e-6, "out");
        r.direction = Direction::Backward;
        r.group[0].input = r.group[0].output = apart.gradients.dq.data;
        r.group[1].input = r.group[1].output = apart.gradients.dk.data;
        rotate(r);
        verifyClose(apart.gradient, fused.gradient, 1e-6, "gradient");
    }

    void cachedKeysGiveTheLastRows()
    {
        AttentionData<float> whole({"", 2, 50, 50, 4, 2, 16, 16}, Dtype::Float32);
        AttentionData<float> tail({"", 2, 6, 50, 4, 2, 16, 16}, Dtype::Float32);
        attentionForward(whole.params, whole.outView, nullptr);
        attentionForward(tail.params, tail.outView, nullptr);
        std::vector<float> last;
        for (int b = 0; b < 2; ++b)
            last.insert(last.end(), whole.out.begin() + (b * 50 + 44) * 64, whole.out.begin() + (b + 1) * 50 * 64);
        verifyClose(tail.out, last, 1e-6, "out");
    }

    void largeScoresDoNotOverflow()
    {
        AttentionData<float> data({"", 1, 64, 64, 2, 2, 16, 0}, Dtype::Float32), wanted({"", 1, 64, 64, 2, 2, 16, 0}, Dtype::Float32);
        for (AttentionData<float>* x : {&data, &wanted})
            x->params.scale = 3000;
        std::vector<double> sums(wanted.logSumExp.size());
        attentionForward(data.params, data.outView, data.logSumExp.data());
        attentionReference(wanted.params, wanted.outView, sums.data());
        verifyClose(data.out, wanted.out, 1e-2, "out");  // ties between scores of size 1e4 are decided by their last bits
        attentionBackward(data.params, data.gradients);
        QVERIFY(std::all_of(data.gradient.begin(), data.gradient.end(), [](float x) { return std::isfinite(x); }));
    }

    void problemsAreNamed_data()
    {
        QTest::addColumn<QString>("part");
        for (const char* part : {"as many keys", "key heads", "headDim is 0", "headDim is 257", "rotaryDim is 3", "null", "ladder of k head 0",
                 "ladder of q head 3", "planes", "position of batch row 0", "float64", "below 2^30"})
            QTest::addRow("%s", part) << part;
    }
    void problemsAreNamed()
    {
        QFETCH(QString, part);
        AttentionData<float> data({"", 2, 20, 20, 4, 2, 16, 16}, Dtype::Float32);
        AttentionParams& p = data.params;
        if (part == "as many keys")
            p.keys = 19;
        else if (part == "key heads")
            p.keyHeads = 3;
        else if (part == "headDim is 0")
            p.headDim = 0;
        else if (part == "headDim is 257")
            p.headDim = 257;
        else if (part == "rotaryDim is 3")
            p.rotaryDim = 3;
        else if (part == "null")
            p.v.data = nullptr;
        else if (part == "ladder of k head 0")
            data.keyLadders[0] = 2;
        else if (part == "ladder of q head 3")
            data.queryLadders[3] = 9;
        else if (part == "planes")
            p.keyTables.planes = 4;
        else if (part == "position of batch row 0")
            p.positions.offset = -1;
        else if (part == "float64")
            p.dtype = Dtype::Float64;
        else
            p.keys = std::int64_t(1) << 30;
        const std::vector<float> before = data.out;
        try {
            attentionForward(p, data.outView, nullptr);
            QFAIL("was accepted");
        } catch (const std::invalid_argument& e) {
            QVERIFY2(QString(e.what()).contains(part), e.what());
        }
        QVERIFY(before == data.out);
        QVERIFY_EXCEPTION_THROWN(attentionBackward(p, data.gradients), std::invalid_argument);
    }
};

QTEST_APPLESS_MAIN(TestAttention)
#include "tst_kernels_attention.moc"
