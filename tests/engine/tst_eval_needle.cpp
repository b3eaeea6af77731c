#include <QtTest>

#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/eval/evaluator.h"
#include "core/eval/needle_summary.h"
#include "core/eval/needle_task.h"
#include "planted_models.h"

using namespace holo;
using namespace holo::eval;

namespace {

struct Fixture {
    data::SyntheticCorpus corpus{config::SyntheticSpec{}, 256};

    std::unique_ptr<NeedleTask> task(const config::EvalSpec& spec = {}) const { return needleTask(corpus, spec, {}); }

    Options options(int trials) const
    {
        Options options;
        options.spec.trials = trials;
        return options;
    }
};

int occurrences(const planted::Tokens& tokens, std::int64_t end, std::int32_t token)
{
    return int(std::count(tokens.begin(), tokens.begin() + end, token));
}

Json rowsOf(const std::filesystem::path& file)
{
    Json rows = Json::array();
    std::string line;
    for (const char c : readFile(file))
        if (c == '\n')
            rows.push_back(parseJson(std::exchange(line, {}), "row"));
        else
            line += c;
    return rows;
}

}  // namespace

class TestNeedle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void promptIsAsStated()
    {
        const Fixture f;
        const auto task = f.task();
        const auto& v = f.corpus.generator().vocabulary();
        QCOMPARE(task->smallestLength(), std::int64_t(24));
        for (const std::int64_t length : {24, 25, 64, 128, 248})
            for (const double depth : {0.0, .1, .37, .5, .9, 1.0})
                for (std::int64_t trial = 0; trial < 5; ++trial) {
                    const NeedlePrompt p = task->prompt({length, depth, trial}, Haystack::Needle);
                    QCOMPARE(std::int64_t(p.tokens.size()), length);
                    QCOMPARE(p.answerBegin, length - 1);
                    QCOMPARE(p.questionIndex, length - 3);
                    QCOMPARE(p.tokens[0], 0);
                    QCOMPARE(occurrences(p.tokens, length, 0), 1);
                    QCOMPARE(occurrences(p.tokens, length, 1), 6);  // four distractors, the needle, the question
                    const auto at = std::size_t(p.needleIndex);
                    const int name = v.index(p.tokens[at + 1]);
                    QCOMPARE(p.tokens[at], 1);
                    QCOMPARE(v.kind(p.tokens[at + 1]), data::FactsKind::Name);
                    QCOMPARE(p.tokens[at + 2], p.tokens.back());
                    QCOMPARE(p.keyIndex, p.needleIndex + 2);
                    QCOMPARE(v.kind(p.tokens.back()), data::FactsKind::Value);
                    QCOMPARE(p.tokens[at + 3], v.token(data::FactsKind::Unit, name));
                    QCOMPARE(p.tokens[std::size_t(length) - 2], p.tokens[at + 1]);
                    // Nobody else states the answer or the name.
                    QCOMPARE(occurrences(p.tokens, p.answerBegin, p.tokens.back()), 1);
                    QCOMPARE(occurrences(p.tokens, p.questionIndex, p.tokens[at + 1]), 1);
                    const std::int64_t wish = std::llround(depth * double(length - 8));
                    QVERIFY(p.needleIndex - 1 >= wish && p.needleIndex - 1 <= wish + 3);
                    QCOMPARE(p.depthReal, double(p.needleIndex) / double(p.questionIndex - 4));
                    QCOMPARE(p.distance(), length - 1 - p.needleIndex - 2);
                }
    }

    void depthsRiseStrictly()
    {
        const Fixture f;
        const auto task = f.task();
        for (std::int64_t trial = 0; trial < 20; ++trial) {
            double last = -1;
            for (int d = 0; d <= 10; ++d) {
                const NeedlePrompt p = task->prompt({64, d / 10.0, trial}, Haystack::Needle);
                QVERIFY(p.depthReal > last);
                last = p.depthReal;
            }
            QCOMPARE(last, 1.0);
            QCOMPARE(task->prompt({64, 0, trial}, Haystack::Needle).needleIndex, std::int64_t(1));
        }
    }

    void realDepthIsTheStatedShare()
    {
        QCOMPARE(realDepth(0, 230, 14), 0.0);
        QCOMPARE(realDepth(216, 230, 14), 1.0);
        QCOMPARE(realDepth(108, 230, 14), .5);
        QCOMPARE(realDepth(0, 14, 14), 1.0);
    }

    void haystackIsSharedByTheDepthsOfATrial()
    {
        const Fixture f;
        const auto task = f.task();
        const NeedlePrompt a = task->prompt({200, .2, 3}, Haystack::Needle);
        const NeedlePrompt b = task->prompt({200, .8, 3}, Haystack::Needle);
        QVERIFY(std::equal(a.tokens.begin(), a.tokens.begin() + a.needleIndex, b.tokens.begin()));
        std::set<std::string> hashes;
        for (std::int64_t trial = 0; trial < 200; ++trial)
            hashes.insert(hashOfTokens(task->prompt({200, .2, trial}, Haystack::Needle).tokens.data(), 199));
        QCOMPARE(hashes.size(), std::size_t(200));
    }

    void controlsDifferWhereTheyShould()
    {
        const Fixture f;
        const auto task = f.task();
        for (std::int64_t trial = 0; trial < 40; ++trial) {
            const TrialPlace place{128, .5, trial};
            const NeedlePrompt needle = task->prompt(place, Haystack::Needle);
            const NeedlePrompt none = task->prompt(place, Haystack::NoNeedle);
            const NeedlePrompt other = task->prompt(place, Haystack::OtherKey);
            const NeedlePrompt shuffled = task->prompt(place, Haystack::ShuffledFiller);
            QCOMPARE(occurrences(none.tokens, none.answerBegin, none.tokens.back()), 0);
            QCOMPARE(none.tokens.back(), needle.tokens.back());
            QVERIFY(other.tokens[std::size_t(other.keyIndex)] != needle.tokens.back());
            QCOMPARE(other.tokens.back(), needle.tokens.back());
            int differing = 0;
            for (std::size_t i = 0; i < needle.tokens.size(); ++i)
                differing += needle.tokens[i] != other.tokens[i];
            QCOMPARE(differing, 1);
            QCOMPARE(shuffled.needleIndex, needle.needleIndex);
            QVERIFY(shuffled.tokens != needle.tokens);
            auto sortedA = shuffled.tokens;
            auto sortedB = needle.tokens;
            std::sort(sortedA.begin(), sortedA.end());
            std::sort(sortedB.begin(), sortedB.end());
            QCOMPARE(sortedA, sortedB);
        }
    }

    void anOracleFindsAllAndGuessingFindsChance()
    {
        const Fixture f;
        auto oracle = planted::factsOracle(f.corpus);
        const Json right = needle(oracle, f.corpus, f.options(5));
        QCOMPARE(right["mean"].get<double>(), 1.0);
        QCOMPARE(right["cells"].size(), std::size_t(44));
        QCOMPARE(right["chance"].get<double>(), 1.0 / 32);
        for (const Json& cell : right["cells"]) {
            QCOMPARE(cell["rank_mrr"].get<double>(), 1.0);
            QVERIFY(std::abs(cell["nll"].get<double>() + std::log(.8)) < 1e-12);
            QCOMPARE(cell["wilson"][1].get<double>(), 1.0);
            QCOMPARE(cell["outside_training"].get<bool>(), false);
        }
        QCOMPARE(right["controls"]["no_needle"]["exact"].get<double>(), 0.0);
        QCOMPARE(right["controls"]["other_key"]["exact"].get<double>(), 0.0);
        QCOMPARE(right["controls"]["shuffled_filler"]["exact"].get<double>(), 1.0);
        QVERIFY(std::abs(right["controls"]["needle_gain"].get<double>() - std::log(.8 / (.2 / 177))) < 1e-9);

        auto guesser = planted::factsGuesser(f.corpus);
        const double score = needle(guesser, f.corpus, f.options(50))["mean"].get<double>();
        const double error = std::sqrt(1.0 / 32 * 31 / 32 / 2200);
        QVERIFY2(std::abs(score - 1.0 / 32) < 4 * error, qPrintable(QString::number(score)));
    }

    void rankIsAmongTheValues()
    {
        // All values equal: mid-rank (32 + 1)/2, no single maximum.
        const Fixture f;
        planted::Model flat(178, 256, [](auto) { return std::vector<double>(178, -std::log(178.0)); });
        const Json json = needle(flat, f.corpus, f.options(2));
        QCOMPARE(json["rank_among"].get<int>(), 32);
        for (const Json& cell : json["cells"]) {
            QCOMPARE(cell["rank_mrr"].get<double>(), 1 / 16.5);
            QCOMPARE(cell["exact"].get<double>(), 0.0);
        }
    }

    void promptsDependOnTheirPlaceAlone()
    {
        const Fixture f;
        QTemporaryDir folder;
        const std::filesystem::path root(folder.path().toStdString());
        auto oracle = planted::factsOracle(f.corpus);
        auto guesser = planted::factsGuesser(f.corpus);
        Options all = f.options(4);
        all.out = root / "all";
        needle(oracle, f.corpus, all);
        Options some = f.options(2);
        some.spec.lengths = {128};
        some.spec.depths = {1, .3};
        some.out = root / "some";
        const Json other = needle(guesser, f.corpus, some);
        std::map<std::string, std::string> hashes;
        for (const Json& row : rowsOf(all.out / "trials.jsonl"))
            hashes[row["length"].dump() + " " + row["depth"].dump() + " " + row["trial"].dump()] = row["prompt_hash"].get<std::string>();
        QCOMPARE(hashes.size(), std::size_t(4 * 11 * 4));
        const Json rows = rowsOf(some.out / "trials.jsonl");
        QCOMPARE(rows.size(), std::size_t(4));
        for (const Json& row : rows)
            QCOMPARE(hashes[row["length"].dump() + " " + row["depth"].dump() + " " + row["trial"].dump()], row["prompt_hash"].get<std::string>());
        // Another seed of the prompts gives other prompts.
        some.spec.seed = 2;
        QVERIFY(needle(guesser, f.corpus, some)["trials_file_hash"] != other["trials_file_hash"]);
        some.spec.seed = 1;
        QCOMPARE(needle(oracle, f.corpus, some)["trials_file_hash"], other["trials_file_hash"]);
    }

    void recordsHoldWhatIsPromised()
    {
        const Fixture f;
        QTemporaryDir folder;
        Options options = f.options(3);
        options.spec.lengths = {64};
        options.spec.depths = {0, .5};
        options.dumpPrompts = true;
        options.out = std::filesystem::path(folder.path().toStdString()) / "evals" / "needle";
        auto oracle = planted::factsOracle(f.corpus);
        const Json document = needle(oracle, f.corpus, options);
        QCOMPARE(readJsonFile(options.out / "summary.json"), document);
        QVERIFY(std::filesystem::exists(options.out / "spec.json"));
        std::int64_t expected = 0;
        for (const Json& row : rowsOf(options.out / "trials.jsonl")) {
            for (const char* key : {"length", "depth", "depth_real", "trial", "prompt_hash", "prompt_tokens", "needle_index", "needle_tokens", "question_index", "distance", "key", "exact",
                                    "nll", "rank", "moved"})
                QVERIFY2(row.contains(key), key);
            QCOMPARE(row["trial"].get<std::int64_t>(), expected++ % 3);
            const auto prompt = row["prompt"].get<planted::Tokens>();
            QCOMPARE(prompt.size(), row["prompt_tokens"].get<std::size_t>());
            QCOMPARE(hashOfTokens(prompt.data(), prompt.size()), row["prompt_hash"].get<std::string>());
            const auto index = row["needle_index"].get<std::size_t>();
            QCOMPARE(f.corpus.decode({prompt.data() + index + 2, 1}), row["key"].get<std::string>());
            QCOMPARE(row["depth_real"].get<double>(), double(index) / double(row["question_index"].get<int>() - row["needle_tokens"].get<int>()));
        }
        std::int64_t trials = 0;
        for (const Json& bin : document["by_distance"])
            trials += bin["trials"].get<std::int64_t>();
        QCOMPARE(trials, std::int64_t(6));
    }

    void lengthsTooShortAreRefusedOrLeftOut()
    {
        const Fixture f;
        auto oracle = planted::factsOracle(f.corpus);
        for (const std::vector<std::int64_t>& lengths : {std::vector<std::int64_t>{0}, {23}, {-5, 8}}) {
            Options options = f.options(1);
            options.spec.lengths = lengths;
            try {
                needle(oracle, f.corpus, options);
                QFAIL("accepted");
            } catch (const Error& error) {
                QCOMPARE(error.kind(), ErrorKind::Usage);
                QVERIFY(QString(error.what()).contains("24"));
            }
        }
        Options options = f.options(2);
        options.spec.lengths = {10, 300};
        const Json json = needle(oracle, f.corpus, options);
        QCOMPARE(json["cells_not_run"].get<int>(), 11);
        QCOMPARE(json["mean"].get<double>(), 1.0);
        QVERIFY(json["cells"][0]["exact"].is_null());
        QVERIFY(json["cells"][0].contains("not_run"));
        QCOMPARE(json["cells"][11]["outside_training"].get<bool>(), true);
    }

    void badSpecsAreRefused()
    {
        const Fixture f;
        auto oracle = planted::factsOracle(f.corpus);
        for (const std::vector<double>& depths : {std::vector<double>{}, {-.1}, {.5, 1.0001}, {std::nan("")}}) {
            Options options = f.options(1);
            options.spec.depths = depths;
            QVERIFY_THROWS_EXCEPTION(Error, needle(oracle, f.corpus, options));
        }
        config::SyntheticSpec spec;
        spec.names = 4;
        const data::SyntheticCorpus small(spec, 64);
        QVERIFY_THROWS_EXCEPTION(Error, needleTask(small, {}, {}));
        QVERIFY_THROWS_EXCEPTION(Error, run("needles", oracle, f.corpus, f.options(1)));
    }

    void stopsWhenAsked()
    {
        const Fixture f;
        auto oracle = planted::factsOracle(f.corpus);
        Options options = f.options(2);
        options.progress = [](double) { return false; };
        try {
            needle(oracle, f.corpus, options);
            QFAIL("went on");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Interrupted);
        }
    }

    void aSmallValueSetStillWorks()
    {
        config::SyntheticSpec spec;
        spec.values = 2;
        const data::SyntheticCorpus corpus(spec, 256);
        auto oracle = planted::factsOracle(corpus);
        Options options;
        options.spec.trials = 3;
        QCOMPARE(needle(oracle, corpus, options)["mean"].get<double>(), 1.0);
    }

    void answerScoresFollowTheirDefinitions()
    {
        const AnswerScore two = answerScore({{-1, 1, true, 0}, {-2, 3, false, 0}}, false);
        QCOMPARE(two.exact, false);
        QCOMPARE(two.firstToken, true);
        QCOMPARE(two.tokenShare, .5);
        QCOMPARE(two.nll, 3.0);
        QCOMPARE(two.rank, 3.0);
        QCOMPARE(answerScore({{-1, 1, true, 0}}, false).exact, true);
        QCOMPARE(answerScore({{-1, 5, false, 2}}, true).rank, 2.0);
    }
};

QTEST_GUILESS_MAIN(TestNeedle)
#include "tst_eval_needle.moc"
