#include <QtTest>

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/data/synthetic.h"
#include "core/eval/evaluator.h"
#include "core/nn/transformer.h"

using namespace holo;
using namespace holo::eval;

namespace {

using Tokens = std::vector<std::int32_t>;
constexpr int kVocabulary = 53;

nn::Transformer model(const std::string& scheme = "hybrid:share=0.25,special=mobius", const std::string& style = "neox", std::uint64_t seed = 5)
{
    config::ModelSpec spec;
    spec.style = style;
    spec.hidden = 32;
    spec.heads = 4;
    spec.context = 48;
    spec = config::resolved(spec, kVocabulary);
    return nn::Transformer(spec, ladder::resolve(config::parseScheme(scheme), config::modelShape(spec, std::int64_t(seed))), seed);
}

Tokens randomTokens(int n, std::uint64_t seed)
{
    RandomStream random(seed, "tokens");
    Tokens tokens;
    for (int i = 0; i < n; ++i)
        tokens.push_back(std::int32_t(random.below(kVocabulary)));
    return tokens;
}

at::Tensor tensor(const Tokens& tokens, std::size_t begin, std::size_t end)
{
    at::Tensor ids = at::empty({1, std::int64_t(end - begin)}, at::TensorOptions().dtype(at::kLong));
    std::copy(tokens.begin() + std::ptrdiff_t(begin), tokens.begin() + std::ptrdiff_t(end), ids.mutable_data_ptr<std::int64_t>());
    return ids;
}

// Log-probabilities in double from the logits of one forward pass over `length` inputs.
std::vector<std::vector<double>> logProbabilities(nn::Transformer& m, const Tokens& tokens, std::size_t length)
{
    const at::Tensor logits = m.logits(m.hidden(tensor(tokens, 0, length))).contiguous();
    std::vector<std::vector<double>> rows;
    for (std::size_t t = 0; t < length; ++t) {
        const float* row = logits.const_data_ptr<float>() + t * kVocabulary;
        double sum = 0;
        const double top = *std::max_element(row, row + kVocabulary);
        for (int v = 0; v < kVocabulary; ++v)
            sum += std::exp(row[v] - top);
        rows.emplace_back();
        for (int v = 0; v < kVocabulary; ++v)
            rows.back().push_back(row[v] - top - std::log(sum));
    }
    return rows;
}

bool sameBits(const std::vector<ScoredToken>& a, const std::vector<ScoredToken>& b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const ScoredToken& x, const ScoredToken& y) {
        return x.logProbability == y.logProbability && x.rank == y.rank && x.isArgmax == y.isArgmax && x.rankAmong == y.rankAmong;
    });
}

std::vector<LanguageModel::Request> mixedRequests()
{
    std::vector<LanguageModel::Request> requests;
    for (int i = 0; i < 30; ++i) {
        const int n = 5 + (i * 7) % 40;
        requests.push_back({randomTokens(n, std::uint64_t(i)), i % 3 == 0 ? 1 : n - 2, n});
        if (i % 4 == 0)
            requests.back().among = {1, 2, 3, 4, requests.back().tokens.back()};
    }
    return requests;
}

}  // namespace

class TestLanguageModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void scoresAreTheSoftmaxOfTheLogits_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<QString>("style");
        for (const char* style : {"neox", "llama"})
            for (const char* scheme : {"standard", "hybrid:share=0.25,special=mobius", "nope", "alibi", "fope", "dynamic-ntk:factor=2"})
                QTest::addRow("%s %s", style, scheme) << scheme << style;
    }
    void scoresAreTheSoftmaxOfTheLogits()
    {
        QFETCH(QString, scheme);
        QFETCH(QString, style);
        nn::Transformer m = model(scheme.toStdString(), style.toStdString());
        const auto lm = languageModel(m);
        QCOMPARE(lm->vocabulary(), kVocabulary);
        QCOMPARE(lm->context(), std::int64_t(48));
        for (const int n : {2, 17, 49, 60}) {
            const Tokens tokens = randomTokens(n, std::uint64_t(n));
            const auto reference = logProbabilities(m, tokens, std::size_t(n - 1));
            const auto scored = lm->score({{tokens, 1, n, {7, 8, 9}}}).front();
            QCOMPARE(scored.size(), std::size_t(n - 1));
            for (int t = 1; t < n; ++t) {
                const auto& row = reference[std::size_t(t - 1)];
                const double own = row[std::size_t(tokens[std::size_t(t)])];
                const ScoredToken& s = scored[std::size_t(t - 1)];
                QVERIFY(std::abs(s.logProbability - own) < 1e-5);
                double above = 0;
                for (const double other : row)
                    above += other > own;
                QVERIFY(std::abs(s.rank - (above + 1)) <= 1);  // equal to float rounding
                QCOMPARE(s.isArgmax, s.rank == 1);
                QCOMPARE(s.rankAmong > 0, tokens[std::size_t(t)] >= 7 && tokens[std::size_t(t)] <= 9);
            }
        }
    }

    void sumEqualsTheTrainingLoss()
    {
        nn::Transformer m = model();
        const auto lm = languageModel(m);
        const Tokens tokens = randomTokens(49, 3);
        const auto scored = lm->score({{tokens, 1, 49, {}, false}}).front();
        double sum = 0;
        for (const ScoredToken& s : scored)
            sum -= s.logProbability;
        const double loss = m.lossSum(tensor(tokens, 0, 48), tensor(tokens, 1, 49)).item<double>();
        QVERIFY2(std::abs(sum - loss) < 1e-5 * loss, qPrintable(QString("%1 %2").arg(sum, 0, 'g', 12).arg(loss, 0, 'g', 12)));
    }

    void resultsDoNotDependOnCompanyOrderOrThreads()
    {
        nn::Transformer m = model();
        const auto lm = languageModel(m);
        const auto requests = mixedRequests();
        const auto together = lm->score(requests);
        for (std::size_t i = 0; i < requests.size(); ++i)
            QVERIFY2(sameBits(lm->score({requests[i]}).front(), together[i]), qPrintable(QString("alone, %1").arg(i)));
        auto reversed = requests;
        std::reverse(reversed.begin(), reversed.end());
        const auto backwards = lm->score(reversed);
        for (std::size_t i = 0; i < requests.size(); ++i)
            QVERIFY2(sameBits(backwards[requests.size() - 1 - i], together[i]), qPrintable(QString("reversed, %1").arg(i)));
        const int threads = at::get_num_threads();
        at::set_num_threads(threads == 1 ? 2 : 1);
        const auto other = lm->score(requests);
        at::set_num_threads(threads);
        for (std::size_t i = 0; i < requests.size(); ++i)
            QVERIFY2(sameBits(other[i], together[i]), qPrintable(QString("threads, %1").arg(i)));
    }

    void lengthRulesLeaveNoTrace()
    {
        nn::Transformer m = model("dynamic-ntk:factor=4");
        const auto lm = languageModel(m);
        const LanguageModel::Request shorter{randomTokens(40, 1), 1, 40};
        const LanguageModel::Request longer{randomTokens(150, 2), 1, 150};
        const auto before = lm->score({shorter}).front();
        const auto far = lm->score({longer}).front();
        QVERIFY(sameBits(lm->score({shorter}).front(), before));
        QVERIFY(sameBits(lm->score({longer}).front(), far));
    }

    void teacherForcedAndGeneratedExactMatchAgree()
    {
        for (const char* scheme : {"standard", "dynamic-ntk:factor=2"}) {
            nn::Transformer m = model(scheme);
            const auto lm = languageModel(m);
            std::vector<Tokens> prompts;
            for (int i = 0; i < 12; ++i)
                prompts.push_back(randomTokens(3 + 7 * (i % 8), std::uint64_t(100 + i)));
            const int count = 6;
            const auto generated = lm->generate(prompts, count);
            for (std::size_t i = 0; i < prompts.size(); ++i) {
                QCOMPARE(generated[i].size(), std::size_t(count));
                Tokens whole = prompts[i];
                whole.insert(whole.end(), generated[i].begin(), generated[i].end());
                const std::int64_t begin = std::int64_t(prompts[i].size());
                const auto scored = lm->score({{whole, begin, begin + count}}).front();
                for (const ScoredToken& s : scored)
                    QVERIFY(s.isArgmax);
                // Another answer is wrong in both ways, from its first wrong token on.
                whole[std::size_t(begin) + 2] = (whole[std::size_t(begin) + 2] + 1) % kVocabulary;
                const auto wrong = lm->score({{whole, begin, begin + count}}).front();
                QVERIFY(wrong[0].isArgmax && wrong[1].isArgmax && !wrong[2].isArgmax);
                QCOMPARE(lm->generate({prompts[i]}, count).front(), generated[i]);
            }
            QCOMPARE(lm->generate(prompts, 0).front().size(), std::size_t(0));
        }
    }

    void aTrainedRuleIsFoundInBothWays()
    {
        // Weights on a unit embedding with a shifted head make "next = token + 1 mod V" without training.
        nn::Transformer m = model("nope");
        const at::NoGradGuard guard;
        for (auto& [name, parameter] : m.parameters()) {
            at::Tensor values = parameter.detach();
            if (name == "embed.weight" || name == "head.weight")
                continue;
            if (name.find("norm") == std::string::npos && name.find(".ln") == std::string::npos)
                values.zero_();
        }
        for (auto& [name, parameter] : m.parameters())
            if (name == "head.weight")
                for (auto& [other, embedding] : m.parameters())
                    if (other == "embed.weight")
                        for (int v = 0; v < kVocabulary; ++v)
                            parameter.detach()[(v + 1) % kVocabulary].copy_(embedding.detach()[v] * 100);
        const auto lm = languageModel(m);
        Tokens counting;
        for (int i = 0; i < 40; ++i)
            counting.push_back(i % kVocabulary);
        int right = 0;
        for (const ScoredToken& s : std::vector<ScoredToken>(lm->score({{counting, 1, 40}}).front()))
            right += s.isArgmax;
        QCOMPARE(right, 39);
        Tokens shifted = counting;
        for (std::size_t i = 1; i < shifted.size(); i += 2)
            shifted[i] = (shifted[i] + 1) % kVocabulary;
        right = 0;
        for (const ScoredToken& s : std::vector<ScoredToken>(lm->score({{shifted, 1, 40}}).front()))
            right += s.isArgmax;
        QCOMPARE(right, 0);
        QCOMPARE(lm->generate({{5}}, 3).front(), (Tokens{6, 7, 8}));
    }

    void badRequestsAreRefused()
    {
        nn::Transformer m = model();
        const auto lm = languageModel(m);
        for (const LanguageModel::Request& request :
             {LanguageModel::Request{{1, 2, 3}, 0, 2}, {{1, 2, 3}, 2, 2}, {{1, 2, 3}, 1, 4}, {{}, 1, 2}, {{1, kVocabulary, 3}, 1, 2}, {{1, -1, 3}, 1, 2}})
            QVERIFY_THROWS_EXCEPTION(Error, lm->score({request}));
        QVERIFY_THROWS_EXCEPTION(Error, lm->generate({{}}, 2));
        QCOMPARE(lm->score({}).size(), std::size_t(0));
    }
};

QTEST_GUILESS_MAIN(TestLanguageModel)
#include "tst_eval_language_model.moc"
