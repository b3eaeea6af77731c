// The gradient of every trainable positional scheme in both block styles, against finite differences of the loss.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

#include <QtTest>

#include <set>

#include "core/base/random.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/ladder/kinds.h"
#include "core/nn/transformer.h"
#include "core/train/adamw.h"

using namespace holo;

namespace {

constexpr std::int64_t kTokens = 19;

struct Case {
    std::string scheme;
    std::string qkNorm = "none";
    int kvHeads = 4;
    double rotary = 1;
    bool tied = false;
    std::string pairing = "half";
};

// Lengths of 19 tokens reach past windows, blocks and original contexts of 16.
const std::vector<Case>& cases()
{
    static const std::vector<Case> list = {
        {"standard"},
        {"standard", "layernorm"},
        {"standard", "rms"},
        {"standard", "none", 4, 1, false, "interleaved"},
        {"mobius"},
        {"mobius", "none", 2},
        {"hybrid:share=0.25,special=mobius", "none", 4, .5, true},
        {R"({"kind":"hybrid","parts":[{"name":"N","scheme":"mobius:context=32","heads":[0]},{"name":"N/2","scheme":"mobius:context=16","heads":[1]},{"name":"rest","scheme":"alibi"}]})"},
        {"periodic:variant=A"},
        {"periodic:variant=B"},
        {"twisted:phi=1"},
        {"band:variant=C1"},
        {"band:variant=C2"},
        {"snapped:mode=half"},
        {"snapped:mode=whole"},
        {"fope:mode=official,gain=0.3,fourier_dim=16"},
        {"fope:mode=clean,gain=0.3,fourier_dim=16", "layernorm"},
        {"fope:pad=pass,norm=columns,std=0.1", "none", 2},
        {"fope:parts=fs"},
        {"fope:parts=cf"},
        {"fope:context=64,original=16"},
        {"p-rope:share=0.5"},
        {"clipped:planes=2"},
        {"clipped:planes=1,mode=hard"},
        {"resonance"},
        {"linear:factor=2"},
        {"ntk:factor=2"},
        {"dynamic-ntk:factor=2,original=16"},
        {"yarn:factor=2,original=16"},
        {"yarn:factor=2,original=16,ramp=turn,attention_factor=1"},
        {R"({"kind":"longrope","factor":2,"original":16,"kept":3,"short":[1,1,1,1],"long":[1,1.5,2,2]})"},
        {"llama3:factor=2,original=16"},
        {"mrrope:factor=2,original=256,variant=uni"},
        {"mrrope:factor=2,original=256,variant=pro"},
        {"xpos:scale_base=16"},
        {"xpos:scale_base=16", "none", 2, .5, false, "interleaved"},
        {"alibi"},
        {"alibi:series=plain"},
        {"window:size=8"},
        {"periodic-rope:window=8,pattern=SL"},
        {"periodic-rope:window=8,pattern=SL,log_offset=2"},
        {"landmark:block=8"},
        {"landmark:block=8", "none", 2},
        {"landmark:block=5"},
        {"mobius-attention"},
        {"mobius-attention:share=1", "none", 2, 1, false, "interleaved"},
        {"nope"},
        {"custom:theta=[1,0.5,0.2,0.05]"},
    };
    return list;
}

at::Tensor tokensFor(int vocab, std::uint64_t seed)
{
    RandomStream random(seed, "test");
    at::Tensor tokens = at::empty({2, kTokens}, at::TensorOptions().dtype(at::kLong));
    for (std::int64_t i = 0; i < tokens.numel(); ++i)
        tokens.mutable_data_ptr<std::int64_t>()[i] = std::int64_t(random.below(std::uint64_t(vocab)));
    return tokens;
}

}  // namespace

class TestEngineGradients : public QObject {
    Q_OBJECT

    // The slope of the loss along two random directions within `mask`, by autograd and by differences of step h. Losses in float leave the
    // tolerance open.
    static void compare(nn::Transformer& model, train::AdamW& optimizer, const at::Tensor& tokens, const at::Tensor& targets, const at::Tensor& mask, double h, double tolerance)
    {
        const at::Tensor arena = model.arena();
        optimizer.zeroGradients();
        model.lossSum(tokens, targets).backward();
        const at::NoGradGuard guard;
        for (std::uint64_t direction = 0; direction < 2; ++direction) {
            at::Tensor d = at::zeros_like(arena);
            RandomStream random(direction, "direction");
            for (std::int64_t i = 0; i < d.numel(); ++i)
                d.mutable_data_ptr<float>()[i] = float(random.normal());
            d.mul_(mask);
            const double slope = (optimizer.gradients().to(at::kDouble) * d.to(at::kDouble)).sum().item<double>();
            const at::Tensor start = arena.clone();
            const auto lossAt = [&](double t) {
                arena.copy_(start + d * t);
                return model.lossSum(tokens, targets).item<double>();
            };
            // Fourth order, since float losses forbid a small step.
            const double measured = (8 * (lossAt(h) - lossAt(-h)) - (lossAt(2 * h) - lossAt(-2 * h))) / (12 * h);
            arena.copy_(start);
            QVERIFY2(std::abs(measured - slope) < tolerance + 2e-3 * std::abs(slope), qPrintable(QString("direction %1: %2 against %3").arg(direction).arg(measured).arg(slope)));
        }
    }

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }

    void everyKindIsAmongThem()
    {
        std::set<ladder::Kind> tested;
        for (const Case& c : cases())
            tested.insert(config::parseScheme(c.scheme).kind);
        for (const ladder::KindInfo& info : ladder::kinds())
            QVERIFY2(tested.contains(info.kind), std::string(info.name).c_str());
    }

    void matchFiniteDifferences_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<QString>("style");
        for (std::size_t i = 0; i < cases().size(); ++i)
            for (const char* style : {"neox", "llama"}) {
                const Case& c = cases()[i];
                QTest::addRow("%s %s %s %d %s", style, c.scheme.c_str(), c.qkNorm.c_str(), c.kvHeads, c.pairing.c_str()) << int(i) << QString(style);
            }
    }

    void matchFiniteDifferences()
    {
        QFETCH(int, index);
        QFETCH(QString, style);
        const Case& c = cases()[std::size_t(index)];
        config::ModelSpec spec;
        spec.style = style.toStdString();
        spec.layers = 2;
        spec.hidden = 16;
        spec.heads = 4;
        spec.headDim = 8;
        spec.mlp = 24;
        spec.context = 32;
        spec.qkNorm = c.qkNorm;
        spec.kvHeads = c.kvHeads;
        spec.rotaryPct = c.rotary;
        spec.tied = c.tied;
        spec.pairing = c.pairing;
        spec = config::resolved(spec, 40);
        nn::Transformer model(spec, ladder::resolve(config::parseScheme(c.scheme), config::modelShape(spec, 3)), 3);
        const at::Tensor tokens = tokensFor(spec.vocab, 1);
        at::Tensor targets = tokensFor(spec.vocab, 2);
        targets.select(1, 4).fill_(-1);

        train::AdamW optimizer(model, config::TrainSpec());
        const at::Tensor arena = model.arena();
        at::Tensor attention = at::zeros_like(arena);  // 1 where what positions act on lies
        for (const auto& [name, parameter] : model.parameters())
            if (name.find("attn.qkv") != std::string::npos || name.find("attn.mobius") != std::string::npos)
                attention.narrow(0, parameter.storage_offset(), parameter.numel()).fill_(1);
        compare(model, optimizer, tokens, targets, at::ones_like(arena), 5e-4, .05);

        // Once more for the projections alone, with scores that differ from key to key.
        {
            const at::NoGradGuard guard;
            for (const auto& [name, parameter] : model.parameters())
                if (name.ends_with("qkv.weight"))
                    parameter.detach().mul_(2);
        }
        compare(model, optimizer, tokens, targets, attention, 5e-4, .05);
    }
};

QTEST_GUILESS_MAIN(TestEngineGradients)
#include "tst_engine_gradients.moc"
