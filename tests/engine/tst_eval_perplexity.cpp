#include <QtTest>

#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/eval/evaluator.h"
#include "planted_models.h"

using namespace holo;
using namespace holo::eval;

namespace {

// A stream of known tokens cut into windows as a text corpus is, with documents of given lengths between separators.
class ListCorpus : public data::Corpus {
public:
    ListCorpus(planted::Tokens tokens, int vocabulary, int separator = -1)
        : m_tokens(std::move(tokens))
        , m_vocabulary(vocabulary)
        , m_separator(separator)
    {
    }
    int vocabulary() const override { return m_vocabulary; }
    std::string hash() const override { return "list"; }
    Json describe() const override { return Json::object(); }
    std::int64_t windows(data::Split, std::int64_t length) const override { return (std::int64_t(m_tokens.size()) - 1) / length; }
    data::Window window(data::Split, std::int64_t length, std::int64_t index) const override
    {
        const auto begin = m_tokens.begin() + index * length;
        return {{begin, begin + length}, {begin + 1, begin + length + 1}, length};
    }
    std::string decode(std::span<const std::int32_t>) const override { return {}; }
    planted::Tokens encode(const std::string&) const override { return {}; }
    int endOfDocument() const override { return m_separator; }

private:
    planted::Tokens m_tokens;
    int m_vocabulary;
    int m_separator;
};

planted::Tokens counting(int n, int vocabulary)
{
    planted::Tokens tokens;
    for (int i = 0; i < n; ++i)
        tokens.push_back(i % vocabulary);
    return tokens;
}

// −log p of a target is its id / 10.
planted::Model labelled(int vocabulary)
{
    return planted::Model(vocabulary, 16, [vocabulary](std::span<const std::int32_t>) {
        std::vector<double> logs;
        for (int i = 0; i < vocabulary; ++i)
            logs.push_back(-i / 10.0);
        return logs;
    });
}

Options with(std::vector<std::int64_t> lengths, const std::string& mode = "blocks", std::int64_t stride = 0)
{
    Options options;
    options.spec.lengths = std::move(lengths);
    options.perplexityMode = mode;
    options.stride = stride;
    return options;
}

}  // namespace

class TestPerplexity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plantedRuleIsSurelyKnownAndTheShiftedOneIsNot()
    {
        auto model = planted::successor(20);
        const auto right = model.score({{counting(30, 20), 1, 30}});
        for (const ScoredToken& token : right[0]) {
            QVERIFY(token.isArgmax);
            QCOMPARE(token.logProbability, std::log(.9));
        }
        planted::Tokens shifted = counting(30, 20);
        for (std::size_t i = 1; i < shifted.size(); i += 2)
            shifted[i] = (shifted[i] + 1) % 20;
        const auto wrong = model.score({{shifted, 1, 30}});
        for (const ScoredToken& token : wrong[0])
            QVERIFY(!token.isArgmax);
        const ListCorpus corpus(counting(97, 20), 20);
        const Json json = perplexity(model, corpus, with({8, 16}));
        for (const Json& row : json["rows"]) {
            QVERIFY(std::abs(row["ppl"].get<double>() - 1 / .9) < 1e-12);
            QCOMPARE(row["tokens"].get<int>(), 96);
        }
    }

    void isTheMeanOverTokensNotOverWindows()
    {
        // 8 tokens of 3.5 nats, then 24 of 1.5: exp(2) = 7.389056.
        planted::Tokens tokens{0};
        for (int i = 0; i < 32; ++i)
            tokens.push_back(i < 8 ? 35 : 15);
        auto model = labelled(40);
        for (const std::int64_t length : {1, 2, 4, 8, 16, 32}) {
            const Json json = perplexity(model, ListCorpus(tokens, 40), with({length}));
            QVERIFY2(std::abs(json["rows"][0]["ppl"].get<double>() - 7.38905609893065) < 1e-9, qPrintable(QString::number(length)));
            QCOMPARE(json["rows"][0]["tokens"].get<int>(), 32);
        }
        // A window that is left over is not scored: 24 of a length that fits once.
        QCOMPARE(perplexity(model, ListCorpus(tokens, 40), with({24}))["rows"][0]["tokens"].get<int>(), 24);
    }

    void slidingScoresEachTokenOnceWithEnoughBefore()
    {
        std::set<std::pair<std::int64_t, std::int64_t>> seen;
        planted::Tokens tokens = counting(65, 65);
        class Recorder : public planted::Model {
        public:
            using Model::Model;
            std::vector<Request> requests;
            std::vector<std::vector<ScoredToken>> score(const std::vector<Request>& r) override
            {
                requests.insert(requests.end(), r.begin(), r.end());
                return Model::score(r);
            }
        };
        Recorder model(65, 64, [](auto) { return std::vector<double>(65, -std::log(65.0)); });
        for (const std::int64_t stride : {1, 3, 5, 16}) {
            model.requests.clear();
            const Json json = perplexity(model, ListCorpus(tokens, 65), with({16}, "sliding", stride));
            QCOMPARE(json["rows"][0]["tokens"].get<int>(), 64);
            QCOMPARE(json["stride"].get<std::int64_t>(), stride);
            std::multiset<std::int32_t> scored;
            for (const auto& r : model.requests) {
                QVERIFY(r.tokens.size() <= 17);
                for (auto t = r.begin; t < r.end; ++t) {
                    scored.insert(r.tokens[std::size_t(t)]);
                    if (r.tokens[0] != 0)
                        QVERIFY(t >= 16 - stride + 1 || std::int64_t(r.tokens.size()) - 1 < 16);
                }
            }
            QCOMPARE(scored.size(), std::size_t(64));
            for (std::int32_t token = 1; token < 65; ++token)
                QCOMPARE(scored.count(token), std::size_t(1));
        }
    }

    void tailScoresTheSameTokensAtEveryLength()
    {
        auto model = labelled(100);
        planted::Tokens tokens = counting(97, 97);
        const Json json = perplexity(model, ListCorpus(tokens, 100), with({4, 8, 32}, "tail", 3));
        QCOMPARE(json["rows"].size(), std::size_t(3));
        for (const Json& row : json["rows"]) {
            QCOMPARE(row["tokens"].get<int>(), 9);  // the last 3 targets of three windows of 32
            QVERIFY(std::abs(row["nll"].get<double>() - (30 + 31 + 32 + 62 + 63 + 64 + 94 + 95 + 96) / 90.0) < 1e-12);
        }
        QVERIFY_THROWS_EXCEPTION(Error, perplexity(model, ListCorpus(tokens, 100), with({4, 8}, "tail", 5)));
    }

    void truncatedTakesTheBeginningsOfDocuments()
    {
        // Documents 1 2 3 | 4 | 5 6 7 8 9 with separator 0; the last one has no end.
        auto model = labelled(10);
        const ListCorpus corpus({1, 2, 3, 0, 4, 0, 5, 6, 7, 8, 9}, 10, 0);
        const Json json = perplexity(model, corpus, with({2}, "truncated"));
        // Scored: 2 3 | – | 6 7
        QCOMPARE(json["rows"][0]["tokens"].get<int>(), 4);
        QVERIFY(std::abs(json["rows"][0]["nll"].get<double>() - (2 + 3 + 6 + 7) / 40.0) < 1e-12);
    }

    void bucketsCountWhatStandsBefore()
    {
        auto model = labelled(100);
        const Json json = perplexity(model, ListCorpus(counting(17, 17), 100), with({4, 16}));
        const Json& rows = json["by_position"];
        QCOMPARE(rows.size(), std::size_t(5));
        const int lo[] = {1, 2, 4, 8, 16};
        const int tokens[] = {1, 2, 4, 8, 1};
        const double nll[] = {.1, .25, .55, 1.15, 1.6};
        for (std::size_t k = 0; k < 5; ++k) {
            QCOMPARE(rows[k]["lo"].get<int>(), lo[k]);
            QCOMPARE(rows[k]["hi"].get<int>(), 2 * lo[k]);
            QCOMPARE(rows[k]["tokens"].get<int>(), tokens[k]);
            QVERIFY(std::abs(rows[k]["nll"].get<double>() - nll[k]) < 1e-12);
        }
    }

    void theBudgetBoundsTheScoredTokens()
    {
        auto model = labelled(100);
        Options options = with({8});
        options.spec.perplexityTokens = 13;
        QCOMPARE(perplexity(model, ListCorpus(counting(97, 97), 100), options)["rows"][0]["tokens"].get<int>(), 13);
    }

    void syntheticProcessIsItsOwnFloor()
    {
        const data::SyntheticCorpus corpus{config::SyntheticSpec{}, 256};
        // A model that is the process itself.
        planted::Model exact(178, 256, [&](std::span<const std::int32_t> prefix) {
            planted::Tokens tokens(prefix.begin(), prefix.end());
            tokens.push_back(0);
            std::vector<double> logs(178, -30.0);
            const auto before = corpus.generator().vocabulary().kind(prefix.back());
            const bool inSpan = before == data::FactsKind::Record || before == data::FactsKind::Name || before == data::FactsKind::Value;
            for (std::int32_t token = 1; token < 178; ++token) {
                const auto kind = corpus.generator().vocabulary().kind(token);
                if (inSpan ? int(kind) == int(before) + 1 : kind == data::FactsKind::Record || kind >= data::FactsKind::Determiner) {
                    tokens.back() = token;
                    logs[std::size_t(token)] = corpus.generator().logProbabilities(tokens).back();
                }
            }
            return logs;
        });
        Options options = with({32});
        options.spec.perplexityTokens = 64;
        const Json row = perplexity(exact, corpus, options)["rows"][0];
        QVERIFY(std::abs(row["nll"].get<double>() - row["process_nll"].get<double>()) < 1e-12);
        QCOMPARE(row["outside_training"].get<bool>(), false);
    }

    void lengthsWithoutAWindowAreMarkedOrRefused()
    {
        auto model = labelled(100);
        const ListCorpus corpus(counting(20, 20), 100);
        const Json json = perplexity(model, corpus, with({4, 32}));
        QVERIFY(json["rows"][1]["ppl"].is_null());
        QVERIFY(json["rows"][1].contains("not_run"));
        QCOMPARE(json["rows"][1]["outside_training"].get<bool>(), true);
        QCOMPARE(json["cells_not_run"].get<int>(), 1);
        QVERIFY_THROWS_EXCEPTION(Error, perplexity(model, corpus, with({32})));
        QVERIFY_THROWS_EXCEPTION(Error, perplexity(model, corpus, with({})));
        QVERIFY_THROWS_EXCEPTION(Error, perplexity(model, corpus, with({4}, "block")));
    }
};

QTEST_GUILESS_MAIN(TestPerplexity)
#include "tst_eval_perplexity.moc"
