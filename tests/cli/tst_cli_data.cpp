#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "core/base/files.h"
#include "engine_process.h"

using namespace holo;
using namespace holo::test;

class TestCliData : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString at(const QString& name) const { return m_folder.filePath(name); }

private Q_SLOTS:
    void preparesTextAndShowsIt()
    {
        std::string text;
        for (int i = 0; i < 400; ++i)
            text += "line " + std::to_string(i) + " of a text\n";
        writeFileAtomic(at("text.txt").toStdString(), text);
        const Outcome made = engine({"data", "prepare", at("text.txt"), "--out", at("data"), "--json"});
        QVERIFY2(made.code == 0, made.err.constData());
        const Json doc = made.document();
        for (const char* key : {"hash", "tokenizer", "vocab", "documents", "tokens", "bytes", "shards", "largest_id", "width"})
            QVERIFY2(doc.contains(key), key);
        QCOMPARE(doc["tokens"]["train"].get<std::size_t>() + doc["tokens"]["val"].get<std::size_t>(), text.size());
        const Json sample = engine({"data", "sample", at("data"), "--at", "5", "--count", "10", "--json"}).document();
        QCOMPARE(sample["text"].get<std::string>(), text.substr(5, 10));
        QCOMPARE(sample["tokens"][0].get<int>(), int(text[5]));
        QCOMPARE(engine({"data", "sample", at("data"), "--at", "100000000"}).code, 2);
        const Json info = engine({"data", "info", at("data"), "--batch", "2", "--length", "16", "--json"}).document();
        QVERIFY(info["shards"][0]["batches"].get<int>() > 10);
    }

    void aFullDiskLeavesNothing()
    {
        writeFileAtomic(at("disk.txt").toStdString(), "some text for a disk that is full");
        QVERIFY(engine({"data", "prepare", at("disk.txt"), "--out", at("disk-data")}).code == 0);
        const auto entries = [&] { return QDir(m_folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot); };
        const QStringList before = entries();
        const QStringList full = {"HOLONOMY_FAULT=write:enospc@1-99"};
        for (const QStringList& arguments : {QStringList{"new", at("project")}, {"data", "prepare", at("disk.txt"), "--out", at("other")}, {"data", "write", at("disk-data"), "--as", "megatron", "--out", at("shard.bin")}}) {
            const Outcome outcome = engine(arguments, full);
            QVERIFY2(outcome.code == 5, outcome.err.constData());
            QCOMPARE(entries(), before);
        }
        // Only the index is refused: the tokens without it would look like a shard.
        QCOMPARE(engine({"data", "write", at("disk-data"), "--as", "megatron", "--out", at("shard.bin")}, {"HOLONOMY_FAULT=write:enospc@2-99"}).code, 5);
        QCOMPARE(entries(), before);
        QCOMPARE(engine({"new", at("project")}).code, 0);
        QCOMPARE(engine({"report", at("project")}, full).code, 5);
        QVERIFY(!QDir(at("project") + "/report").exists());
    }

    // Batches of B windows of T tokens need B·T + 1 tokens: 33 tokens, B = 4, T = 3 give 2 batches and leave 8.
    void countsBatchesOfShards()
    {
        std::string bytes;
        for (int i = 0; i < 33; ++i)
            bytes += {char(i), 0};
        writeFileAtomic(at("raw.bin").toStdString(), bytes);
        const Json doc = engine({"data", "info", at("raw.bin"), "--type", "u16", "--batch", "4", "--length", "3", "--json"}).document();
        QCOMPARE(doc["shards"][0]["tokens"].get<int>(), 33);
        QCOMPARE(doc["shards"][0]["batches"].get<int>(), 2);
        QCOMPARE(doc["shards"][0]["left_over"].get<int>(), 8);
        QVERIFY(doc["shards"][0]["note"].is_null());
        const Outcome none = engine({"data", "info", at("raw.bin"), "--type", "u16", "--batch", "4", "--length", "9"});
        QCOMPARE(none.code, 2);
        QCOMPARE(engine({"data", "info", at("raw.bin")}).code, 2);
    }

    void makesTheSyntheticCorpus()
    {
        const Outcome made = engine({"data", "synth", "facts:documents=20,val_documents=5,names=16", "--out", at("facts"), "--json"});
        QVERIFY2(made.code == 0, made.err.constData());
        const Json doc = made.document();
        QCOMPARE(doc["vocab"].get<int>(), 178);
        QCOMPARE(doc["tokens"]["train"].get<int>(), 20 * 256);
        QCOMPARE(doc["tokens"]["val"].get<int>(), 5 * 256);
        const Json again = engine({"data", "synth", R"({"documents":20,"val_documents":5})", "--out", at("facts2"), "--json"}).document();
        QCOMPARE(again["shards"][0]["sha256"].get<std::string>(), doc["shards"][0]["sha256"].get<std::string>());
        const Json info = engine({"data", "info", at("facts") + "/train_000000.bin", "--json"}).document();
        QCOMPARE(info["tokens"].get<int>(), 20 * 256);
        QVERIFY(info["largest_id"].get<int>() < 178);
        QCOMPARE(engine({"data", "synth", "facts", "--out", at("facts")}).code, 2);
    }
};

QTEST_GUILESS_MAIN(TestCliData)
#include "tst_cli_data.moc"
