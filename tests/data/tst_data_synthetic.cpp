#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/data/synthetic.h"

using namespace holo;
using namespace holo::data;

namespace {

struct Mean {
    double sum = 0;
    double squares = 0;
    int n = 0;

    void add(double x)
    {
        sum += x;
        squares += x * x;
        ++n;
    }
    double value() const { return sum / n; }
    double error() const { return std::sqrt(std::max(0.0, squares / n - value() * value()) / n); }
};

// What 512 validation documents of 256 tokens hold.
struct Census {
    std::map<FactsKind, Mean> nll;  // of the generator, by kind; words under Noun
    Mean all;
    Mean newValue;
    Mean recalledValue;
    Mean factsPerDocument;
    Mean recallsPerDocument;
    std::vector<double> distances;
    std::vector<double> unigrams;
};

Census census(const FactsGenerator& generator, int documents)
{
    Census c;
    c.unigrams.assign(std::size_t(generator.vocabulary().size()), 0.0);
    for (int index = 0; index < documents; ++index) {
        const auto tokens = generator.document(Split::Validation, index, 256);
        const auto logs = generator.logProbabilities(tokens);
        std::map<int, std::int64_t> stated;  // name → place of its fact
        int recalls = 0;
        double total = 0;
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            c.unigrams[std::size_t(tokens[t])] += 1;
            if (t == 0)
                continue;
            total -= logs[t];
            const FactsKind kind = generator.vocabulary().kind(tokens[t]);
            c.nll[kind >= FactsKind::Determiner ? FactsKind::Noun : kind].add(-logs[t]);
            if (kind == FactsKind::Name) {
                const int name = generator.vocabulary().index(tokens[t]);
                if (stated.count(name)) {
                    ++recalls;
                    c.distances.push_back(double(std::int64_t(t) - stated[name]));
                } else {
                    stated[name] = std::int64_t(t);
                }
            }
            if (kind == FactsKind::Value)
                (stated[generator.vocabulary().index(tokens[t - 1])] == std::int64_t(t) - 1 ? c.newValue : c.recalledValue).add(-logs[t]);
        }
        c.all.add(total / double(tokens.size() - 1));
        c.factsPerDocument.add(double(stated.size()));
        c.recallsPerDocument.add(recalls);
    }
    return c;
}

double quantile(std::vector<double> values, double q)
{
    std::sort(values.begin(), values.end());
    return values[std::size_t(q * double(values.size() - 1))];
}

// Within `tolerance` and four standard errors of both samples (the expected figures come from one of the same size).
void compareMean(const Mean& mean, double expected, double resolution, const char* what)
{
    const double allowed = 4 * std::sqrt(2.0) * mean.error() + resolution;
    QVERIFY2(std::abs(mean.value() - expected) <= allowed,
             qPrintable(QString("%1: %2, expected %3 ± %4").arg(what).arg(mean.value()).arg(expected).arg(allowed)));
}

}  // namespace

class TestSynthetic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void vocabularyHasTheStatedLayout()
    {
        const FactsVocabulary v{config::SyntheticSpec{}};
        QCOMPARE(v.size(), 178);
        QCOMPARE(v.token(FactsKind::Name, 0), 2);
        QCOMPARE(v.token(FactsKind::Value, 0), 18);
        QCOMPARE(v.token(FactsKind::Unit, 0), 50);
        QCOMPARE(v.token(FactsKind::Determiner, 0), 66);
        QCOMPARE(v.token(FactsKind::Verb, 31), 177);
        for (std::int32_t token = 0; token < v.size(); ++token) {
            QCOMPARE(v.token(v.kind(token), v.index(token)), token);
            QCOMPARE(v.parse(v.text(token)).value_or(-1), token);
        }
        for (const char* word : {"name16", "name03", "name-1", "name", "value32", "BOS0", "noun48", "", "verb1x"})
            QVERIFY2(!v.parse(word), word);
        QVERIFY_THROWS_EXCEPTION(Error, v.text(178));
        QVERIFY_THROWS_EXCEPTION(Error, v.text(-1));
    }

    // Figures of a prototype in another language with another generator, over 512 documents of 256 tokens.
    void statisticsAreThoseOfTheProcess()
    {
        const FactsGenerator generator{config::SyntheticSpec{}};
        Census c = census(generator, 512);
        compareMean(c.nll[FactsKind::Record], -std::log(.08), .001, "REC");
        compareMean(c.nll[FactsKind::Name], 2.146, .001, "name");
        compareMean(c.newValue, std::log(32.0), 1e-9, "new value");
        compareMean(c.recalledValue, 0, 1e-12, "recalled value");
        compareMean(c.nll[FactsKind::Unit], 0, 1e-12, "unit");
        compareMean(c.factsPerDocument, 5.8, .05, "facts");
        compareMean(c.recallsPerDocument, 10.5, .05, "recalls");
        compareMean(c.nll[FactsKind::Noun], 3.718, .001, "filler");
        compareMean(c.all, 3.147, .001, "all");
        const double expected[] = {8, 30, 68, 122, 202};
        const double shares[] = {.05, .25, .5, .75, .95};
        for (int i = 0; i < 5; ++i) {
            const double found = quantile(c.distances, shares[i]);
            QVERIFY2(std::abs(found - expected[i]) <= std::max(4.0, .06 * expected[i]), qPrintable(QString("%1: %2").arg(shares[i]).arg(found)));
        }
        const double total = std::accumulate(c.unigrams.begin(), c.unigrams.end(), 0.0);
        double entropy = 0;
        for (const double n : c.unigrams)
            entropy -= n > 0 ? n / total * std::log(n / total) : 0;
        QVERIFY2(std::abs(entropy - 4.822) < .02, qPrintable(QString::number(entropy)));
    }

    void probabilitiesOfTheNextTokenSumToOne()
    {
        const FactsGenerator generator{config::SyntheticSpec{}};
        const auto document = generator.document(Split::Train, 5, 64);
        for (const std::size_t at : {std::size_t(1), std::size_t(2), std::size_t(9), std::size_t(30), std::size_t(63)}) {
            double sum = 0;
            std::vector<std::int32_t> prefix(document.begin(), document.begin() + std::ptrdiff_t(at));
            const FactsKind before = generator.vocabulary().kind(prefix.back());
            prefix.push_back(0);
            for (std::int32_t token = 1; token < generator.vocabulary().size(); ++token) {
                // Inside a span only the kind that must follow is asked for.
                const FactsKind kind = generator.vocabulary().kind(token);
                const bool inSpan = before == FactsKind::Record || before == FactsKind::Name || before == FactsKind::Value;
                const bool mayFollow = inSpan ? int(kind) == int(before) + 1 : kind == FactsKind::Record || kind >= FactsKind::Determiner;
                if (!mayFollow || (before == FactsKind::Value))
                    continue;
                prefix.back() = token;
                sum += std::exp(generator.logProbabilities(prefix).back());
            }
            if (before == FactsKind::Record || before == FactsKind::Unit || before >= FactsKind::Determiner || before == FactsKind::Begin)
                QVERIFY2(std::abs(sum - 1) < 1e-12, qPrintable(QString("%1: %2").arg(at).arg(sum, 0, 'g', 17)));
        }
    }

    void documentsArePureAndPrefixesOfLongerOnes()
    {
        const FactsGenerator generator{config::SyntheticSpec{}};
        const auto longer = generator.document(Split::Train, 12, 400);
        const auto shorter = generator.document(Split::Train, 12, 57);
        QVERIFY(std::equal(shorter.begin(), shorter.end(), longer.begin()));
        QVERIFY(generator.document(Split::Validation, 12, 57) != shorter);
        QVERIFY(generator.document(Split::Train, 13, 57) != shorter);
        config::SyntheticSpec other;
        other.seed = 2;
        QVERIFY(FactsGenerator(other).document(Split::Train, 12, 57) != shorter);
    }

    void windowsHaveATargetForEveryInput()
    {
        const SyntheticCorpus corpus{config::SyntheticSpec{}, 256};
        QCOMPARE(corpus.windows(Split::Train, 256), 13000);
        QCOMPARE(corpus.windows(Split::Validation, 64), 512);
        const Window window = corpus.window(Split::Validation, 256, 511);
        QCOMPARE(window.inputs.size(), std::size_t(256));
        QCOMPARE(window.inputs.front(), 0);
        QVERIFY(std::equal(window.inputs.begin() + 1, window.inputs.end(), window.targets.begin()));
        QCOMPARE(window.scored, std::int64_t(256));
        QVERIFY_THROWS_EXCEPTION(Error, corpus.window(Split::Validation, 256, 512));
        QVERIFY_THROWS_EXCEPTION(Error, corpus.window(Split::Train, 256, -1));
        QVERIFY_THROWS_EXCEPTION(Error, corpus.windows(Split::Train, 0));
    }

    void textRoundTrips()
    {
        const SyntheticCorpus corpus{config::SyntheticSpec{}, 256};
        const auto tokens = corpus.generator().document(Split::Train, 0, 200);
        const std::string text = corpus.decode(tokens);
        QVERIFY(text.starts_with("BOS "));
        QCOMPARE(corpus.encode(text), tokens);
        QCOMPARE(corpus.decode(corpus.generator().fact(3, 7)), std::string("REC name3 value7 unit3"));
        QCOMPARE(corpus.encode("  REC\nname3\tvalue7 "), (std::vector<std::int32_t>{1, 5, 25}));
        QCOMPARE(corpus.encode(""), std::vector<std::int32_t>{});
        QVERIFY_THROWS_EXCEPTION(Error, corpus.encode("REC banana"));
    }

    void hashNamesTheDocumentsAlone()
    {
        const config::SyntheticSpec spec;
        const std::string hash = SyntheticCorpus(spec, 256).hash();
        QCOMPARE(hash.size(), std::size_t(64));
        QCOMPARE(SyntheticCorpus(spec, 128).hash(), hash);
        config::SyntheticSpec other = spec;
        other.distractors = 3;
        QCOMPARE(SyntheticCorpus(other, 256).hash(), hash);
        other = spec;
        other.factRate = .1;
        QVERIFY(SyntheticCorpus(other, 256).hash() != hash);
    }

    void smallAndOddSpecsStillGenerate()
    {
        for (const int names : {1, 2, 40})
            for (const int topics : {1, 3, 7})
                for (const double rate : {0.0, .5, 1.0}) {
                    config::SyntheticSpec spec;
                    spec.names = names;
                    spec.values = 2;
                    spec.topics = topics;
                    spec.determiners = 1;
                    spec.adjectives = 2;
                    spec.factRate = rate;
                    spec.recallRate = rate;
                    const FactsGenerator generator(spec);
                    const auto tokens = generator.document(Split::Train, 0, 129);
                    QCOMPARE(tokens.size(), std::size_t(129));
                    const auto logs = generator.logProbabilities(tokens);
                    for (const double p : logs)
                        QVERIFY(std::isfinite(p) && p <= 1e-12);
                    for (const auto token : tokens)
                        QVERIFY(token >= 0 && token < generator.vocabulary().size());
                }
    }

    void openedByItsName()
    {
        const auto corpus = openCorpus(config::DataSpec{}, 256, {}, {});
        QVERIFY(corpus->isSynthetic());
        QCOMPARE(corpus->vocabulary(), 178);
    }
};

QTEST_GUILESS_MAIN(TestSynthetic)
#include "tst_data_synthetic.moc"
