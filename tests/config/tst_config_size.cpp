#include <QtTest>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/config/project.h"

using namespace holo;
using namespace holo::config;

namespace {

ModelSpec model(const char* style, int layers, int hidden, int heads, int vocab, int mlp = 0)
{
    ModelSpec m;
    m.style = style;
    m.layers = layers;
    m.hidden = hidden;
    m.heads = heads;
    m.mlp = mlp;
    return resolved(m, vocab);
}

}  // namespace

class TestConfigSize : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Pythia's counts as its authors publish them; the 60M model of arXiv 2412.17739 without the input embedding.
    void parameterCounts()
    {
        const ModelSpec small = model("neox", 12, 768, 12, 50304);
        QCOMPARE(parameterCount(small), std::int64_t(162'322'944));
        QCOMPARE(nonEmbeddingParameterCount(small), std::int64_t(85'056'000));
        const ModelSpec large = model("neox", 24, 1024, 16, 50304);
        QCOMPARE(parameterCount(large), std::int64_t(405'334'016));
        QCOMPARE(nonEmbeddingParameterCount(large), std::int64_t(302'311'424));
        QCOMPARE(parameterCount(model("neox", 2, 64, 8, 178)), std::int64_t(122'880));

        const auto withoutInput = [](const ModelSpec& m) { return parameterCount(m) - std::int64_t(m.vocab) * m.hidden; };
        QCOMPARE(std::round(double(withoutInput(model("llama", 8, 512, 8, 50304, 2048))) / 1e5), 593.0);
        QCOMPARE(std::round(double(withoutInput(model("llama", 8, 1024, 8, 50304, 4096))) / 1e5), 1857.0);
        QCOMPARE(std::round(double(withoutInput(model("llama", 16, 2048, 16, 50304, 8192))) / 1e6), 1177.0);
    }

    void groupedHeadsAndTiedEmbeddings()
    {
        ModelSpec m;
        m.style = "llama";
        m.layers = 1;
        m.hidden = 64;
        m.heads = 8;
        m.kvHeads = 2;
        m.mlp = 100;
        m.tied = true;
        const ModelSpec r = resolved(m, 10);
        QCOMPARE(r.headDim, 8);
        QCOMPARE(parameterCount(r), std::int64_t(10 * 64 + 64 * (64 + 16 + 16) + 64 * 64 + 3 * 64 * 100 + 2 * 64 + 64));
    }

    void derivedSizes()
    {
        ModelSpec m;
        m.style = "llama";
        m.hidden = 64;
        QCOMPARE(resolved(m, 5).mlp, 176);  // 8/3·64 = 170.7, up to a multiple of 8
        m.style = "neox";
        QCOMPARE(resolved(m, 5).mlp, 256);
        m.vocab = 7;
        QCOMPARE(resolved(m, 5).vocab, 7);
        m.vocab = 0;
        QVERIFY_THROWS_EXCEPTION(Error, resolved(m, 0));
        m.hidden = 768;
        m.heads = 12;
        m.rotaryPct = 0.25;
        QCOMPARE(modelShape(m, 3).rotaryDim, 16);
        QCOMPARE(modelShape(m, 3).seed, std::uint64_t(3));
    }

    void checkpointHoldsWeightsAndMoments() { QCOMPARE(checkpointBytes(model("neox", 2, 64, 8, 178)), std::int64_t(3 * 4 * 122'880)); }

    // 6 floating-point operations a weight and token, plus causal attention.
    void flops()
    {
        const ModelSpec m = model("neox", 12, 768, 12, 50304);
        const double matrices = 12.0 * 12 * 768 * 768 + 50304.0 * 768;
        QCOMPARE(flopsPerToken(m), 6 * matrices + 6.0 * 12 * 768 * 257);
    }

    void memoryGrowsWithTheBatch()
    {
        RunSpec spec;
        spec.model = model("neox", 2, 64, 8, 178);
        const auto small = peakMemoryBytes(spec);
        QVERIFY(small > 16 * 122'880);
        spec.train.batch *= 2;
        QVERIFY(peakMemoryBytes(spec) > small + small / 4);
    }

    void learningRateIsAPureFunctionOfTheStep()
    {
        TrainSpec t;
        for (const std::int64_t step : {1, 50, 99, 100, 101, 800, 1600}) {
            const double s = double(step - 1);
            const double expected = 4e-3 * std::min(1.0, (s + 1) / 100) * (.1 + .45 * (1 + std::cos(std::numbers::pi * s / 1600)));
            QVERIFY(std::abs(learningRate(t, 1600, step) - expected) <= 1e-17);
        }
        t.warmup = 0.25;
        QCOMPARE(learningRate(t, 40, 5) / learningRate(t, 40, 10), 0.5 * (.1 + .45 * (1 + std::cos(std::numbers::pi * .1))) / (.1 + .45 * (1 + std::cos(std::numbers::pi * .225))));
        t.warmup = 0;
        t.schedule = "linear";
        QCOMPARE(learningRate(t, 10, 1), 4e-3);
        QCOMPARE(learningRate(t, 10, 6), 4e-3 * (1 - .9 * .5));
        t.schedule = "constant";
        QCOMPARE(learningRate(t, 10, 9), 4e-3);
        QCOMPARE(learningRate(t, 0, 1), 4e-3);
    }

    void stepsFromTheTokenBudget()
    {
        RunSpec spec;
        QCOMPARE(totalSteps(spec), std::int64_t(1600));
        spec.train.tokens = 8 * 256 * 10;
        QCOMPARE(totalSteps(spec), std::int64_t(10));
        spec.train.tokens += 1;
        QCOMPARE(totalSteps(spec), std::int64_t(11));
        spec.train.tokens = 2'000'000'000;
        spec.train.batch = 16;
        spec.train.accumulate = 16;
        spec.model.context = 2048;
        QCOMPARE(totalSteps(spec), std::int64_t(3815));
    }
};

QTEST_GUILESS_MAIN(TestConfigSize)
#include "tst_config_size.moc"
