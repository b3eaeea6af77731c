#include <QtTest>

#include <fstream>
#include <set>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/eval/evaluator.h"
#include "core/eval/needle_task.h"
#include "core/eval/needle_template.h"
#include "planted_models.h"

using namespace holo;
using namespace holo::eval;
namespace fs = std::filesystem;

namespace {

std::string prose(int words, const std::vector<std::string>& stock)
{
    RandomStream random(9, "prose");
    std::string text;
    for (int i = 0; i < words; ++i) {
        text += stock[std::size_t(random.below(stock.size()))];
        text += i % 90 == 89 ? "\n\n" : i % 11 == 10 ? ". " : " ";
    }
    return text;
}

const std::vector<std::string> kEnglish{"the", "river", "of", "winter", "light", "and", "some", "people", "walked", "along", "a", "quiet", "street", "in", "1984", "while", "others",
                                        "remembered", "nothing", "but", "rain", "music", "carried", "through", "open", "windows", "it's", "extraordinarily", "late"};
// Without blanks between words, and of more than one byte a letter.
const std::vector<std::string> kUnspaced{"春の夜の夢のごとし猛き者も遂にはほろびぬ", "ひとへに風の前の塵に同じ遠く異朝をとぶらへば", "grüße", "aus", "Ωμέγα"};

std::int64_t occurrences(const std::string& text, const std::string& part)
{
    std::int64_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

}  // namespace

class TestTextNeedle : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::map<std::string, std::unique_ptr<data::Corpus>> m_corpora;
    fs::path root() const { return m_folder.path().toStdString(); }

    const data::Corpus& corpus(const std::string& name)
    {
        auto& corpus = m_corpora[name];
        if (!corpus) {
            const bool spaced = name != "unspaced";
            const std::string file = spaced ? "english.txt" : "unspaced.txt";
            std::ofstream(root() / file) << prose(spaced ? 20000 : 3000, spaced ? kEnglish : kUnspaced);
            config::DataSpec spec;
            spec.source = {file};
            spec.valShare = .5;
            spec.tokenizer = name == "sentencepiece" ? "sentencepiece:400" : "bytes";
            corpus = data::openCorpus(spec, 256, root(), root() / "cache");
        }
        return *corpus;
    }

    std::string templateFile(const std::string& json) const
    {
        std::ofstream(root() / "template.json", std::ios::trunc) << json;
        return "template.json";
    }

private Q_SLOTS:
    void promptsHoldTogether_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("wording");
        const char* plain = "";
        const char* words = R"({"needle": "The {noun} opens with {key}, they say.", "question": "Now, the {noun} opens with", "key": {"kind": "words", "length": 2}})";
        const char* uuid = R"({"needle": "id({noun})={key};", "question": "id({noun})=", "key": {"kind": "uuid"}})";
        const char* many = R"({"distractors": 3})";
        for (const char* corpus : {"bytes", "sentencepiece", "unspaced"}) {
            QTest::addRow("%s, built in", corpus) << corpus << plain;
            QTest::addRow("%s, words", corpus) << corpus << words;
            QTest::addRow("%s, uuid", corpus) << corpus << uuid;
            QTest::addRow("%s, distractors", corpus) << corpus << many;
        }
    }
    void promptsHoldTogether()
    {
        QFETCH(QString, name);
        QFETCH(QString, wording);
        const data::Corpus& c = corpus(name.toStdString());
        config::EvalSpec spec;
        if (!wording.isEmpty())
            spec.templateFile = templateFile(wording.toStdString());
        const auto task = needleTask(c, spec, root());
        const Json described = task->describe();
        const std::int64_t answerTokens = described["answer_tokens"].get<std::int64_t>();
        const std::int64_t smallest = task->smallestLength();
        for (const std::int64_t length : {smallest, smallest + 40, smallest + 200}) {
            std::set<std::string> keys;
            for (std::int64_t trial = 0; trial < 4; ++trial) {
                double last = -1;
                for (int d = 0; d <= 4; ++d) {
                    const NeedlePrompt p = task->prompt({length, d / 4.0, trial}, Haystack::Needle);
                    const Tokens prompt(p.tokens.begin(), p.tokens.begin() + p.answerBegin);
                    const std::string text = c.decode(prompt);
                    const std::string whole = c.decode(p.tokens);
                    QVERIFY2(std::int64_t(p.tokens.size()) <= length, qPrintable(QString("%1 of %2").arg(p.tokens.size()).arg(length)));
                    // Short by less than a word.
                    QVERIFY2(std::int64_t(p.tokens.size()) > length - 26 || length == smallest, qPrintable(QString("%1 of %2").arg(p.tokens.size()).arg(length)));
                    QCOMPARE(p.answerTokens(), answerTokens);
                    QCOMPARE(c.encode(text), prompt);
                    QCOMPARE(c.encode(whole), p.tokens);
                    QVERIFY(whole.starts_with(text) && whole.substr(text.size()).ends_with(p.key));
                    QCOMPARE(occurrences(text, p.key), std::int64_t(1));
                    // The tokens between the stated indices are the needle and hold the key.
                    const auto part = [&](std::int64_t begin, std::int64_t end) { return c.decode({p.tokens.data() + begin, std::size_t(end - begin)}); };
                    const std::string needle = part(p.needleIndex, p.needleIndex + p.needleTokens);
                    QVERIFY2(needle.find(p.key) != std::string::npos, needle.c_str());
                    QVERIFY(p.keyIndex >= p.needleIndex && p.keyIndex < p.needleIndex + p.needleTokens);
                    QVERIFY(part(p.keyIndex, p.needleIndex + p.needleTokens).find(p.key) != std::string::npos);
                    QVERIFY(part(p.keyIndex + 1, p.needleIndex + p.needleTokens).find(p.key) == std::string::npos);
                    QCOMPARE(p.depthReal, realDepth(p.needleIndex, p.questionIndex, p.needleTokens));
                    if (d == 0)
                        QCOMPARE(p.needleIndex, std::int64_t(0));
                    if (d == 4)
                        QCOMPARE(p.needleIndex + p.needleTokens, p.questionIndex);
                    if (length > smallest + 100) {
                        QVERIFY2(p.depthReal > last, qPrintable(QString("%1 after %2").arg(p.depthReal).arg(last)));
                        QVERIFY2(std::abs(p.depthReal - d / 4.0) < .12, qPrintable(QString::number(p.depthReal)));
                        last = p.depthReal;
                    }
                    QCOMPARE(p.moved, std::abs(double(p.needleIndex) - d / 4.0 * double(p.questionIndex - p.needleTokens)) > std::max(8.0, double(length) / 50));
                    if (d == 0)
                        keys.insert(p.key);
                }
            }
            QCOMPARE(keys.size(), std::size_t(4));
        }
        QVERIFY_THROWS_EXCEPTION(Error, task->prompt({smallest - 1, 0, 0}, Haystack::Needle));
    }

    void severalNeedlesAreAskedFor_data()
    {
        QTest::addColumn<QString>("wording");
        QTest::addColumn<int>("asked");
        QTest::addColumn<int>("distractors");
        QTest::newRow("multi-key") << R"({"distractors": 3})" << 1 << 3;
        QTest::newRow("multi-value") << R"({"values": 4, "key": {"kind": "digits", "length": 7}})" << 4 << 0;
        QTest::newRow("multi-query") << R"({"queries": 4, "key": {"kind": "digits", "length": 7}})" << 4 << 0;
        QTest::newRow("multi-query, evenly") << R"({"queries": 3, "spread": "even", "distractors": 1})" << 3 << 1;
        QTest::newRow("noise") << R"({"haystack": "noise", "values": 2})" << 2 << 0;
        QTest::newRow("needles") << R"({"haystack": "needles"})" << 1 << -1;
        QTest::newRow("needles, uuid") << R"({"haystack": "needles", "key": {"kind": "uuid"}})" << 1 << -1;
        QTest::newRow("own text") << R"({"haystack": {"file": "haystack.txt"}})" << 1 << 0;
    }
    void severalNeedlesAreAskedFor()
    {
        QFETCH(QString, wording);
        QFETCH(int, asked);
        QFETCH(int, distractors);
        std::ofstream(root() / "haystack.txt") << "Zebras graze where giraffes sleep.\nLions do neither.\n";
        const data::Corpus& c = corpus("bytes");
        config::EvalSpec spec;
        spec.templateFile = templateFile(wording.toStdString());
        const auto task = needleTask(c, spec, root());
        std::set<std::vector<std::int64_t>> placings;
        for (std::int64_t trial = 0; trial < 4; ++trial)
            for (const double depth : {0.0, .5, 1.0}) {
                const NeedlePrompt p = task->prompt({900, depth, trial}, Haystack::Needle);
                QVERIFY(p.tokens.size() <= 900u);
                const std::string text = c.decode({p.tokens.data(), std::size_t(p.answerBegin)});
                QCOMPARE(c.decode(p.tokens), text + " " + p.key);
                QStringList keys = QString::fromStdString(p.key).split(", ");
                QCOMPARE(keys.size(), asked);
                QCOMPARE(QSet<QString>(keys.begin(), keys.end()).size(), asked);
                // Every key stands once, after the noun of its own needle, which the question names.
                const QString question = QString::fromStdString(text).section("question: the code for ", 1);
                std::vector<std::int64_t> places;
                for (const QString& key : keys) {
                    const QRegularExpression said("the code for ([a-z ]+) is " + key + R"(\.)");
                    const auto match = said.match(QString::fromStdString(text));
                    QVERIFY2(match.hasMatch(), text.c_str());
                    QVERIFY2(question.contains(match.captured(1)), text.c_str());
                    QCOMPARE(QString::fromStdString(text).count(key), 1);
                    places.push_back(match.capturedStart());
                }
                placings.insert(places);
                if (wording.contains("values"))
                    QVERIFY(std::is_sorted(places.begin(), places.end()));
                const int needles = QString::fromStdString(text).count("note: the code for");
                if (distractors >= 0)
                    QCOMPARE(needles, asked + distractors);
                else
                    QVERIFY(needles >= 8 && !QString::fromStdString(text).contains("remembered"));
                if (wording.contains("noise"))
                    QVERIFY(text.find("The sky is blue.") != std::string::npos);
                if (wording.contains("file"))
                    QVERIFY(text.find("giraffes") != std::string::npos && text.find("remembered") == std::string::npos);
                const std::string without = c.decode(task->prompt({900, depth, trial}, Haystack::NoNeedle).tokens);
                for (const QString& key : keys)
                    QCOMPARE(QString::fromStdString(without).count(key), 1);  // the answer
                if (distractors >= 0)
                    QCOMPARE(QString::fromStdString(without).count("note: the code for"), distractors);
            }
        if (asked > 1)
            QVERIFY(placings.size() > 6);
    }

    void realDepthIsWithinTwoPointsOfTheWish()
    {
        // Text without full stops, one byte a token.
        config::DataSpec data;
        data.source = {"nostops.txt"};
        data.valShare = .5;
        std::string text = prose(20000, kEnglish);
        std::erase(text, '.');
        std::ofstream(root() / "nostops.txt") << text;
        const auto c = data::openCorpus(data, 256, root(), root() / "cache-nostops");
        planted::Model model(c->vocabulary(), 1024, [&c](std::span<const std::int32_t>) { return planted::peaked(c->vocabulary(), 'e', .5); });
        Options options;
        options.controls = false;
        options.spec.lengths = {512, 1000};
        options.spec.depths = {0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1};
        options.spec.trials = 20;
        const Json json = needle(model, *c, options);
        for (const Json& cell : json["cells"]) {
            QVERIFY2(std::abs(cell["depth_real"].get<double>() - cell["depth"].get<double>()) < .02, dumpLine(cell).c_str());
            QVERIFY2(cell["depth_off_max"].get<double>() < .02, dumpLine(cell).c_str());
        }
    }

    void controlsTakeTheKeyAway()
    {
        const data::Corpus& c = corpus("bytes");
        const auto task = needleTask(c, {}, {});
        for (std::int64_t trial = 0; trial < 5; ++trial) {
            const TrialPlace place{256, .5, trial};
            const NeedlePrompt needle = task->prompt(place, Haystack::Needle);
            for (const Haystack haystack : {Haystack::NoNeedle, Haystack::OtherKey, Haystack::ShuffledFiller}) {
                const NeedlePrompt p = task->prompt(place, haystack);
                QCOMPARE(p.key, needle.key);
                QVERIFY(p.tokens.size() <= 256u);
                const std::string text = c.decode({p.tokens.data(), std::size_t(p.answerBegin)});
                QCOMPARE(occurrences(text, p.key), std::int64_t(haystack == Haystack::ShuffledFiller));
                QCOMPARE(occurrences(text, "note: the code for"), std::int64_t(haystack != Haystack::NoNeedle));
            }
        }
    }

    void byteExampleHasTheStatedDepths()
    {
        // One byte a token: the needle at the very beginning, and directly before the question.
        const data::Corpus& c = corpus("bytes");
        const auto task = needleTask(c, {}, {});
        const NeedlePrompt first = task->prompt({300, 0, 0}, Haystack::Needle);
        QVERIFY(c.decode(first.tokens).starts_with("note: the code for "));
        QCOMPARE(first.depthReal, 0.0);
        const NeedlePrompt last = task->prompt({300, 1, 0}, Haystack::Needle);
        QCOMPARE(last.depthReal, 1.0);
        QVERIFY(c.decode({last.tokens.data() + last.needleIndex, std::size_t(last.needleTokens)}).ends_with(last.key + ". "));
        QCOMPARE(last.answerTokens(), std::int64_t(6));
    }

    void aCopyingModelFindsTheKey()
    {
        const data::Corpus& c = corpus("bytes");
        // Looks for the longest earlier match of what it has just read, and copies what came next.
        planted::Model copier(c.vocabulary(), 256, [&c](std::span<const std::int32_t> prefix) {
            std::size_t best = 0;
            std::int32_t next = ' ';
            for (std::size_t i = prefix.size() - 1; i-- > 0;) {
                std::size_t n = 0;
                while (n <= i && prefix[i - n] == prefix[prefix.size() - 1 - n])
                    ++n;
                if (n > best) {
                    best = n;
                    next = prefix[i + 1];
                }
            }
            return planted::peaked(c.vocabulary(), next, .9);
        });
        Options options;
        options.spec.lengths = {200};
        options.spec.depths = {0, .5, 1};
        options.spec.trials = 3;
        const Json json = needle(copier, c, options);
        QCOMPARE(json["mean"].get<double>(), 1.0);
        QCOMPARE(json["rank_among"], Json("vocabulary"));
        QCOMPARE(json["chance"].get<double>(), 1.0 / 90000);
        QCOMPARE(json["controls"]["no_needle"]["exact"].get<double>(), 0.0);
        QCOMPARE(json["task"]["bos"]["added"], Json(false));

        options.spec.lengths = {500};
        const Json key = passkey(copier, c, options);
        QCOMPARE(key["rows"][0]["exact"].get<double>(), 1.0);
        QCOMPARE(key["rows"][0]["generated_exact"].get<double>(), 1.0);
        QCOMPARE(key["rows"][0]["generated_agrees"].get<double>(), 1.0);
        options.spec.lengths = {100};
        QVERIFY_THROWS_EXCEPTION(Error, passkey(copier, c, options));
    }

    void filesOfWordingAreChecked_data()
    {
        QTest::addColumn<QString>("json");
        for (const char* json : {R"({"needles": "x"})", R"({"needle": "the {noun}"})", R"({"needle": "{key}"})", R"({"needle": "{noun} {key} {key}"})", R"({"question": "the code is"})",
                                 R"({"question": "{noun} {key}"})", R"({"needle": 3})", R"({"key": "digits"})", R"({"key": {"kind": "letters"}})", R"({"key": {"kind": "digits", "length": 0}})",
                                 R"({"key": {"kind": "digits", "length": 19}})", R"({"key": {"kind": "digits", "length": 2.5}})", R"({"key": {"kinds": 1}})", R"({"distractors": -1})", R"({"values": 0})", R"({"queries": 17})",
                                 R"({"values": 2, "queries": 2})", R"({"spread": "odd"})", R"({"haystack": "essays"})", R"({"haystack": {"file": "missing.txt"}})", R"({"haystack": 3})", "[]", "", "{"})
            QTest::addRow("%s", json) << json;
    }
    void filesOfWordingAreChecked()
    {
        QFETCH(QString, json);
        const fs::path file = root() / templateFile(json.toStdString());
        try {
            readNeedleTemplate(file);
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY(error.kind() == ErrorKind::Usage || error.kind() == ErrorKind::Malformed);
            QVERIFY(QString(error.what()).contains("template.json"));
        }
    }

    void blanksBesideTheKeyDoNotMatter()
    {
        const data::Corpus& c = corpus("bytes");
        config::EvalSpec spec;
        spec.templateFile = templateFile(R"({"question": "question: the code for {noun} is "})");
        const NeedlePrompt blank = needleTask(c, spec, root())->prompt({200, .5, 0}, Haystack::Needle);
        const NeedlePrompt none = needleTask(c, {}, {})->prompt({200, .5, 0}, Haystack::Needle);
        QCOMPARE(blank.tokens, none.tokens);
        QCOMPARE(blank.answerBegin, none.answerBegin);
        QVERIFY_THROWS_EXCEPTION(Error, readNeedleTemplate(root() / "missing.json"));
    }

    void keysOfACellDiffer()
    {
        const struct {
            const char* kind;
            int length;
            int trials;
        } cases[] = {{"digits", 1, 9}, {"digits", 2, 90}, {"digits", 5, 3000}, {"digits", 18, 100}, {"words", 1, 100}, {"words", 3, 1000}, {"uuid", 0, 500}};
        for (const auto& c : cases) {
            const KeySource source(c.kind, c.length);
            std::set<std::string> keys;
            for (int trial = 0; trial < c.trials; ++trial) {
                const std::string key = source.key(77, trial, 0);
                keys.insert(key);
                if (std::string_view(c.kind) == "digits")
                    QVERIFY2(int(key.size()) == c.length && key[0] != '0', key.c_str());
                if (std::string_view(c.kind) == "uuid")
                    QVERIFY(QRegularExpression("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$").match(QString::fromStdString(key)).hasMatch());
            }
            QCOMPARE(keys.size(), std::size_t(c.trials));
            QVERIFY(source.count() >= c.trials);
        }
        QVERIFY(KeySource("digits", 5).key(1, 0, 0) != KeySource("digits", 5).key(2, 0, 0));
        const std::set<std::string> nouns(needleNouns().begin(), needleNouns().end());
        QCOMPARE(nouns.size(), needleNouns().size());
    }

private:
    using Tokens = planted::Tokens;
};

QTEST_GUILESS_MAIN(TestTextNeedle)
#include "tst_eval_text_needle.moc"
