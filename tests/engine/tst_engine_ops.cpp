// Operations against LibTorch's own rules in double, for every feature that a head can have.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>

#include <QtTest>

#include "core/ladder/plan.h"
#include "core/nn/attention_layers.h"
#include "core/ops/attention.h"
#include "core/ops/rotary.h"

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
