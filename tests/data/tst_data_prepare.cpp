#include <QtTest>

#include <filesystem>
#include <fstream>
#include <set>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/byte_tokenizer.h"
#include "core/data/data_info.h"
#include "core/data/prepare.h"
#include "core/data/token_shard_writer.h"
#include "tests/temporary_folder.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::data;
namespace fs = std::filesystem;
using Ids = std::vector<std::uint32_t>;

class TestPrepare : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    static Ids all(const TokenStream& stream)
    {
        Ids ids(stream.tokens());
        stream.read(0, ids.size(), ids.data());
        return ids;
    }

    static int code(const std::function<void()>& action, std::string* message = nullptr)
    {
        try {
            action();
            return 0;
        } catch (const Error& e) {
            if (message)
                *message = e.what();
            return exitCode(e.kind());
        }
    }

    int hiddenEntries(const fs::path& folder) const
    {
        int count = 0;
        for (const auto& entry : fs::directory_iterator(folder))
            count += entry.path().filename().string().starts_with(".");
        return count;
    }

private Q_SLOTS:
    void separatesDocumentsAndCountsThem()
    {
        write("docs/a.txt", "first");
        write("docs/b.txt", "second <|endoftext|>");
        write("docs/c.jsonl", "{\"text\":\"third\"}\n{\"text\":\"fourth\"}\n");
        PrepareOptions options;
        options.sources = {path("docs")};
        options.validationShare = 0;
        const PreparedData data = prepare(options, path("cache"));
        QCOMPARE(data.folder(), path("cache") / preparedHash(options));
        std::string text;
        for (const std::uint32_t id : all(data.train()))
            text += id == 256 ? '|' : char(id);
        QCOMPARE(text, std::string("first|second <|endoftext|>|third|fourth"));
        QCOMPARE(data.validation().tokens(), std::uint64_t(0));
        const Json& json = data.description();
        QCOMPARE(json["documents"].get<int>(), 4);
        QCOMPARE(json["separators"].get<int>(), 3);
        QCOMPARE(json["tokens"]["train"].get<int>(), 39);
        QCOMPARE(json["tokenizer"].get<std::string>(), std::string("bytes"));
        QCOMPARE(json["largest_id"].get<int>(), 256);
        QCOMPARE(json["width"].get<int>(), 2);
        QCOMPARE(data.vocabulary(), 257u);
        QCOMPARE(data.tokenizer()->kind(), std::string("bytes"));
        data.verify();
        QCOMPARE(hiddenEntries(path("cache")), 0);

        // A second call only opens it; moved data keeps its hash.
        const auto time = fs::last_write_time(data.folder() / "data.json");
        prepare(options, path("cache"));
        QCOMPARE(fs::last_write_time(data.folder() / "data.json"), time);
        fs::rename(path("docs"), path("moved"));
        PrepareOptions moved = options;
        moved.sources = {path("moved")};
        QCOMPARE(preparedHash(moved), data.hash());
        moved.validationShare = 0.1;
        QVERIFY(preparedHash(moved) != data.hash());
    }

    void splitsByContent()
    {
        std::string lines;
        for (int i = 0; i < 2000; ++i)
            lines += "{\"text\":\"document " + std::to_string(i) + "\"}\n";
        PrepareOptions options;
        options.sources = {write("many.jsonl", lines)};
        options.validationShare = 0.1;
        options.shardTokens = 5000;
        const PreparedData data = prepareInto(options, path("many"));
        const int held = data.description()["validation_documents"].get<int>();
        QVERIFY2(held > 150 && held < 250, std::to_string(held).c_str());
        QVERIFY(data.train().shards().size() > 1);
        const auto documents = [](const TokenStream& stream) {
            std::set<std::string> set;
            std::string text = ByteTokenizer().decode(all(stream));
            for (std::size_t at = 0, end; at <= text.size(); at = end + 13) {
                end = std::min(text.find("<|endoftext|>", at), text.size());
                set.insert(text.substr(at, end - at));
            }
            return set;
        };
        const auto train = documents(data.train());
        const auto validation = documents(data.validation());
        QCOMPARE(int(validation.size()), held);
        QCOMPARE(train.size() + validation.size(), std::size_t(2000));

        // Where a document goes does not depend on its neighbours.
        options.sources = {write("fewer.jsonl", lines.substr(0, lines.size() / 2 + lines.substr(lines.size() / 2).find('\n') + 1))};
        for (const std::string& document : documents(prepareInto(options, path("fewer")).validation()))
            QVERIFY(validation.contains(document));
        options.seed = 1;
        QVERIFY(documents(prepareInto(options, path("other")).validation()) != validation);
    }

    void oneDocumentGivesItsEnd()
    {
        const std::string text(10000, 'a');
        PrepareOptions options;
        options.sources = {write("one.txt", text + "END")};
        options.shardTokens = 3000;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {  // by chance the one document is drawn for validation under some of these
            options.seed = seed;
            const PreparedData data = prepareInto(options, path("one" + std::to_string(seed)));
            QCOMPARE(data.train().tokens(), std::uint64_t(9503));
            QCOMPARE(data.validation().tokens(), std::uint64_t(500));
            QCOMPARE(ByteTokenizer().decode(all(data.validation())).substr(497), std::string("END"));
            QCOMPARE(data.description()["notes"].size(), std::size_t(1));
            data.verify();
        }
    }

    // Long documents in pieces and many short ones, so that blocks end within and between them.
    void theNumberOfThreadsChangesNothing()
    {
        std::string lines;
        std::string longText;
        for (int i = 0; i < 60000; ++i) {
            longText += "Word " + std::to_string(i * 7919 % 1000) + (i % 17 == 0 ? ".\\n" : " and ");
            if (i % 20 == 0)
                lines += "{\"text\": \"short document number " + std::to_string(i) + ", it's one\"}\n";
            if (i % 20000 == 10000)
                lines += "{\"text\": \"" + longText + longText + longText + "\"}\n";
        }
        PrepareOptions options;
        options.sources = {write("many.jsonl", lines)};
        options.validationShare = 0.2;
        options.tokenizer = HOLO_SOURCE_DIR "/tests/data/fixtures/bpe/neox.tokenizer.json";
        Json wanted;
        for (const unsigned threads : {1u, 2u, 5u}) {
            options.threads = threads;
            const PreparedData data = prepareInto(options, path("threads-" + std::to_string(threads)));
            if (threads == 1)
                wanted = data.description();
            QCOMPARE(data.description(), wanted);
            data.verify();
        }
        QVERIFY(wanted["documents"].get<int>() > 3000 && wanted["tokens"]["train"].get<int>() > 100000);
    }

    void takesShards()
    {
        TokenShardWriter writer(path("in.bin"), 4);
        Ids ids(1000);
        for (std::size_t i = 0; i < ids.size(); ++i)
            ids[i] = std::uint32_t(i == 500 ? 70000 : i);
        writer.append(ids);
        writer.finish();
        PrepareOptions options;
        options.sources = {path("in.bin")};
        options.vocabulary = 80000;
        options.validationShare = 0.1;
        const PreparedData data = prepareInto(options, path("shards"));
        QCOMPARE(data.train().tokens(), std::uint64_t(900));
        QCOMPARE(all(data.train())[500], 70000u);
        QCOMPARE(all(data.validation()).back(), 999u);
        QCOMPARE(data.description()["width"].get<int>(), 4);
        QVERIFY(data.tokenizer() == nullptr);
        QCOMPARE(data.endOfDocument(), std::int64_t(-1));

        std::string message;
        options.vocabulary = 60000;
        QCOMPARE(code([&] { prepareInto(options, path("shards2")); }, &message), 3);
        for (const char* part : {"in.bin", "token 500", "70000", "60000"})
            QVERIFY2(message.find(part) != std::string::npos, message.c_str());
        QVERIFY(!fs::exists(path("shards2")));
        QCOMPARE(hiddenEntries(path(".")), 0);
        options.vocabulary = 0;
        QCOMPARE(prepareInto(options, path("shards3")).vocabulary(), 70001u);

        std::ofstream(path("raw.tokens"), std::ios::binary) << "abcd";
        options.sources = {path("raw.tokens")};
        options.type = TokenType::U16;
        QCOMPARE(prepareInto(options, path("raw")).train().tokens(), std::uint64_t(2));
    }

    void refusesWhatItCannotUse()
    {
        PrepareOptions options;
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 2);
        options.sources = {write("empty.txt", "")};
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 3);
        fs::create_directory(path("emptyfolder"));
        options.sources = {path("emptyfolder")};
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 3);
        options.sources = {path("missing.txt")};
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 3);
        options.sources = {write("t.txt", "text")};
        options.tokenizer = "sentencepiece:12";
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 2);
        options.tokenizer = path("missing.json").string();
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 3);
        options.tokenizer = "bytes";
        options.vocabulary = 200;
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 2);
        options.vocabulary = 0;
        options.validationShare = 1.5;
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 2);
        options.validationShare = 0;
        options.sources = {path("t.txt"), write("t.bin", "abcd")};
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 2);
        options.sources = {write("bad.txt", "a\xFF")};
        QCOMPARE(code([&] { prepareInto(options, path("x")); }), 3);
        options.sources = {path("t.txt")};
        QVERIFY(!fs::exists(path("x")));
        QCOMPARE(hiddenEntries(path(".")), 0);

        write("used/file", "x");
        QCOMPARE(code([&] { prepareInto(options, path("used")); }), 2);
        prepareInto(options, path("same"));
        options.seed = 5;
        QCOMPARE(code([&] { prepareInto(options, path("same")); }), 2);
        fs::create_directory(path("fresh"));
        prepareInto(options, path("fresh"));
        QCOMPARE(code([&] { prepareInto(options, path("t.txt/below")); }), 5);
    }

    void openingChecksTheFolder()
    {
        PrepareOptions options;
        options.sources = {write("o.txt", "some text to open")};
        const PreparedData data = prepareInto(options, path("open"));
        const Json good = readJsonFile(path("open/data.json"));
        const auto openCode = [&](auto change) {
            Json json = good;
            change(json);
            write("open/data.json", dumpPretty(json));
            return code([&] { PreparedData::open(path("open")).verify(); });
        };
        QCOMPARE(openCode([](Json&) {}), 0);
        QCOMPARE(openCode([](Json& j) { j["format"] = 2; }), 4);
        QCOMPARE(openCode([](Json& j) { j.erase("format"); }), 3);
        QCOMPARE(openCode([](Json& j) { j["vocab"] = -1; }), 3);
        QCOMPARE(openCode([](Json& j) { j["shards"][0]["tokens"] = 1; }), 3);
        QCOMPARE(openCode([](Json& j) { j["shards"][0]["file"] = "../open/train_000000.bin"; }), 3);
        QCOMPARE(openCode([](Json& j) { j["shards"][0]["file"] = "gone.bin"; }), 3);
        QCOMPARE(openCode([](Json& j) { j["shards"][0]["part"] = "test"; }), 3);
        QCOMPARE(openCode([](Json& j) { j["shards"][0]["sha256"] = "00"; }), 3);
        QCOMPARE(openCode([](Json& j) { j["shards"] = 5; }), 3);
        QCOMPARE(openCode([](Json& j) { j["tokens"]["train"] = 5; }), 3);
        QCOMPARE(openCode([](Json& j) { j["width"] = 4; }), 3);
        write("open/data.json", "{");
        QCOMPARE(code([&] { PreparedData::open(path("open")); }), 3);
        QCOMPARE(code([&] { PreparedData::open(path("nowhere")); }), 3);
        openCode([](Json&) {});
        fs::resize_file(path("open/train_000000.bin"), 1030);
        QCOMPARE(code([&] { PreparedData::open(path("open")); }), 3);
    }

    void keepsTheTokenizerBesideTheData()
    {
        PrepareOptions options;
        options.sources = {fs::path(HOLO_SOURCE_DIR) / "tests/data/fixtures/bpe/make.py"};
        options.tokenizer = (fs::path(HOLO_SOURCE_DIR) / "tests/data/fixtures/bpe/llama3.tokenizer.json").string();
        options.validationShare = 0;
        const PreparedData data = prepareInto(options, path("bpe"));
        QCOMPARE(data.tokenizer()->decode(all(data.train())), readFile(options.sources[0]));
        std::string json = readFile(path("bpe/tokenizer.json"));
        write("bpe/tokenizer.json", json + " ");
        QCOMPARE(code([&] { data.tokenizer(); }), 3);

        options.tokenizer = "sentencepiece:440";
        const PreparedData trained = prepareInto(options, path("sp"));
        QCOMPARE(trained.tokenizer()->decode(all(trained.train())), readFile(options.sources[0]));
        QCOMPARE(trained.vocabulary(), 440u);
    }

    void leftoversOfDeadProcessesGo()
    {
        PrepareOptions options;
        options.sources = {write("l.txt", "text")};
        std::array<char, 256> host{};
        ::gethostname(host.data(), host.size() - 1);
        write(std::string("place/.out.preparing-") + host.data() + "-999999999/train_000000.bin", "x");
        prepareInto(options, path("place/out"));
        QCOMPARE(hiddenEntries(path("place")), 0);
    }

    // A process is killed at several places of the work, by SIGKILL; the data must be those of one that was not.
    void goesOnAfterAKill_data()
    {
        QTest::addColumn<QString>("tokenizer");
        QTest::addColumn<bool>("shards");
        QTest::newRow("bytes") << "bytes" << false;
        QTest::newRow("bpe") << HOLO_SOURCE_DIR "/tests/data/fixtures/bpe/neox.tokenizer.json" << false;
        QTest::newRow("sentencepiece") << "sentencepiece:300" << false;
        QTest::newRow("token shards") << "bytes" << true;
    }

    void goesOnAfterAKill()
    {
        QFETCH(QString, tokenizer);
        QFETCH(bool, shards);
        const std::string name = QTest::currentDataTag();
        const bool trains = tokenizer.startsWith("sentencepiece");
        const std::size_t size = trains ? 4'000'000 : 12'000'000;
        std::string lines;
        for (int i = 0; lines.size() < size; ++i)
            lines += "{\"text\": \"document " + std::to_string(i) + " says " + std::string(std::size_t(i % 700), char('a' + i % 26)) + " and more\"}\n";
        PrepareOptions options;
        options.sources = {write(name + ".jsonl", lines)};
        options.tokenizer = tokenizer.toStdString();
        options.validationShare = 0.1;
        options.shardTokens = 700'000;
        options.pieceBytes = 2u << 20;
        options.threads = 1;
        if (shards) {
            TokenShardWriter writer(path("kill.bin"), 2);
            Ids ids(6'000'000);
            for (std::size_t i = 0; i < ids.size(); ++i)
                ids[i] = std::uint32_t(i) * 2654435761u >> 20;
            writer.append(ids);
            writer.finish();
            options.sources = {path("kill.bin")};
        }
        const PreparedData whole = prepareInto(options, path(name + "-whole"));

        const auto killedAt = [&](PreparePhase phase, double share) {
            PrepareOptions mortal = options;
            mortal.progress = [=](const PrepareProgress& p) {
                if (p.phase == phase && double(p.bytes) >= share * double(p.totalBytes))
                    ::raise(SIGKILL);
            };
            const pid_t child = ::fork();
            if (child == 0) {
                prepareInto(mortal, path(name + "-killed"));
                ::_exit(0);
            }
            int status = 0;
            ::waitpid(child, &status, 0);
            return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !fs::exists(path(name + "-killed"));
        };
        QVERIFY(killedAt(PreparePhase::Encoding, 0.1));
        if (!trains) {
            QVERIFY(killedAt(PreparePhase::Encoding, 0.7));
            QVERIFY(shards || killedAt(PreparePhase::Skipping, 0.2));
            QVERIFY(killedAt(PreparePhase::Encoding, 0.95));
        }
        QVERIFY(killedAt(PreparePhase::Finishing, 1));
        std::set<PreparePhase> phases;
        std::uint64_t encodedFrom = 0;
        options.progress = [&](const PrepareProgress& p) {
            if (p.phase == PreparePhase::Encoding && phases.insert(p.phase).second)
                encodedFrom = p.bytes;
            phases.insert(p.phase);
        };
        const PreparedData resumed = prepareInto(options, path(name + "-killed"));
        QVERIFY2(encodedFrom > size / 2, std::to_string(encodedFrom).c_str());
        QVERIFY(!phases.contains(PreparePhase::Training));
        QCOMPARE(resumed.description(), whole.description());
        resumed.verify();
        QCOMPARE(hiddenEntries(path(name + "-killed")), 0);
        QCOMPARE(hiddenEntries(path(".")), 0);
    }

    // What was left for other data, or was damaged, is not gone on with.
    void damagedWorkIsDoneAgain()
    {
        PrepareOptions options;
        options.sources = {write("damaged.txt", std::string(3 << 20, 'x') + "end")};
        options.validationShare = 0;
        options.pieceBytes = 1u << 20;
        const std::string hash = preparedHash(options);
        const std::string good = "{\"format\":1,\"hash\":\"" + hash + "\",\"blocks\":2,\"separators\":0,\"val\":{\"shards\":[],\"open\":null,\"tokens\":0,\"largest_id\":0,\"documents\":0},\"train\":";
        const std::string train = "{\"shards\":[],\"open\":{\"file\":\".train_000000.bin.x\",\"tokens\":2097152,\"largest_id\":120},\"tokens\":2097152,\"largest_id\":120,\"documents\":1}}";
        int number = 0;
        for (const std::string& journal : {std::string("{"), std::string("[]"), std::string("{\"hash\":\"other\"}"), "{\"hash\":\"" + hash + "\"}", good + "{}}", good + "5}", good + train}) {
            const std::string target = "damaged" + std::to_string(number++);
            write("." + target + ".preparing/.journal.json", journal);
            write("." + target + ".preparing/.train_000000.bin.x", "short");
            const PreparedData data = prepareInto(options, path(target));
            QCOMPARE(data.train().tokens(), std::uint64_t((3 << 20) + 3));
            data.verify();
            QCOMPARE(hiddenEntries(path(target)), 0);
            QCOMPARE(hiddenEntries(path(".")), 0);
        }
    }

    void describesShardsAndSamples()
    {
        const auto shard = [&](const char* name, std::size_t tokens) {
            TokenShardWriter writer(path(name), 2);
            writer.append(Ids(tokens, 7));
            writer.finish();
        };
        shard("s33.bin", 33);
        shard("s12.bin", 12);
        const Json info = dataInfo({path("s33.bin"), path("s12.bin")}, TokenType::Auto, 4, 3);
        QCOMPARE(info["shards"][0]["batches"].get<int>(), 2);
        QCOMPARE(info["shards"][0]["left_over"].get<int>(), 8);
        QVERIFY(info["shards"][0]["note"].is_null());
        QCOMPARE(info["shards"][1]["batches"].get<int>(), 0);
        QVERIFY(info["shards"][1]["note"].is_string());
        QCOMPARE(info["tokens"].get<int>(), 45);
        QCOMPARE(info["largest_id"].get<int>(), 7);
        std::string message;
        QCOMPARE(code([&] { dataInfo({path("s12.bin")}, TokenType::Auto, 4, 3); }, &message), 2);
        QVERIFY2(message.find("12") != std::string::npos && message.find("4 x 3 + 1") != std::string::npos, message.c_str());
        QCOMPARE(code([&] { dataInfo({path("s12.bin")}, TokenType::Auto, 4, 0); }), 2);
        QCOMPARE(code([&] { dataInfo({}); }), 2);

        PrepareOptions options;
        options.sources = {write("sample.txt", "grüße an alle")};
        options.validationShare = 0;
        prepareInto(options, path("sample"));
        const Json sample = dataSample(path("sample"), 2, 4);
        QCOMPARE(sample["text"].get<std::string>(), std::string("üß"));
        QCOMPARE(sample["tokens"], Json({0xC3, 0xBC, 0xC3, 0x9F}));
        QCOMPARE(code([&] { dataSample(path("sample"), 10, 100); }), 2);
        QCOMPARE(dataInfo({path("sample")}, TokenType::Auto, 2, 3)["shards"][0]["batches"].get<int>(), 2);
        QVERIFY(!dataInfo({path("sample")})["shards"][0].contains("batches"));
    }

    void reportsProgress()
    {
        PrepareOptions options;
        options.sources = {write("p.txt", std::string(5 << 20, 'x'))};
        std::vector<double> seen;
        std::vector<PreparePhase> phases;
        options.progress = [&](const PrepareProgress& p) {
            if (phases.empty() || phases.back() != p.phase)
                phases.push_back(p.phase);
            if (p.phase == PreparePhase::Encoding)
                seen.push_back(double(p.bytes) / double(p.totalBytes));
        };
        prepareInto(options, path("progress"));
        QVERIFY(seen.size() >= 5);
        QVERIFY(std::is_sorted(seen.begin(), seen.end()));
        QCOMPARE(seen.back(), 1.0);
        QVERIFY((phases == std::vector{PreparePhase::Hashing, PreparePhase::Encoding, PreparePhase::Finishing}));
    }
};

QTEST_GUILESS_MAIN(TestPrepare)
#include "tst_data_prepare.moc"
