#include <QtTest>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/data/synthetic.h"
#include "core/eval/head_analysis.h"
#include "core/ladder/spectrum.h"
#include "core/nn/transformer.h"
#include "planted_models.h"

using namespace holo;
using namespace holo::eval;
using std::numbers::pi;

namespace {

constexpr int kWidth = 4;
constexpr int kContext = 64;

ladder::Plan planOf(const char* scheme, int heads)
{
    ladder::ModelShape shape;
    shape.headDim = shape.rotaryDim = kWidth;
    shape.context = kContext;
    shape.heads = shape.kvHeads = heads;
    return ladder::resolve(config::parseScheme(scheme), shape);
}

// One layer of heads whose q and k are what `values` says: (head, token, lane, is key).
class KnownVectors : public planted::Model {
public:
    using Values = std::function<double(std::size_t head, std::size_t token, std::size_t lane, bool isKey)>;

    KnownVectors(int heads, Values values)
        : Model(178, kContext, [](auto) { return std::vector<double>(178, -std::log(178.0)); })
        , m_heads(heads)
        , m_values(std::move(values))
    {
    }
    bool visitAttention(const std::vector<std::int32_t>& tokens, const std::function<void(const AttentionView&)>& visit) override
    {
        const std::size_t n = tokens.size();
        std::vector<float> queries;
        std::vector<float> keys;
        for (std::size_t h = 0; h < std::size_t(m_heads); ++h)
            for (std::size_t t = 0; t < n; ++t)
                for (std::size_t lane = 0; lane < kWidth; ++lane) {
                    queries.push_back(float(m_values(h, t, lane, false)));
                    keys.push_back(float(m_values(h, t, lane, true)));
                }
        AttentionView view;
        view.tokens = std::int64_t(n);
        view.headDim = kWidth;
        view.heads.assign(std::size_t(m_heads), {&m_plan.ladders[0], {false, true, false, true}, {true, true, true, true}});
        view.queries = queries;
        view.keys = keys;
        visit(view);
        return true;
    }

private:
    int m_heads;
    Values m_values;
    ladder::Plan m_plan = planOf("standard", 1);
};

double noise(std::size_t head, std::size_t token, std::size_t lane, bool isKey)
{
    return RandomStream(7, "noise", {head, token, lane, std::uint64_t(isKey)}).normal();
}

const data::SyntheticCorpus& corpus()
{
    static const data::SyntheticCorpus corpus{config::SyntheticSpec{}, kContext};
    return corpus;
}

}  // namespace

class TestHeadAnalysis : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Equal q and k everywhere: the score is the kernel, each plane shows its own line.
    void constantVectorsGiveTheKernel()
    {
        const ladder::Plan plan = planOf("mobius", 1);
        KnownVectors model(1, [](auto, auto, auto, auto) { return 1.0; });
        const model::ScoreSpectra spectra = scoreSpectra(model, plan, corpus(), {kContext, 2, {}});
        QCOMPARE(spectra.points, std::int64_t(33));
        QCOMPARE(spectra.windows, std::int64_t(2));
        const model::HeadSpectrum& head = spectra.heads.at(0);
        const double theta[] = {pi / 64, 3 * pi / 64};
        std::vector<double> distances;
        std::vector<double> plane[2];
        for (int delta = 0; delta <= 32; ++delta) {
            distances.push_back(delta);
            for (int j = 0; j < 2; ++j)
                plane[j].push_back(2 * std::cos(theta[j] * delta) / 2);
            QVERIFY(std::abs(head.score[std::size_t(delta)] - plane[0].back() - plane[1].back()) < 1e-6);
        }
        for (std::size_t j = 0; j < 2; ++j) {
            std::complex<double> sum = 0;
            double square = 0;
            for (std::size_t i = 0; i < 33; ++i) {
                sum += plane[j][i] * std::exp(std::complex<double>(0, -theta[j] * distances[i]));
                square += plane[j][i] * plane[j][i];
            }
            QVERIFY(std::abs(head.planes[j].theta - theta[j]) < 1e-12);
            QVERIFY(std::abs(head.planes[j].turns - (double(j) + .5)) < 1e-12);
            QVERIFY(std::abs(head.planes[j].atTheta - std::norm(sum / 33.0)) < 1e-6);
            QVERIFY(std::abs(head.planes[j].power - square / 33) < 1e-6);
            QVERIFY(head.planes[j].leakage < .15);
        }
        QVERIFY(head.leakage < .15);
    }

    // A sign that alternates from token to token moves every line to π − θ: all of it is leakage.
    void alternatingVectorsLeak()
    {
        KnownVectors model(1, [](auto, std::size_t token, auto, bool isKey) { return isKey || token % 2 ? 1.0 : -1.0; });
        // The mean over pairs of one distance cancels; with keys alternating too it is (−1)^Δ.
        KnownVectors both(1, [](auto, std::size_t token, auto, auto) { return token % 2 ? 1.0 : -1.0; });
        const model::HeadSpectrum head = scoreSpectra(both, planOf("mobius", 1), corpus(), {kContext, 1, {}}).heads.at(0);
        QVERIFY(head.leakage > .9);
        QVERIFY(head.planes[0].leakage > .9 && head.planes[1].leakage > .9);
        QVERIFY(std::abs(scoreSpectra(model, planOf("mobius", 1), corpus(), {kContext, 1, {}}).heads.at(0).score[0]) < 1e-6);
    }

    // Any content: scores of a Möbius head change sign after N tokens, of a periodic one they come back, without a position they stay.
    void holonomyOfAnyContent_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<double>("antiPeriodic");
        QTest::addColumn<double>("periodic");
        QTest::addColumn<double>("weighted");
        QTest::newRow("mobius") << "mobius" << 0. << std::sqrt(2.) << -1.;
        QTest::newRow("periodic") << "periodic:variant=A" << std::sqrt(2.) << 0. << 1.;
        QTest::newRow("nope") << "nope" << std::sqrt(2.) << 0. << 0.;
    }

    void holonomyOfAnyContent()
    {
        QFETCH(QString, scheme);
        QFETCH(double, antiPeriodic);
        QFETCH(double, periodic);
        QFETCH(double, weighted);
        KnownVectors model(2, noise);
        const model::HolonomyMap map = headHolonomy(model, planOf(scheme.toUtf8().constData(), 2), corpus(), {32, 2, {}});
        QCOMPARE(map.heads.size(), std::size_t(2));
        for (const auto& head : map.heads) {
            QVERIFY(std::abs(head.antiPeriodic - antiPeriodic) < 1e-5);
            QVERIFY(std::abs(head.periodic - periodic) < 1e-5);
            if (scheme != "nope")
                QVERIFY(std::abs(head.weighted - weighted) < 1e-9);
        }
    }

    // Standard ladder, constant content: residuals from sums of cosines.
    void holonomyOfAStandardHead()
    {
        KnownVectors model(1, [](auto, auto, std::size_t lane, auto) { return lane % 2 ? 2.0 : 1.0; });  // planes (0,2) and (1,3): |q|² = 2 and 8
        const model::HeadHolonomy head = headHolonomy(model, planOf("standard", 1), corpus(), {32, 1, {}}).heads.at(0);
        double plus = 0;
        double minus = 0;
        double squares = 0;
        for (int m = 0; m < 32; ++m)
            for (int n = 0; n <= m; ++n) {
                const auto score = [](double delta) { return 2 * std::cos(delta) + 8 * std::cos(.01 * delta); };
                const double before = score(m - n);
                const double after = score(m - n + 64);
                plus += (before + after) * (before + after);
                minus += (before - after) * (before - after);
                squares += before * before + after * after;
            }
        QVERIFY(std::abs(head.antiPeriodic - std::sqrt(plus / squares)) < 1e-5);
        QVERIFY(std::abs(head.periodic - std::sqrt(minus / squares)) < 1e-5);
        const std::complex<double> weighted = (2.0 * std::exp(std::complex<double>(0, 64)) + 8.0 * std::exp(std::complex<double>(0, .64))) / 10.0;
        QVERIFY(std::abs(head.weighted - weighted) < 1e-6);
        QCOMPARE(head.boundary, std::string("mixed"));
    }

    // Head 1 is head 0 with the sign turned: means of the layer cancel, the heads' own do not. Undertrained lanes 1 and 3 are three times as large.
    void laneMeansByHeadAndLayer()
    {
        KnownVectors model(2, [](std::size_t head, std::size_t token, std::size_t lane, bool isKey) {
            return (head ? -1.0 : 1.0) * (isKey ? .5 : 1) * (lane % 2 ? 3 : 1) + (token % 2 ? .25 : -.25);
        });
        const model::LaneMeanMap map = laneMeans(model, 128, 1);
        QCOMPARE(map.tokens, std::int64_t(128));
        QCOMPARE(map.layers.size(), std::size_t(1));
        QCOMPARE(map.heads.size(), std::size_t(2));
        for (std::size_t lane = 0; lane < 4; ++lane) {
            QVERIFY(map.layers[0].query[lane] < 1e-6 && map.layers[0].key[lane] < 1e-6);
            for (const auto& head : map.heads) {
                QVERIFY(std::abs(head.query[lane] - (lane % 2 ? 3 : 1)) < 1e-6);
                QVERIFY(std::abs(head.key[lane] - (lane % 2 ? 1.5 : .5)) < 1e-6);
                QVERIFY(std::abs(head.undertrainedRatio - 3) < 1e-6);
            }
        }
        QVERIFY(std::abs(map.layers[0].undertrainedRatio - 3) < 1e-6);
    }

    // The real model: heads with Möbius ladders are anti-periodic, whatever the weights.
    void aTransformersMobiusHeadsAreAntiPeriodic()
    {
        config::ModelSpec spec;
        spec.hidden = 32;
        spec.heads = 4;
        spec.kvHeads = 2;
        spec.context = kContext;
        spec = config::resolved(spec, 178);
        const ladder::Plan plan = ladder::resolve(config::parseScheme("hybrid:share=0.5,special=mobius"), config::modelShape(spec, 1));
        nn::Transformer transformer(spec, plan, 1);
        const auto language = languageModel(transformer);
        const auto map = headHolonomy(*language, plan, corpus(), {0, 1, {}});
        QCOMPARE(map.heads.size(), std::size_t(8));
        for (const auto& head : map.heads) {
            const bool special = head.head < 2;
            QVERIFY(special ? head.antiPeriodic < 1e-4 : head.antiPeriodic > .1);
            QVERIFY(std::abs(head.antiPeriodic * head.antiPeriodic + head.periodic * head.periodic - 2) < 1e-9);
        }
        QCOMPARE(scoreSpectra(*language, plan, corpus(), {32, 1, {}}).heads.size(), std::size_t(8));
        QCOMPARE(laneMeans(*language, 100, 1).heads.size(), std::size_t(8));
    }

    void refusals()
    {
        auto oracle = planted::factsOracle(corpus());
        QVERIFY_THROWS_EXCEPTION(Error, laneMeans(oracle, 100, 1));
        QVERIFY_THROWS_EXCEPTION(Error, headHolonomy(oracle, planOf("mobius", 1), corpus(), {}));
        KnownVectors model(1, noise);
        QVERIFY_THROWS_EXCEPTION(Error, laneMeans(model, 1, 1));
        QVERIFY_THROWS_EXCEPTION(Error, scoreSpectra(model, planOf("mobius", 1), corpus(), {2, 1, {}}));
        QVERIFY_THROWS_EXCEPTION(Error, headHolonomy(model, planOf("mobius", 1), corpus(), {65, 1, {}}));
    }
};

QTEST_GUILESS_MAIN(TestHeadAnalysis)
#include "tst_eval_head_analysis.moc"
