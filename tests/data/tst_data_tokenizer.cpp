#include <QtTest>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/protobuf.h"
#include "core/data/bpe_tokenizer.h"
#include "core/data/byte_tokenizer.h"
#include "core/data/document_cutter.h"
#include "core/data/sentencepiece_check.h"
#include "core/data/sentencepiece_tokenizer.h"
#include "core/data/tokenizer.h"
#include "tests/temporary_folder.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::data;
namespace fs = std::filesystem;
using Ids = std::vector<std::uint32_t>;

namespace {

const fs::path kFixtures = fs::path(HOLO_SOURCE_DIR) / "tests/data/fixtures/bpe";

// The document cut at random places, through the cutter for pieces.
Ids encodePieces(const Tokenizer& tokenizer, const std::string& text, std::mt19937& random)
{
    Ids ids;
    DocumentCutter cutter(tokenizer);
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t end = std::min(text.size(), at + 1 + random() % 40);
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u)
            ++end;
        const auto segment = cutter.add(std::string_view(text).substr(at, end - at), end == text.size());
        if (segment.continued)
            tokenizer.encodeContinued(segment.text, ids);
        else
            tokenizer.encode(segment.text, ids);
        at = end;
    }
    return ids;
}

std::string show(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped().left(120).toStdString(); }

}  // namespace

class TestTokenizer : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    static int parseCode(const std::string& text, std::string* message = nullptr)
    {
        try {
            BpeTokenizer::parse(text, "tokenizer.json");
            return 0;
        } catch (const Error& e) {
            if (message)
                *message = e.what();
            return exitCode(e.kind());
        }
    }

    static Json fixture(const char* name) { return readJsonFile(kFixtures / (std::string(name) + ".tokenizer.json")); }

private Q_SLOTS:
    void bytesAreIds()
    {
        const ByteTokenizer tokenizer;
        QCOMPARE(tokenizer.encode(std::string_view("a\0\xC3\xA9", 4)), (Ids{97, 0, 195, 169}));
        QCOMPARE(tokenizer.decode(Ids{97, 256, 195, 169, 300}), std::string("a<|endoftext|>é\uFFFD"));
        QCOMPARE(tokenizer.vocabularySize(), 257u);
        QCOMPARE(tokenizer.encode("<|endoftext|>").size(), std::size_t(13));
        QCOMPARE(loadTokenizer("bytes")->fingerprint(), tokenizer.fingerprint());
    }

    void agreesWithTheReference_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gpt2", "prefix", "neox", "llama3", "qwen2"})
            QTest::newRow(name) << QString(name);
    }

    void agreesWithTheReference()
    {
        QFETCH(QString, name);
        const auto tokenizer = loadTokenizer((kFixtures / (name.toStdString() + ".tokenizer.json")).string());
        const bool exact = name == "gpt2" || name == "llama3";
        std::mt19937 random(1);
        const Json rows = readJsonFile(kFixtures / (name.toStdString() + ".ids.json"));
        QVERIFY(rows.size() > 250);
        for (const Json& row : rows) {
            const auto text = row["text"].get<std::string>();
            const auto expected = row["ids"].get<Ids>();
            QVERIFY2(tokenizer->encode(text) == expected, show(text).c_str());
            QVERIFY2(tokenizer->encode(text) == expected, "a second time, from the cache");
            if (exact)
                QCOMPARE(tokenizer->decode(expected), text);
            for (int trial = 0; trial < 3; ++trial)
                QVERIFY2(encodePieces(*tokenizer, text, random) == expected, show(text).c_str());
        }
        QCOMPARE(tokenizer->endOfDocument(), 0u);
        QVERIFY(tokenizer->encode("<|endoftext|>").size() > 1);
        QCOMPARE(tokenizer->decode(Ids{0, tokenizer->vocabularySize() + 5}), std::string("<|endoftext|>\uFFFD"));
    }

    void longWordsGiveTheSameAsShortOnesWould()
    {
        const auto tokenizer = loadTokenizer((kFixtures / "gpt2.tokenizer.json").string());
        // A run of a million letters must neither hang nor overflow.
        const std::string run(1 << 20, 'e');
        QCOMPARE(tokenizer->decode(tokenizer->encode(run)), run);
        const std::string blanks = std::string(1 << 20, ' ') + "x";
        QCOMPARE(tokenizer->decode(tokenizer->encode(blanks)), blanks);
    }

    void severalThreadsMayEncode()
    {
        const auto tokenizer = loadTokenizer((kFixtures / "neox.tokenizer.json").string());
        const std::string text = readFile(fs::path(HOLO_SOURCE_DIR) / "tests/data/fixtures/bpe/make.py");
        const Ids expected = tokenizer->encode(text);
        std::vector<Ids> found(4);
        std::vector<std::thread> threads;
        for (Ids& ids : found)
            threads.emplace_back([&] { ids = tokenizer->encode(text); });
        for (std::thread& thread : threads)
            thread.join();
        for (const Ids& ids : found)
            QCOMPARE(ids, expected);
    }

    void mergesMayBeListsAndEndOfDocumentMayBeMissing()
    {
        Json json = fixture("gpt2");
        Json merges = Json::array();
        for (const Json& entry : json["model"]["merges"])
            merges.push_back(entry.is_array() ? Json(entry[0].get<std::string>() + " " + entry[1].get<std::string>()) : Json::array({entry.get<std::string>().substr(0, entry.get<std::string>().find(' ')), entry.get<std::string>().substr(entry.get<std::string>().find(' ') + 1)}));
        const auto before = BpeTokenizer::parse(dumpLine(json), "a");
        json["model"]["merges"] = merges;
        const auto after = BpeTokenizer::parse(dumpLine(json), "a");
        QCOMPARE(after->encode("The needle is hidden"), before->encode("The needle is hidden"));
        QVERIFY(after->fingerprint() != before->fingerprint());

        json["added_tokens"] = Json::array();
        const auto plain = BpeTokenizer::parse(dumpLine(json), "a");
        QCOMPARE(plain->endOfDocument(), before->vocabularySize());
        QCOMPARE(plain->vocabularySize(), before->vocabularySize() + 1);
    }

    void refusesHostileAndForeignFiles()
    {
        const Json good = fixture("gpt2");
        std::string message;
        const auto code = [&](auto change) {
            Json json = good;
            change(json);
            return parseCode(dumpLine(json), &message);
        };
        QCOMPARE(code([](Json&) {}), 0);
        for (const Json& id : {Json(std::uint64_t(1) << 32), Json((std::uint64_t(1) << 32) + 5), Json(-1), Json(1.5), Json(3.0), Json("3"), Json(nullptr), Json(20000), Json(5)}) {
            QCOMPARE(code([&](Json& j) { j["model"]["vocab"]["The"] = id; }), 3);
            QVERIFY2(message.find("The") != std::string::npos || id == 5, message.c_str());
            QCOMPARE(code([&](Json& j) { j["added_tokens"][0]["id"] = id; }), 3);
        }
        QCOMPARE(code([](Json& j) { j["added_tokens"].push_back({{"id", 7000}, {"content", "The"}, {"special", false}}); }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["vocab"] = Json::object(); }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["vocab"] = Json::array(); }), 3);
        QCOMPARE(code([](Json& j) {
            // The union that the first merge makes.
            const Json& first = j["model"]["merges"][0];
            j["model"]["vocab"].erase(first.is_array() ? first[0].get<std::string>() + first[1].get<std::string>() : QString::fromStdString(first.get<std::string>()).remove(' ').toStdString());
        }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["merges"].push_back("no such"); }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["merges"].push_back("a"); }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["merges"].push_back("a b c"); }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["merges"].push_back(5); }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["merges"].push_back(Json::array({"a"})); }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["merges"].push_back(j["model"]["merges"][0]); }), 3);
        QCOMPARE(code([](Json& j) { j["model"].erase("merges"); }), 3);
        QCOMPARE(code([](Json& j) { j.erase("model"); }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["merges"] = Json::array(); j["model"]["vocab"].erase("a"); }), 4);  // a byte without a token
        QCOMPARE(code([](Json& j) { j["model"]["type"] = "Unigram"; }), 4);
        QCOMPARE(code([](Json& j) { j["model"]["type"] = 5; }), 3);
        QCOMPARE(code([](Json& j) { j["model"]["byte_fallback"] = true; }), 4);
        QCOMPARE(code([](Json& j) { j["model"]["end_of_word_suffix"] = "</w>"; }), 4);
        QCOMPARE(code([](Json& j) { j["model"]["dropout"] = 0.1; }), 4);
        QCOMPARE(code([](Json& j) { j["normalizer"] = {{"type", "Lowercase"}}; }), 4);
        QCOMPARE(code([](Json& j) { j["normalizer"] = "NFC"; }), 3);
        QCOMPARE(code([](Json& j) { j["pre_tokenizer"] = nullptr; }), 4);
        QCOMPARE(code([](Json& j) { j["pre_tokenizer"] = {{"type", "Whitespace"}}; }), 4);
        QCOMPARE(code([](Json& j) { j["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", 5}}; }), 3);
        QCOMPARE(code([](Json& j) { j["pre_tokenizer"] = {{"type", "Split"}, {"pattern", {{"Regex", "\\s+"}}}, {"behavior", "Isolated"}}; }), 4);
        QVERIFY2(message.find("\\s+") != std::string::npos, message.c_str());
        QCOMPARE(parseCode("[]"), 3);
        QCOMPARE(parseCode("{\"model\":" + std::string(100000, '[')), 3);
        QCOMPARE(parseCode(""), 3);
    }

    void mutatedFilesOnlyEverThrow()
    {
        std::mt19937 random(17);
        const std::string good = dumpLine(fixture("neox"));
        // Most of a file is vocabulary and merges; the interesting places get as many edits as they.
        const std::size_t vocabulary = good.find("\"vocab\"");
        int accepted = 0;
        for (int trial = 0; trial < 600; ++trial) {
            std::string text = good;
            for (int edits = 1 + int(random() % 3); edits > 0; --edits) {
                const std::size_t at = random() % 2 ? random() % vocabulary : random() % text.size();
                if (random() % 3 == 0)
                    text.erase(at, random() % 10);
                else if (random() % 2)
                    text[at] = "0123456789,:[]{}\" abe-."[random() % 23];
                else
                    text.insert(at, text.substr(random() % text.size(), random() % 20));
            }
            const int code = parseCode(text);
            QVERIFY2(code == 0 || code == 3 || code == 4, std::to_string(code).c_str());
            accepted += code == 0;
        }
        QVERIFY(accepted > 0 && accepted < 400);
    }

    void loadsByNameAndRefusesOthers()
    {
        fs::create_directory(path("hf"));
        fs::copy(kFixtures / "llama3.tokenizer.json", path("hf/tokenizer.json"));
        QCOMPARE(loadTokenizer(path("hf").string())->kind(), std::string("bpe"));
        fs::create_directory(path("none"));
        std::ofstream(path("x.txt")) << "x";
        std::ofstream(path("x.model")) << "this is no model";
        const std::vector<std::pair<std::string, ErrorKind>> bad{{path("none").string(), ErrorKind::Malformed}, {path("missing.json").string(), ErrorKind::Malformed},
                                                                 {path("x.txt").string(), ErrorKind::Unsupported}, {path("x.model").string(), ErrorKind::Malformed}};
        for (const auto& [source, kind] : bad) {
            try {
                loadTokenizer(source);
                QFAIL(source.c_str());
            } catch (const Error& e) {
                QCOMPARE(e.kind(), kind);
            }
        }
    }

    void refusesModelsThatPointOutsideThemselves()
    {
        // 512 units: the root leads to state 256, from where no key goes on unless a case says so. A value is a place in "x".
        const auto modelWith = [](const std::function<void(std::vector<std::uint32_t>&)>& change, std::string strings = std::string("x\0", 2)) {
            std::vector<std::uint32_t> units(512, 0x80000000u);
            units[0] = 256u << 10;
            change(units);
            std::string table;
            putFixed(table, std::uint32_t(4 * units.size()));
            table.append(reinterpret_cast<const char*>(units.data()), 4 * units.size());
            table += strings;
            std::string normalizer;
            putBytes(normalizer, 2, table);
            std::string model;
            putBytes(model, 3, normalizer);
            return model;
        };
        const auto isSound = [&](const std::function<void(std::vector<std::uint32_t>&)>& change) { return sentencePieceFault(modelWith(change)).empty(); };
        constexpr std::uint32_t kLeaf = 1u << 8;
        const std::uint32_t a = 256 ^ 'a';
        QVERIFY(isSound([](auto&) {}));
        // "a" is a key: its unit leads to state a ^ offset, which holds the value.
        QVERIFY(isSound([&](auto& u) { u[a] = 'a' | kLeaf | (a ^ 0u) << 10; u[0] = 256u << 10; }) == false);  // state 0 holds the root, no value
        QVERIFY(isSound([&](auto& u) { u[a] = 'a' | kLeaf | (a ^ 511u) << 10; u[511] = 0x80000001u; }));
        QVERIFY(!isSound([&](auto& u) { u[a] = 'a' | kLeaf | (a ^ 511u) << 10; u[511] = 0x80000002u; }));     // value behind the strings
        QVERIFY(!isSound([&](auto& u) { u[a] = 'a' | (a ^ 256u) << 10; }));                                    // back to where it came from
        QVERIFY(!isSound([&](auto& u) { u[a] = 'a' | 5000u << 10; }));                                         // outside
        QVERIFY(!isSound([](auto& u) { u[0] = 512u << 10; }));
        QVERIFY(!isSound([](auto& u) { u[0] = 1u << 9 | 0x1FFFFFu << 10; }));                                  // an offset in units of 256
        QVERIFY(!isSound([](auto& u) { u.resize(511); }));
        QVERIFY(!isSound([](auto& u) { u.clear(); }));
        QVERIFY(!sentencePieceFault(modelWith([](auto&) {}, "unterminated")).empty());
        QVERIFY(!sentencePieceFault(modelWith([](auto&) {}).substr(0, 1000)).empty());

        std::string piece;
        putBytes(piece, 1, "a");
        putVarint(piece, 2 << 3 | 5);
        putFixed(piece, std::numeric_limits<float>::quiet_NaN());
        std::string model;
        putBytes(model, 1, piece);
        QVERIFY(!sentencePieceFault(model).empty());
    }

    void sentencePieceTrainsAndGivesTextBack()
    {
        std::string text;
        std::mt19937 random(23);
        const char* const words[] = {"the", "needle", "haystack", "größer", "Übung", "針", "hidden", "where", "is", "  two", "a\tb", "42"};
        for (int line = 0; line < 3000; ++line) {
            for (int word = 0; word < 8; ++word)
                text += std::string(word ? " " : "") + words[random() % 12];
            text += line % 7 ? "\n" : "\n\n";
        }
        std::ofstream(path("train.txt"), std::ios::binary) << text;
        const auto sources = listTextSources({path("train.txt")});
        const auto tokenizer = SentencePieceTokenizer::train(sources, {}, 350);
        const auto again = SentencePieceTokenizer::train(sources, {}, 350);
        QCOMPARE(tokenizer->fingerprint(), again->fingerprint());
        QCOMPARE(tokenizer->vocabularySize(), 350u);
        for (const std::string& sample : {text.substr(0, 5000), std::string(" a  b \n\n c\t"), std::string("日本 😀 \xC2\xA0 <s></s><unk>\r\n"), std::string("\0x", 2), std::string("\n")}) {
            const Ids ids = tokenizer->encode(sample);
            QCOMPARE(tokenizer->decode(ids), sample);
            QCOMPARE(encodePieces(*tokenizer, sample, random), ids);
            QVERIFY(std::find(ids.begin(), ids.end(), tokenizer->endOfDocument()) == ids.end());
        }
        QVERIFY(tokenizer->encode(text).size() * 2 < text.size());

        const auto [name, model] = tokenizer->file();
        std::ofstream(path("tokenizer.model"), std::ios::binary) << model;
        const auto loaded = loadTokenizer(path("tokenizer.model").string());
        QCOMPARE(loaded->fingerprint(), tokenizer->fingerprint());
        QCOMPARE(loaded->encode(text), tokenizer->encode(text));

        QVERIFY(SentencePieceTokenizer::train(sources, {}, 100000)->vocabularySize() < 1000);
        for (int trial = 0; trial < 200; ++trial) {
            std::string damaged = model;
            for (int edits = 1 + int(random() % 4); edits > 0; --edits)
                damaged[random() % damaged.size()] = char(random());
            std::ofstream(path("damaged.model"), std::ios::binary | std::ios::trunc) << damaged;
            try {
                const auto tokenizer = SentencePieceTokenizer::open(path("damaged.model"));
                tokenizer->decode(tokenizer->encode("the needle 針"));
            } catch (const Error& e) {
                QCOMPARE(e.kind(), ErrorKind::Malformed);
            }
        }
        try {
            SentencePieceTokenizer::train(sources, {}, 260);
            QFAIL("a vocabulary smaller than the characters of the text");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::Usage);
        }
    }
};

QTEST_GUILESS_MAIN(TestTokenizer)
#include "tst_data_tokenizer.moc"
