#include <QtTest>

#include <fstream>
#include <numeric>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/corpus.h"
#include "core/data/token_shard_writer.h"

using namespace holo;
using namespace holo::data;
namespace fs = std::filesystem;

class TestCorpus : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path root() const { return m_folder.path().toStdString(); }
    void write(const std::string& name, const std::string& bytes) const
    {
        fs::create_directories((root() / name).parent_path());
        std::ofstream(root() / name, std::ios::binary | std::ios::trunc) << bytes;
    }
    std::unique_ptr<Corpus> open(const config::DataSpec& spec) const { return openCorpus(spec, 16, root(), root() / "cache"); }
    static config::DataSpec text(const std::string& source)
    {
        config::DataSpec spec;
        spec.source = {source};
        spec.valShare = .3;
        return spec;
    }

private Q_SLOTS:
    void textBecomesOverlappingWindows()
    {
        std::string words;
        for (int i = 0; i < 200; ++i)
            words += "word" + std::to_string(i) + " ";
        write("text/a.txt", words);
        const auto corpus = open(text("text/a.txt"));
        QVERIFY(!corpus->isSynthetic());
        QCOMPARE(corpus->vocabulary(), 257);
        QCOMPARE(corpus->endOfDocument(), 256);
        const std::int64_t n = corpus->windows(Split::Train, 16);
        QVERIFY(n > 10);
        std::string joined;
        for (std::int64_t i = 0; i < n; ++i) {
            const Window window = corpus->window(Split::Train, 16, i);
            QCOMPARE(window.inputs.size(), std::size_t(16));
            QCOMPARE(window.scored, std::int64_t(16));
            QVERIFY(std::equal(window.inputs.begin() + 1, window.inputs.end(), window.targets.begin()));
            if (i + 1 < n)
                QCOMPARE(window.targets.back(), corpus->window(Split::Train, 16, i + 1).inputs.front());
            joined += corpus->decode(window.inputs);
        }
        QVERIFY(words.starts_with(joined));
        QCOMPARE(corpus->decode(corpus->encode("grüße")), std::string("grüße"));
        QVERIFY(corpus->windows(Split::Validation, 16) > 0);
        QVERIFY_THROWS_EXCEPTION(Error, corpus->window(Split::Train, 16, n));
        QVERIFY_THROWS_EXCEPTION(Error, corpus->windows(Split::Train, 0));
        // The second time nothing is prepared; the hash names contents and settings.
        QCOMPARE(open(text("text/a.txt"))->hash(), corpus->hash());
        QCOMPARE(open(text((fs::path("cache") / corpus->hash()).string()))->hash(), corpus->hash());
        config::DataSpec other = text("text/a.txt");
        other.valShare = .2;
        QVERIFY(open(other)->hash() != corpus->hash());
    }

    void documentsFillWindowsOfTheirOwn()
    {
        std::string lines;
        for (int i = 0; i < 40; ++i)
            lines += "{\"text\": \"" + std::string(std::size_t(1 + i % 25), char('a' + i % 25)) + "\"}\n";
        write("docs.jsonl", lines);
        config::DataSpec spec = text("docs.jsonl");
        spec.packing = "document";
        const auto corpus = open(spec);
        std::int64_t documents = 0;
        for (const Split split : {Split::Train, Split::Validation})
            for (std::int64_t i = 0; i < corpus->windows(split, 16); ++i) {
                ++documents;
                const Window window = corpus->window(split, 16, i);
                QCOMPARE(window.inputs.size(), std::size_t(16));
                QCOMPARE(window.targets.size(), std::size_t(16));
                const int length = window.inputs[0] - 'a' + 1;
                QVERIFY2(window.scored == std::min(16, length) || window.scored == std::min(16, length - 1), qPrintable(QString::number(length)));
                for (int t = 0; t < 16; ++t) {
                    QCOMPARE(window.targets[std::size_t(t)] == kIgnore, t >= window.scored);
                    if (t < window.scored)
                        QCOMPARE(window.targets[std::size_t(t)], t + 1 < length ? window.inputs[0] : 256);
                }
            }
        QVERIFY(documents >= 38 && documents <= 40);
        spec.packing = "stream";
        QVERIFY(open(spec)->hash() != corpus->hash());
    }

    void shardsHaveNoText()
    {
        std::vector<std::uint32_t> ids(500);
        std::iota(ids.begin(), ids.end(), 0u);
        TokenShardWriter writer(root() / "ids.bin", 2);
        writer.append(ids);
        writer.finish();
        const auto corpus = open(text("ids.bin"));
        QCOMPARE(corpus->vocabulary(), 500);
        QCOMPARE(corpus->endOfDocument(), -1);
        QCOMPARE(corpus->window(Split::Train, 5, 1).inputs, (std::vector<std::int32_t>{5, 6, 7, 8, 9}));
        QCOMPARE(corpus->decode(corpus->window(Split::Train, 3, 0).targets), std::string("1 2 3"));
        QVERIFY_THROWS_EXCEPTION(Error, corpus->encode("text"));
        config::DataSpec spec = text("ids.bin");
        spec.packing = "document";
        QVERIFY_THROWS_EXCEPTION(Error, open(spec));
    }

    void badSourcesAreRefused()
    {
        write("empty.txt", "");
        for (const std::vector<std::string>& sources : {std::vector<std::string>{}, {"missing.txt"}, {"empty.txt"}, {"synthetic", "text/a.txt"}}) {
            config::DataSpec spec;
            spec.source = sources;
            QVERIFY_THROWS_EXCEPTION(Error, open(spec));
        }
    }
};

QTEST_GUILESS_MAIN(TestCorpus)
#include "tst_data_corpus.moc"
