#include <QtTest>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/data/synthetic.h"
#include "core/eval/evaluator.h"
#include "core/nn/transformer.h"
#include "planted_models.h"

using namespace holo;
using namespace holo::eval;

namespace {

// Three heads of known attention: even, the token before, and the token after the last saying of this one (induction; itself where there is none).
class KnownAttention : public planted::Model {
public:
    KnownAttention()
        : Model(178, 64, [](auto) { return std::vector<double>(178, -std::log(178.0)); })
    {
    }
    bool visitAttention(const std::vector<std::int32_t>& tokens, const std::function<void(const AttentionView&)>& visit) override
    {
        const std::size_t n = tokens.size();
        std::vector<float> weights(3 * n * n, 0.0f);
        for (std::size_t m = 0; m < n; ++m) {
            for (std::size_t k = 0; k <= m; ++k)
                weights[m * n + k] = 1.0f / float(m + 1);
            weights[n * n + m * n + (m > 0 ? m - 1 : 0)] = 1;
            std::size_t target = m;
            for (std::size_t k = 0; k < m; ++k)
                if (tokens[k] == tokens[m])
                    target = k + 1;
            weights[2 * n * n + m * n + target] = 1;
        }
        std::vector<float> queries(3 * n * 4, 0.0f);
        std::vector<float> keys(n * 4, 0.0f);
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t h = 0; h < 3; ++h) {
                queries[(h * n + t) * 4 + 0] = t % 2 ? 1.0f : -1.0f;  // mean 0 over an even number of tokens
                queries[(h * n + t) * 4 + 1] = 3;
            }
        for (std::size_t t = 0; t < n; ++t)
            keys[t * 4 + 0] = 1;
        AttentionView view;
        view.tokens = std::int64_t(n);
        view.headDim = 4;
        view.groupSize = 3;
        view.heads.assign(3, {&m_plan.ladders[0], {false, true, false, true}, {true, true, true, true}});
        view.weights = weights;
        view.queries = queries;
        view.keys = keys;
        visit(view);
        return true;
    }

private:
    ladder::Plan m_plan = ladder::resolve(config::parseScheme("mobius"), {.headDim = 4, .rotaryDim = 4, .context = 64});
};

Options options(std::int64_t length)
{
    Options o;
    o.spec.lengths = {length};
    o.spec.trials = 3;
    return o;
}

}  // namespace

class TestProbe : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownHeadsGiveKnownNumbers()
    {
        const data::SyntheticCorpus corpus{config::SyntheticSpec{}, 64};
        KnownAttention model;
        const Json json = probe(model, corpus, options(64));
        const Json& heads = json["lengths"][0]["heads"];
        QCOMPARE(heads.size(), std::size_t(3));
        for (const Json& head : heads) {
            double sum = 0;
            for (const Json& bucket : head["by_distance"])
                sum += bucket["mass"].get<double>();
            QVERIFY(std::abs(sum - 1) < 1e-6);
            QCOMPARE(head["by_distance"][0]["lo"].get<int>(), 0);
            QCOMPARE(head["by_distance"][1]["lo"].get<int>(), 1);
            QCOMPARE(head["by_distance"][3]["hi"].get<int>(), 8);
        }
        double first = 0;
        double distance = 0;
        double ends = 0;
        for (int m = 32; m < 64; ++m) {
            first += 1.0 / (m + 1) / 32;
            distance += m / 2.0 / 32;
            ends += m >= 56 ? 8.0 / (m + 1) / 8 : 0;
        }
        QVERIFY(std::abs(heads[0]["entropy_share"].get<double>() - 1) < 1e-5);
        QVERIFY(std::abs(heads[0]["first"].get<double>() - first) < 1e-6);
        QVERIFY(std::abs(heads[0]["distance"].get<double>() - distance) < 1e-4);
        QVERIFY(std::abs(heads[0]["ends"].get<double>() - ends) < 1e-6);
        QVERIFY(std::abs(json["lengths"][0]["ends_even"].get<double>() - ends) < 1e-12);
        // The Möbius kernel in closed form, c(Δ) = sin(2Mx)/(2M sin x) with x = πΔ/N, over the 8 × 8 pairs of the two ends.
        double kernel = 0;
        for (int m = 56; m < 64; ++m)
            for (int n = 0; n < 8; ++n) {
                const double x = std::numbers::pi * (m - n) / 64;
                kernel += std::sin(4 * x) / (4 * std::sin(x)) / 64;
            }
        QVERIFY(kernel < -.5);
        for (const Json& head : heads)
            QVERIFY(std::abs(head["ends_kernel"].get<double>() - kernel) < 1e-12);
        QCOMPARE(heads[1]["entropy"].get<double>(), 0.0);
        QCOMPARE(heads[1]["by_distance"][1]["mass"].get<double>(), 1.0);
        QCOMPARE(heads[1]["distance"].get<double>(), 1.0);
        QCOMPARE(heads[2]["induction"].get<double>(), 1.0);
        QVERIFY(heads[1]["induction"].get<double>() < .05);
        const Json& lanes = json["lengths"][0]["lanes"][1];
        QVERIFY(std::abs(lanes["query_mean"][0].get<double>()) < 1e-9);
        QVERIFY(std::abs(lanes["query_mean"][1].get<double>() - 3) < 1e-6);
        QVERIFY(std::abs(lanes["key_mean"][0].get<double>() - 1) < 1e-6);
        // Undertrained lanes 1 and 3: |q| + |k| of 3 and 0; the others 1 and 0.
        QVERIFY(std::abs(lanes["undertrained_ratio"].get<double>() - 3) < 1e-6);
    }

    void aTransformerShowsItsWeights()
    {
        config::ModelSpec spec;
        spec.hidden = 32;
        spec.heads = 4;
        spec.kvHeads = 2;
        spec.context = 64;
        spec = config::resolved(spec, 178);
        nn::Transformer model(spec, ladder::resolve(config::parseScheme("hybrid:share=0.5,special=mobius"), config::modelShape(spec, 1)), 1);
        const auto language = languageModel(model);
        std::vector<std::int32_t> tokens(40);
        for (std::size_t t = 0; t < tokens.size(); ++t)
            tokens[t] = std::int32_t(t * 7 % 178);
        int layers = 0;
        QVERIFY(language->visitAttention(tokens, [&](const AttentionView& view) {
            QCOMPARE(view.layer, layers++);
            QCOMPARE(view.heads.size(), std::size_t(4));
            QCOMPARE(view.groupSize, 2);
            QCOMPARE(view.weights.size(), std::size_t(4 * 40 * 40));
            QCOMPARE(view.queries.size(), std::size_t(4 * 40 * 8));
            QCOMPARE(view.keys.size(), std::size_t(2 * 40 * 8));
            QVERIFY(view.heads[0].ladder->name != view.heads[3].ladder->name);
            // The slowest Möbius plane turns half a time in the context, the fastest standard one many times.
            QVERIFY(view.heads[0].undertrained[0] && !view.heads[3].undertrained[0]);
            QCOMPARE(view.heads[0].undertrained[0], view.heads[0].undertrained[4]);
            for (std::size_t row = 0; row < 4 * 40; ++row) {
                double sum = 0;
                for (std::size_t n = 0; n < 40; ++n) {
                    const float w = view.weights[row * 40 + n];
                    QVERIFY(n <= row % 40 || w == 0);
                    sum += double(w);
                }
                QVERIFY(std::abs(sum - 1) < 1e-5);
            }
        }));
        QCOMPARE(layers, 2);
        // Looking changes nothing.
        const auto before = language->score({{tokens, 1, 40}});
        language->visitAttention(tokens, [](const AttentionView&) {});
        QCOMPARE(language->score({{tokens, 1, 40}}).front().back().logProbability, before.front().back().logProbability);
        const data::SyntheticCorpus corpus{config::SyntheticSpec{}, 64};
        QCOMPARE(probe(*language, corpus, options(32))["lengths"][0]["heads"].size(), std::size_t(8));
    }

    void refusesWhatItCannotShow()
    {
        const data::SyntheticCorpus corpus{config::SyntheticSpec{}, 64};
        auto oracle = planted::factsOracle(corpus);
        QVERIFY_THROWS_EXCEPTION(Error, probe(oracle, corpus, options(32)));
        KnownAttention model;
        QVERIFY_THROWS_EXCEPTION(Error, probe(model, corpus, options(1)));
    }
};

QTEST_GUILESS_MAIN(TestProbe)
#include "tst_eval_probe.moc"
