// Operations against LibTorch's own rules in double, for every feature that a head can have.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <complex>

#include <QtTest>

#include "core/ladder/plan.h"
#include "core/nn/attention_layers.h"
#include "core/ops/attention.h"
#include "core/ops/classifier.h"
#include "core/ops/rotary.h"
#include "core/ops/special_attention.h"

using namespace holo;

namespace {

ladder::Plan planFor(const ladder::Scheme& scheme, int heads, int kvHeads, int headDim, int rotaryDim, ladder::Pairing pairing = ladder::Pairing::HalfSplit)
{
    ladder::ModelShape shape;
    shape.layers = 1;
    shape.heads = heads;
    shape.kvHeads = kvHeads;
    shape.headDim = headDim;
    shape.rotaryDim = rotaryDim;
    shape.context = 64;
    shape.pairing = pairing;
    return ladder::resolve(scheme, shape);
}

ladder::Scheme scheme(ladder::Kind kind)
{
    ladder::Scheme s;
    s.kind = kind;
    return s;
}

ladder::Scheme hybrid(ladder::Scheme special, ladder::Scheme rest)
{
    ladder::Scheme s;
    s.kind = ladder::Kind::Hybrid;
    s.parts.push_back({"special", special, 0.5, {}, {}});
    s.parts.push_back({"rest", rest, -1, {}, {}});
    return s;
}

double worst(const at::Tensor& a, const at::Tensor& b)
{
    return ((a - b).abs().max() / b.abs().max().clamp_min(1e-30)).item<double>();
}

at::Tensor deterministic(at::IntArrayRef shape, at::ScalarType type)
{
    std::int64_t count = 1;
    for (const auto n : shape)
        count *= n;
    const at::Tensor x = at::arange(count, at::TensorOptions().dtype(at::kDouble));
    return ((x * 0.7310585).sin() * 1.3 + (x * 0.01931).cos() * 0.4).view(shape).to(type);
}

}  // namespace

class TestEngineOps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void attentionMatchesFirstPrinciples_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<int>("headDim");
        QTest::addColumn<int>("rotaryDim");
        QTest::addColumn<bool>("interleaved");
        const char* names[] = {"standard", "mobius hybrid", "nope", "alibi", "window", "xpos", "yarn temperature mix", "alibi and mobius"};
        for (int which = 0; which < 8; ++which)
            QTest::newRow(names[which]) << which << 4 << 4 << 8 << 8 << false;
        QTest::newRow("one head") << 0 << 1 << 1 << 8 << 8 << false;
        QTest::newRow("grouped") << 1 << 4 << 2 << 8 << 8 << false;
        QTest::newRow("partial") << 0 << 4 << 4 << 16 << 4 << false;
        QTest::newRow("interleaved") << 1 << 4 << 4 << 8 << 8 << true;
    }

    void attentionMatchesFirstPrinciples()
    {
        QFETCH(int, which);
        QFETCH(int, heads);
        QFETCH(int, kvHeads);
        QFETCH(int, headDim);
        QFETCH(int, rotaryDim);
        QFETCH(bool, interleaved);
        using ladder::Kind;
        auto window = scheme(Kind::Window);
        window.parameters["size"] = 7.0;
        auto yarn = scheme(Kind::Yarn);
        yarn.parameters["factor"] = 4.0;
        yarn.parameters["original"] = 64.0;
        const ladder::Scheme schemes[] = {scheme(Kind::Standard), hybrid(scheme(Kind::Mobius), scheme(Kind::Standard)), scheme(Kind::Nope), scheme(Kind::Alibi), window,
            scheme(Kind::Xpos), hybrid(yarn, scheme(Kind::Standard)), hybrid(scheme(Kind::Alibi), scheme(Kind::Mobius))};
        const auto plan = planFor(schemes[which], heads, kvHeads, headDim, rotaryDim, interleaved ? ladder::Pairing::Interleaved : ladder::Pairing::HalfSplit);
        const std::int64_t tokens = 37;
        for (const std::int64_t offset : {0, 11}) {
            const auto layer = nn::attentionLayers(plan, tokens, offset, at::kCPU, true).front();
            const at::Tensor base = deterministic({2, tokens, layer->rowWidth()}, at::kDouble);
            const at::Tensor weight = deterministic({2, tokens, std::int64_t(heads) * headDim}, at::kDouble).cos();

            at::Tensor exact = base.clone().requires_grad_(true);
            const at::Tensor expected = ops::attendReference(exact, *layer);
            (expected * weight).sum().backward();
            // double goes through LibTorch's flash attention, float through our kernel
            QVERIFY(ops::attentionPath(base, *layer) == ops::AttentionPath::Library);
            QVERIFY(ops::attentionPath(base.to(at::kFloat), *layer) == ops::AttentionPath::Kernel);
            for (const auto type : {at::kDouble, at::kFloat}) {
                at::Tensor input = base.to(type).clone().requires_grad_(true);
                const at::Tensor out = ops::attend(input * 1, layer);
                (out * weight.to(type)).sum().backward();
                const double tolerance = type == at::kDouble ? 1e-12 : 3e-5;
                QVERIFY2(worst(out.to(at::kDouble), expected) < tolerance, qPrintable(QString::number(worst(out.to(at::kDouble), expected))));
                QVERIFY2(worst(input.grad().to(at::kDouble), exact.grad()) < tolerance, qPrintable(QString::number(worst(input.grad().to(at::kDouble), exact.grad()))));
            }
        }
    }

    // Against the definition, weight by weight.
    void landmarkWeightsFollowTheirDefinition()
    {
        constexpr int block = 5;
        constexpr std::int64_t tokens = 13;
        const auto plan = planFor(scheme(ladder::Kind::Standard), 2, 2, 8, 8);
        const auto layer = nn::attentionLayers(plan, tokens, 0, at::kCPU, false).front();
        const at::Tensor base = deterministic({1, tokens, layer->rowWidth()}, at::kDouble);
        at::Tensor plain, grouped;
        ops::attendReference(base, *layer, &plain);
        at::Tensor input = base.clone().requires_grad_(true);
        const at::Tensor out = ops::attendLandmark(input * 1, layer, block, 0, &grouped);
        out.sum().backward();
        QVERIFY(input.grad().isfinite().all().item<bool>());

        const auto isLandmark = [](std::int64_t n) { return n % block == block - 1; };
        for (std::int64_t h = 0; h < 2; ++h)
            for (std::int64_t m = 0; m < tokens; ++m) {
                // exp(s) up to a factor of the row, from the plain softmax.
                const auto e = [&](std::int64_t n) { return plain[0][h][m][n].item<double>(); };
                double outer = 0;
                for (std::int64_t n = 0; n <= m; ++n)
                    if (n / block == m / block || isLandmark(n))
                        outer += e(n);
                double sum = 0;
                for (std::int64_t n = 0; n < tokens; ++n) {
                    double expected = 0;
                    if (n <= m && n / block == m / block)
                        expected = e(n) / outer;
                    else if (n < m && !isLandmark(n)) {
                        double inner = 0;
                        for (std::int64_t j = n / block * block; !isLandmark(j); ++j)
                            inner += e(j);
                        expected = e(n) / inner * e(n / block * block + block - 1) / outer;
                    }
                    sum += expected;
                    QVERIFY(std::abs(grouped[0][h][m][n].item<double>() - expected) < 1e-6);
                }
                QVERIFY(std::abs(sum - 1) < 1e-9);
            }
    }

    // Of three earlier blocks a query reads the k with the highest landmarks, and nothing of the others.
    void landmarksRetrieveTheBestBlocks()
    {
        constexpr int block = 4;
        constexpr std::int64_t tokens = 15;
        const auto plan = planFor(scheme(ladder::Kind::Standard), 2, 2, 8, 8);
        const auto layer = nn::attentionLayers(plan, tokens, 0, at::kCPU, false).front();
        const at::Tensor base = deterministic({1, tokens, layer->rowWidth()}, at::kDouble);
        at::Tensor plain, all;
        ops::attendReference(base, *layer, &plain);
        ops::attendLandmark(base.clone(), layer, block, 0, &all);
        for (const int k : {1, 2, 3, 9}) {
            at::Tensor some;
            ops::attendLandmark(base.clone(), layer, block, k, &some);
            for (std::int64_t h = 0; h < 2; ++h)
                for (std::int64_t m = 0; m < tokens; ++m) {
                    std::vector<std::pair<double, std::int64_t>> landmarks;  // by plain score, which the softmax of a row keeps in order
                    for (std::int64_t b = 0; b < m / block; ++b)
                        landmarks.emplace_back(-plain[0][h][m][b * block + block - 1].item<double>(), b);
                    std::sort(landmarks.begin(), landmarks.end());
                    double sum = 0;
                    for (std::size_t rank = 0; rank < landmarks.size(); ++rank) {
                        const double weight = some[0][h][m].narrow(0, landmarks[rank].second * block, block).sum().item<double>();
                        QCOMPARE(weight > 0, rank < std::size_t(k));
                        sum += weight;
                    }
                    sum += some[0][h][m].narrow(0, m / block * block, m % block + 1).sum().item<double>();
                    QVERIFY(std::abs(sum - 1) < 1e-6);
                }
            if (k >= 3)
                QVERIFY(at::equal(some, all));
        }
    }

    void mobiusTransformationOfQueries()
    {
        const auto plan = planFor(scheme(ladder::Kind::Standard), 4, 4, 8, 8);
        const auto layer = nn::attentionLayers(plan, 6, 0, at::kCPU, false).front();
        const at::Tensor x = deterministic({1, 6, layer->rowWidth()}, at::kFloat);
        at::Tensor coefficients = at::zeros({2, 4, 4, 2}, at::TensorOptions().dtype(at::kFloat));
        coefficients.select(2, 0).select(2, 0).fill_(1);
        coefficients.select(2, 3).select(2, 0).fill_(1);
        QVERIFY(at::equal(ops::mobiusQueries(x, *layer, 2, coefficients), x));  // the identity

        // (2z + i) / (z·i + 3) at one lane of head 1, the rest untouched.
        coefficients[1][2][0][0] = 2;
        coefficients[1][2][1][1] = 1;
        coefficients[1][2][2][1] = 1;
        coefficients[1][2][3][0] = 3;
        const at::Tensor y = ops::mobiusQueries(x, *layer, 2, coefficients);
        const std::complex<double> z(x[0][4][8 + 2].item<double>(), x[0][4][8 + 6].item<double>());
        const std::complex<double> i(0, 1);
        const std::complex<double> w = (2.0 * z + i) / (z * i + 3.0);
        QVERIFY(std::abs(y[0][4][8 + 2].item<double>() - w.real()) < 1e-5);
        QVERIFY(std::abs(y[0][4][8 + 6].item<double>() - w.imag()) < 1e-5);
        QVERIFY(at::equal(y.narrow(2, 0, 8), x.narrow(2, 0, 8)));
        QVERIFY(at::equal(y.narrow(2, 16, 80), x.narrow(2, 16, 80)));
        // At a pole the result stays finite, and so does the gradient.
        at::Tensor pole = at::zeros({2, 4, 4, 2}, at::TensorOptions().dtype(at::kFloat)).requires_grad_(true);
        const at::Tensor atPole = ops::mobiusQueries(x, *layer, 2, pole + 0.0);
        atPole.sum().backward();
        QVERIFY(atPole.isfinite().all().item<bool>() && pole.grad().isfinite().all().item<bool>());
    }

    void classifierMatchesCrossEntropy_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("vocabulary");
        QTest::newRow("one chunk") << 70 << 178;
        QTest::newRow("several chunks") << 700 << 20011;
    }

    void classifierMatchesCrossEntropy()
    {
        QFETCH(int, rows);
        QFETCH(int, vocabulary);
        const at::Tensor hidden = deterministic({rows, 16}, at::kFloat);
        const at::Tensor weight = deterministic({vocabulary, 16}, at::kFloat).sin();
        at::Tensor targets = at::arange(rows, at::TensorOptions().dtype(at::kLong)).remainder(vocabulary);
        targets.narrow(0, 3, 9).fill_(-1);
        at::Tensor h1 = hidden.clone().requires_grad_(true), w1 = weight.clone().requires_grad_(true);
        at::Tensor h2 = hidden.to(at::kDouble).requires_grad_(true), w2 = weight.to(at::kDouble).requires_grad_(true);
        const at::Tensor a = ops::classifierLossSum(h1, w1, targets);
        const at::Tensor b = at::cross_entropy_loss(at::matmul(h2, w2.t()), targets, {}, at::Reduction::Sum, -1);
        (a * 0.5).backward();
        (b * 0.5).backward();
        QVERIFY(worst(a.to(at::kDouble), b) < 1e-6);
        QVERIFY(worst(h1.grad().to(at::kDouble), h2.grad()) < 1e-5);
        QVERIFY(worst(w1.grad().to(at::kDouble), w2.grad()) < 1e-5);
        QCOMPARE(ops::classifierLossSum(hidden, weight, targets).item<float>(), a.item<float>());
    }

    void rotaryGradientTurnsBack()
    {
        const auto plan = planFor(hybrid(scheme(ladder::Kind::Mobius), scheme(ladder::Kind::Standard)), 4, 4, 8, 8);
        const auto layer = nn::attentionLayers(plan, 21, 0, at::kCPU, false).front();
        at::Tensor leaf = deterministic({2, 21, layer->rowWidth()}, at::kDouble).requires_grad_(true);
        const at::Tensor weight = deterministic({2, 21, layer->rowWidth()}, at::kDouble).cos();
        (ops::rotaryPacked(leaf * 1, layer) * weight).sum().backward();
        // Rotation is linear, so the gradient of ⟨R x, w⟩ is Rᵀ w; R keeps norms and the v part.
        QVERIFY(worst(leaf.grad().norm(), weight.norm()) < 1e-6);
        const std::int64_t values = 4 * 8;
        QVERIFY(at::equal(leaf.grad().narrow(2, 2 * values, values), weight.narrow(2, 2 * values, values)));
        at::Tensor back = leaf.grad().clone();
        ops::rotatePacked_(back, *layer, false);
        QVERIFY(worst(back, weight) < 1e-6);
    }
};

QTEST_APPLESS_MAIN(TestEngineOps)
#include "tst_engine_ops.moc"
