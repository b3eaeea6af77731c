#include <QtTest>

#include <filesystem>
#include <fstream>
#include <random>

#include <sys/resource.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/text_reader.h"
#include "tests/temporary_folder.h"

using namespace holo;
using namespace holo::data;
namespace fs = std::filesystem;

class TestTextReader : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    struct Result {
        int code = 0;
        std::string message;
        std::vector<std::string> documents;
        std::vector<std::string> notes;
        std::uint64_t replaced = 0;
    };

    static Result read(const std::vector<fs::path>& sources, TextOptions options = {})
    {
        Result result;
        try {
            TextReader reader(listTextSources(sources), options);
            TextPiece piece;
            bool open = false;
            while (reader.next(piece)) {
                if (piece.begins == open)
                    throw std::logic_error("begin without end");
                if (piece.begins)
                    result.documents.emplace_back();
                result.documents.back() += piece.text;
                open = !piece.ends;
                if (piece.text.size() > TextReader::kPieceBytes || !isUtf8(piece.text))
                    throw std::logic_error("a piece is too long or cut inside a character");
            }
            if (open || reader.documents() != result.documents.size() || reader.bytes() != reader.totalBytes())
                throw std::logic_error("counts");
            result.notes = reader.notes();
            result.replaced = reader.replacedBytes();
        } catch (const Error& e) {
            result.code = exitCode(e.kind());
            result.message = e.what();
        }
        return result;
    }

    Result readBytes(const std::string& bytes, TextOptions options = {}, const std::string& name = "case.txt") const { return read({write(name, bytes)}, options); }

private Q_SLOTS:
    void theSameThreeLinesInEveryEncoding()
    {
        const std::string lines = "eins\nzwei é\ndrei\n";
        const std::string crlf = "eins\r\nzwei é\r\ndrei\r\n";
        const std::vector<std::string> one{lines};
        TextOptions normalize;
        normalize.lineEnds = LineEnds::Normalize;
        TextOptions replace;
        replace.invalidBytes = InvalidBytes::Replace;

        QCOMPARE(readBytes(lines).documents, one);
        QCOMPARE(readBytes("\xEF\xBB\xBF" + lines).documents, one);
        QCOMPARE(readBytes(crlf).documents, std::vector<std::string>{crlf});
        QCOMPARE(readBytes(crlf, normalize).documents, one);
        QCOMPARE(readBytes("a\rb\r\r\nc\r", normalize).documents, std::vector<std::string>{"a\rb\r\nc\r"});

        const std::string nul("eins\0zwei", 9);
        QCOMPARE(readBytes(nul).documents, std::vector<std::string>{nul});

        const Result refused = readBytes("eins\nzw\xFF" "ei\n");
        QCOMPARE(refused.code, 3);
        QVERIFY2(refused.message.find("byte 7") != std::string::npos && refused.message.find("0xFF") != std::string::npos, refused.message.c_str());
        const Result replaced = readBytes("eins\nzw\xFF" "ei\n", replace);
        QCOMPARE(replaced.documents, std::vector<std::string>{"eins\nzw\uFFFDei\n"});
        QCOMPARE(replaced.replaced, std::uint64_t(1));

        std::string utf16;
        for (const char c : std::string("eins\nzwei\ndrei\n"))
            utf16 += std::string({c, '\0'});
        QCOMPARE(readBytes(utf16).code, 4);
        QCOMPARE(readBytes("\xFF\xFE" + utf16).code, 4);
        QCOMPARE(readBytes("\xFE\xFF" + utf16, replace).code, 4);
        QCOMPARE(readBytes(std::string("\xFF\xFE\0\0e\0\0\0", 8)).code, 4);
        QCOMPARE(readBytes("\x1F\x8B\x08 gzip").code, 4);
        QCOMPARE(readBytes("PAR1....PAR1").code, 4);

        QCOMPARE(readBytes("").code, 0);
        QCOMPARE(readBytes("").documents.size(), std::size_t(0));
        QCOMPARE(readBytes("\xEF\xBB\xBF").documents.size(), std::size_t(0));
        QCOMPARE(read({path("missing.txt")}).code, 3);
        QCOMPARE(read({fs::path("/dev/zero")}).code, 3);
    }

    void replacesEachBrokenSequenceOnce()
    {
        TextOptions replace;
        replace.invalidBytes = InvalidBytes::Replace;
        // The answers are those of Python's bytes.decode("utf-8", "replace").
        const std::vector<std::tuple<std::string, std::string, int>> cases{
            {"a\x80z", "a\uFFFDz", 1}, {"\xC3", "\uFFFD", 1}, {"\xE2\x82", "\uFFFD", 1}, {"\xE2\x82z", "\uFFFDz", 1}, {"\xF0\x9F\x98", "\uFFFD", 1},
            {"\xC0\x80", "\uFFFD\uFFFD", 2}, {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD", 3}, {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD", 4},
            {"\xE2\xE2\x82\xAC", "\uFFFD€", 1}, {"\xF0\x9F\x98\x80", "😀", 0},
        };
        for (const auto& [bytes, text, count] : cases) {
            const Result result = readBytes(bytes, replace);
            QCOMPARE(result.documents, std::vector<std::string>{text});
            QCOMPARE(result.replaced, std::uint64_t(count));
            QCOMPARE(readBytes(bytes).code, count > 0 ? 3 : 0);
        }
    }

    void blocksNeverCutCharactersOrLineEnds()
    {
        std::mt19937 random(5);
        const std::string parts[] = {"a", "\r\n", "é", "€", "😀", "\r", "\n", "word "};
        std::string text;
        while (text.size() < (3u << 20) + 17)
            text += parts[random() % 8];
        for (int shift = 0; shift < 4; ++shift) {
            QCOMPARE(readBytes(text).documents, std::vector<std::string>{text});
            TextOptions normalize;
            normalize.lineEnds = LineEnds::Normalize;
            const std::string expected = QByteArray::fromStdString(text).replace("\r\n", "\n").toStdString();
            QCOMPARE(readBytes(text, normalize).documents, std::vector<std::string>{expected});
            text.insert(0, "x");
        }
        // The offset named counts from the start of the file, also far behind the first block.
        const Result refused = readBytes(text + "\xE2\x82");
        QVERIFY2(refused.message.find("byte " + std::to_string(text.size()) + " ") != std::string::npos, refused.message.c_str());
    }

    void readsJsonLines()
    {
        TextOptions options;
        const auto lines = [&](const std::string& bytes) { return readBytes(bytes, options, "case.jsonl"); };
        QCOMPARE(lines("{\"text\":\"a\\nb\"}\n\n  \r\n{\"id\":[1,{\"text\":5}],\"text\":\"\\u00e9\\ud83d\\ude00\"}").documents, (std::vector<std::string>{"a\nb", "é😀"}));
        QCOMPARE(lines("{\"text\":\"a\"}\r\n{\"text\":\"\"}\r\n{\"text\":\"b\\u0000\"}\r\n").documents, (std::vector<std::string>{"a", std::string("b\0", 2)}));
        QCOMPARE(lines("\n\n").documents.size(), std::size_t(0));
        for (const char* bad : {"{\"text\":\"a\"}\nx", "{\"text\":\"a\"}\n[1]", "{\"text\":\"a\"}\n{\"t\":\"a\"}", "{\"text\":\"a\"}\n{\"text\":1}", "{\"text\":\"a\"}\n{\"text\":null}",
                                "{\"text\":\"a\"}\n{\"text\":[\"a\"]}", "{\"text\":\"a\"}\n{\"text\":\"a\"}{}", "{\"text\":\"a\"}\n{\"text\":\"a\",\"text\":\"b\"}", "{\"text\":\"a\"}\n{\"text\":\"a",
                                "{\"text\":\"a\"}\n\"text\"", "{\"text\":\"a\"}\n{\"text\":\"\\ud800\"}", "{\"text\":\"a\"}\n{\"text\":\"a\"\n}"}) {
            const Result result = lines(bad);
            QCOMPARE(result.code, 3);
            QVERIFY2(result.message.find("line 2") != std::string::npos, result.message.c_str());
        }
        QCOMPARE(lines(std::string("{\"text\":\"a\"}\0{\"text\":\"b\"}", 24)).code, 3);
        QCOMPARE(lines("{\"text\":" + std::string(100000, '[')).code, 3);
        QCOMPARE(lines("{\"a\":" + std::string(100000, '[')).code, 3);
        QCOMPARE(lines("{\"text\":\"\xFF\"}").code, 3);
        options.invalidBytes = InvalidBytes::Replace;
        QCOMPARE(lines("{\"text\":\"\xFF\"}").documents, std::vector<std::string>{"\uFFFD"});
        options.lineEnds = LineEnds::Normalize;
        options.jsonField = "content";
        QCOMPARE(lines("{\"content\":\"a\\r\\nb\"}").documents, std::vector<std::string>{"a\nb"});
    }

    void readsFoldersInSortedOrder()
    {
        write("folder/b.txt", "b");
        write("folder/a/z.txt", "az");
        write("folder/a.txt", "a");
        write("folder/c.jsonl", "{\"text\":\"c1\"}\n{\"text\":\"c2\"}\n");
        write("folder/picture.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
        write("folder/zeros", std::string(4000, '\0'));
        write("outside/secret.txt", "secret");
        fs::create_symlink(path("outside/secret.txt"), path("folder/link.txt"));
        fs::create_symlink(path("outside"), path("folder/linked"));
        fs::create_symlink(path("folder"), path("folder/a/loop"));
        fs::create_symlink("b.txt", path("folder/inside.txt"));
        ::mkfifo(path("folder/pipe").c_str(), 0600);
        const Result result = read({path("folder")});
        QCOMPARE(result.documents, (std::vector<std::string>{"a", "az", "b", "c1", "c2", "b"}));
        QCOMPARE(result.notes.size(), std::size_t(6));
        QCOMPARE(read({path("outside"), path("folder/b.txt")}).documents, (std::vector<std::string>{"secret", "b"}));

        fs::create_directory(path("empty"));
        QCOMPARE(read({path("empty")}).code, 3);
        write("binary/x", std::string(4000, '\0'));
        const Result binary = read({path("binary")});
        QCOMPARE(binary.code, 3);
        QVERIFY2(binary.message.find("binary") != std::string::npos, binary.message.c_str());
        QCOMPARE(read({}).code, 2);
    }

    void aHundredMegabyteLineStaysWithinBounds()
    {
        const std::string block(1 << 20, 'x');
        {
            std::ofstream plain(path("long.txt"), std::ios::binary);
            std::ofstream lines(path("long.jsonl"), std::ios::binary);
            lines << "{\"text\":\"";
            for (int i = 0; i < 100; ++i) {
                plain << block;
                lines << block;
            }
            lines << "\"}\n";
        }
        for (const char* name : {"long.txt", "long.jsonl"}) {
            TextReader reader(listTextSources({path(name)}), {});
            TextPiece piece;
            std::uint64_t bytes = 0;
            while (reader.next(piece))
                bytes += piece.text.size();
            QCOMPARE(bytes, std::uint64_t(100) << 20);
            QCOMPARE(reader.documents(), std::uint64_t(1));
        }
#if !defined(__SANITIZE_ADDRESS__)
        struct rusage usage {};
        ::getrusage(RUSAGE_SELF, &usage);
        QVERIFY2(usage.ru_maxrss < 512 * 1024, std::to_string(usage.ru_maxrss).c_str());
#endif
    }

    void mutatedTextOnlyEverThrows()
    {
        std::mt19937 random(13);
        const std::string good = "{\"text\":\"a\\n\\u00e9 é\",\"n\":[1,2.5e3,{\"k\":null}]}\r\n{\"text\":\"zwei\"}\n";
        int accepted = 0;
        for (int trial = 0; trial < 2000; ++trial) {
            std::string text = good;
            for (int edits = 1 + int(random() % 3); edits > 0; --edits) {
                const std::size_t at = random() % text.size();
                if (random() % 3 == 0)
                    text.erase(at, random() % 6);
                else
                    text[at] = char(random());
                if (text.empty())
                    text = "x";
            }
            for (const char* name : {"m.jsonl", "m.txt"}) {
                const Result result = readBytes(text, {}, name);
                QVERIFY2(result.code == 0 || result.code == 3 || result.code == 4, result.message.c_str());
                accepted += result.code == 0;
            }
        }
        QVERIFY(accepted > 0 && accepted < 4000);
    }
};

QTEST_GUILESS_MAIN(TestTextReader)
#include "tst_data_text_reader.moc"
