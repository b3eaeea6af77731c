#include <QtTest>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/data/batches.h"
#include "core/data/data_info.h"
#include "core/data/prepare.h"
#include "core/data/shard_export.h"
#include "core/data/token_shard.h"
#include "core/data/token_shard_writer.h"
#include "tests/temporary_folder.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::data;
namespace fs = std::filesystem;

namespace {

const fs::path kShards = fs::path(HOLO_SOURCE_DIR) / "tests/data/fixtures/shards";

template <class T>
std::string raw(const std::vector<T>& values)
{
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::string llmC(std::int32_t magic, std::int32_t version, std::int32_t count, const std::string& body)
{
    std::vector<std::int32_t> header(256, 0);
    header[0] = magic;
    header[1] = version;
    header[2] = count;
    return raw(header) + body;
}

std::string megatronIndex(const std::vector<std::int32_t>& lengths, const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& documents, char code, std::uint64_t version = 1)
{
    return std::string("MMIDIDX\0\0", 9) + raw(std::vector<std::uint64_t>{version}) + code +
           raw(std::vector<std::uint64_t>{lengths.size(), documents.size()}) + raw(lengths) + raw(offsets) + raw(documents);
}

std::string numpyFile(const std::string& header, const std::string& body)
{
    return std::string("\x93NUMPY\x01\x00", 8) + char(header.size() & 255) + char(header.size() >> 8) + header + body;
}

}  // namespace

class TestTokenShard : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    int openCode(const fs::path& file, TokenType type = TokenType::Auto, std::string* message = nullptr) const
    {
        try {
            TokenShard::open(file, type);
            return 0;
        } catch (const Error& e) {
            if (message)
                *message = e.what();
            return exitCode(e.kind());
        }
    }

    static std::vector<std::uint32_t> all(const TokenShard& shard)
    {
        std::vector<std::uint32_t> ids(shard.tokens());
        shard.read(0, shard.tokens(), ids.data());
        return ids;
    }

private Q_SLOTS:
    void countsBatches()
    {
        QCOMPARE(batchesOf(33, 4, 3).count, std::uint64_t(2));
        QCOMPARE(batchesOf(33, 4, 3).leftOver, std::uint64_t(8));
        QCOMPARE(batchesOf(37, 4, 3).count, std::uint64_t(3));
        QCOMPARE(batchesOf(36, 4, 3).count, std::uint64_t(2));
        QCOMPARE(batchesOf(13, 4, 3).count, std::uint64_t(1));
        QCOMPARE(batchesOf(12, 4, 3).count, std::uint64_t(0));
        QCOMPARE(batchesOf(1, 4, 3).count, std::uint64_t(0));
        QCOMPARE(batchesOf(0, 4, 3).count, std::uint64_t(0));
        QCOMPARE(batchesOf(0, 4, 3).leftOver, std::uint64_t(0));
        QCOMPARE(batchesOf(100, 0, 3).count, std::uint64_t(0));
        QCOMPARE(batchesOf(100, std::uint64_t(1) << 40, std::uint64_t(1) << 40).count, std::uint64_t(0));
    }

    void readsEveryFormat()
    {
        const std::vector<std::uint16_t> narrow{1, 2, 65535, 7, 0};
        const std::vector<std::uint32_t> wide{1, 70000, 4000000000u};
        const std::vector<std::uint32_t> widened{1, 2, 65535, 7, 0};

        const auto gpt2 = TokenShard::open(write("gpt2.bin", llmC(20240520, 1, 5, raw(narrow))));
        QCOMPARE(gpt2.format(), ShardFormat::LlmC);
        QCOMPARE(gpt2.width(), 2);
        QCOMPARE(all(gpt2), widened);
        QCOMPARE(gpt2.largestId(), 65535u);
        std::int64_t part[3];
        gpt2.read(1, 3, part);
        QCOMPARE(part[1], std::int64_t(65535));

        const auto llama = TokenShard::open(write("llama.bin", llmC(20240801, 7, 3, raw(wide))));
        QCOMPARE(all(llama), wide);
        QCOMPARE(llama.width(), 4);

        QCOMPARE(all(TokenShard::open(write("raw.bin", raw(narrow)), TokenType::U16)), widened);
        QCOMPARE(all(TokenShard::open(write("raw.npy", raw(wide)), TokenType::U32)), wide);
        QCOMPARE(openCode(path("raw.bin")), 2);

        write("mega.bin", raw(narrow));
        write("mega.idx", megatronIndex({2, 0, 3}, {0, 4, 4}, {0, 1, 3}, 8));
        for (const char* name : {"mega.bin", "mega.idx"}) {
            const auto shard = TokenShard::open(path(name));
            QCOMPARE(shard.format(), ShardFormat::Megatron);
            QCOMPARE(all(shard), widened);
        }
        write("mega32.bin", raw(std::vector<std::int32_t>{5, 70000}));
        write("mega32.idx", megatronIndex({2}, {0}, {0, 1}, 4));
        QCOMPARE(all(TokenShard::open(path("mega32.bin"))), (std::vector<std::uint32_t>{5, 70000}));

        const std::string header = "{'descr': '<u2', 'fortran_order': False, 'shape': (5,), }          \n";
        const auto numpy = TokenShard::open(write("true.npy", numpyFile(header, raw(narrow))));
        QCOMPARE(numpy.format(), ShardFormat::NumPy);
        QCOMPARE(all(numpy), widened);
    }

    void refusesBrokenFiles()
    {
        const std::string body = raw(std::vector<std::uint16_t>{1, 2, 3, 4, 5});
        std::string message;
        const std::string whole = llmC(20240520, 1, 5, body);
        QCOMPARE(openCode(write("half.bin", whole.substr(0, whole.size() / 2))), 3);
        QCOMPARE(openCode(write("short.bin", whole.substr(0, whole.size() - 1)), TokenType::Auto, &message), 3);
        QVERIFY2(message.find("1033") != std::string::npos && message.find("1034") != std::string::npos, message.c_str());
        QCOMPARE(openCode(write("long.bin", whole + "x")), 3);
        QCOMPARE(openCode(write("nothing.bin", "")), 3);
        QCOMPARE(openCode(write("nothing.bin", ""), TokenType::U16), 3);
        QCOMPARE(openCode(write("negative.bin", llmC(20240520, 1, -5, body))), 3);
        QCOMPARE(openCode(write("huge.bin", llmC(20240520, 1, 0x7FFFFFFF, body))), 3);
        QCOMPARE(openCode(write("version.bin", llmC(20240520, 2, 5, body))), 4);
        QCOMPARE(openCode(write("eval.bin", llmC(20240522, 1, 5, body)), TokenType::Auto, &message), 4);
        QVERIFY2(message.find("evaluation") != std::string::npos, message.c_str());
        QCOMPARE(openCode(write("odd.bin", "12345"), TokenType::U16, &message), 3);
        QVERIFY2(message.find("5 bytes") != std::string::npos, message.c_str());
        QCOMPARE(openCode(write("odd4.bin", "123456"), TokenType::U32), 3);
        QCOMPARE(openCode(path("gpt2.bin"), TokenType::U32), 2);
        QCOMPARE(openCode(path("missing.bin"), TokenType::U16), 3);
        QCOMPARE(openCode(path("."), TokenType::U16), 3);
        QCOMPARE(openCode("/dev/zero", TokenType::U16), 3);
        QVERIFY_THROWS_EXCEPTION(Error, tokenTypeFromName("u8"));
    }

    void refusesMegatronPairsThatDoNotBelongTogether()
    {
        const std::string body = raw(std::vector<std::uint16_t>{1, 2, 3, 4, 5});
        write("m.bin", body);
        const auto code = [&](const std::string& index) {
            write("m.idx", index);
            return openCode(path("m.bin"));
        };
        const std::string good = megatronIndex({2, 3}, {0, 4}, {0, 2}, 8);
        QCOMPARE(code(good), 0);
        QCOMPARE(code(megatronIndex({2, 4}, {0, 4}, {0, 2}, 8)), 3);
        QCOMPARE(code(megatronIndex({2, 2}, {0, 4}, {0, 2}, 8)), 3);
        QCOMPARE(code(megatronIndex({2, 3}, {0, 2}, {0, 2}, 8)), 3);
        QCOMPARE(code(megatronIndex({2, 3}, {4, 0}, {0, 2}, 8)), 3);
        QCOMPARE(code(megatronIndex({-2, 7}, {0, -4}, {0, 2}, 8)), 3);
        QCOMPARE(code(megatronIndex({2, 3}, {0, 4}, {0, 3}, 8)), 3);
        QCOMPARE(code(megatronIndex({2, 3}, {0, 4}, {2, 0}, 8)), 3);
        QCOMPARE(code(megatronIndex({2, 3}, {0, 4}, {0, 2}, 5)), 4);
        QCOMPARE(code(megatronIndex({2, 3}, {0, 4}, {0, 2}, 99)), 3);
        QCOMPARE(code(megatronIndex({2, 3}, {0, 4}, {0, 2}, 8, 2)), 4);
        QCOMPARE(code(good.substr(0, good.size() - 1)), 3);
        QCOMPARE(code(good.substr(0, 20)), 3);
        QCOMPARE(code("NOTANIDX" + good.substr(8)), 3);
        std::string wraps = good;
        const std::uint64_t many = std::uint64_t(1) << 62;
        std::memcpy(wraps.data() + 18, &many, 8);
        QCOMPARE(code(wraps), 3);
    }

    void refusesOtherNumpyFiles()
    {
        const std::string body(8, '\1');
        const auto code = [&](const std::string& header) { return openCode(write("n.npy", numpyFile(header, body))); };
        QCOMPARE(code("{'descr': '<u2', 'fortran_order': False, 'shape': (4,), }\n"), 0);
        QCOMPARE(code("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n"), 4);
        QCOMPARE(code("{'descr': '>u2', 'fortran_order': False, 'shape': (4,), }\n"), 4);
        QCOMPARE(code("{'descr': '|O', 'fortran_order': False, 'shape': (4,), }\n"), 4);
        QCOMPARE(code("{'descr': '<u2', 'fortran_order': False, 'shape': (2, 2), }\n"), 4);
        QCOMPARE(code("{'descr': '<u2', 'fortran_order': False, 'shape': (5,), }\n"), 3);
        QCOMPARE(code("{'descr': '<u2', 'fortran_order': False, 'shape': (-4,), }\n"), 4);
        QCOMPARE(code("{'descr': '<u2', 'fortran_order': False, 'shape': (9223372036854775807,), }\n"), 3);
        QCOMPARE(code("garbage"), 4);
        QCOMPARE(openCode(write("n.npy", std::string("\x93NUMPY\x01\x00\xff\xff", 10) + "x")), 3);
    }

    void namesFilePlaceAndIdOfABadToken()
    {
        const auto shard = TokenShard::open(write("bad.bin", raw(std::vector<std::uint16_t>{1, 2, 300, 400})), TokenType::U16);
        shard.checkIds(401);
        try {
            shard.checkIds(300);
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::Malformed);
            const std::string message = e.what();
            for (const char* part : {"bad.bin", "token 2", "id 300", "300, the vocabulary"})
                QVERIFY2(message.find(part) != std::string::npos, message.c_str());
        }
    }

    void aFileCutWhileOpenIsAnError()
    {
        const auto shard = TokenShard::open(write("cut.bin", std::string(1000, '\1')), TokenType::U16);
        fs::resize_file(path("cut.bin"), 500);
        std::vector<std::uint32_t> ids(500);
        QVERIFY_THROWS_EXCEPTION(Error, shard.read(0, 500, ids.data()));
        QVERIFY_THROWS_EXCEPTION(Error, shard.read(0, 10, ids.data()));
        QVERIFY_THROWS_EXCEPTION(Error, shard.read(499, 2, ids.data()));
    }

    void writesWhatItReads()
    {
        QCOMPARE(widthForVocabulary(65536), 2);
        QCOMPARE(widthForVocabulary(65537), 4);
        for (const int width : {2, 4}) {
            std::vector<std::uint32_t> ids(700000);
            std::mt19937 random(3);
            for (auto& id : ids)
                id = random() % (width == 2 ? 65536u : 80000u);
            const fs::path file = path("written.bin");
            TokenShardWriter writer(file, width);
            writer.append(std::span(ids).subspan(0, 3));
            writer.append(std::span(ids).subspan(3));
            writer.finish();
            const auto shard = TokenShard::open(file);
            QCOMPARE(shard.width(), width);
            QCOMPARE(all(shard), ids);
            QCOMPARE(writer.largestId(), shard.largestId());
        }
        // 70000 must come back as itself: 16 bits would make it 4464.
        TokenShardWriter narrow(path("narrow.bin"), 2);
        const std::uint32_t wide = 70000;
        QVERIFY_THROWS_EXCEPTION(Error, narrow.append(std::span(&wide, 1)));
    }

    // Files that fixtures/shards/make_shards.py wrote as the other programs' scripts do.
    void readsFilesOfOtherPrograms()
    {
        const Json known = readJsonFile(kShards / "tokens.json");
        const auto narrow = known["u16"].get<std::vector<std::uint32_t>>();
        const auto wide = known["u32"].get<std::vector<std::uint32_t>>();
        QCOMPARE(all(TokenShard::open(kShards / "llmc_u16.bin")), narrow);
        QCOMPARE(all(TokenShard::open(kShards / "llmc_u32.bin")), wide);
        QCOMPARE(all(TokenShard::open(kShards / "nanogpt.bin", TokenType::U16)), narrow);
        QCOMPARE(all(TokenShard::open(kShards / "olmo.npy", TokenType::U16)), narrow);
        QCOMPARE(all(TokenShard::open(kShards / "neox_text_document.idx")), narrow);
        QCOMPARE(all(TokenShard::open(kShards / "neox_wide.bin")), wide);
        const auto shuffled = TokenShard::open(kShards / "pythia_preshuffled.bin");
        QCOMPARE(shuffled.format(), ShardFormat::Megatron);
        QCOMPARE(all(shuffled), std::vector<std::uint32_t>(narrow.begin(), narrow.begin() + 85));
        QCOMPARE(dataSample(kShards / "olmo.npy", 3, 4, TokenType::U16)["tokens"], Json(std::vector<std::uint32_t>(narrow.begin() + 3, narrow.begin() + 7)));
    }

    void writesFilesOfOtherPrograms()
    {
        const auto bytesOf = [](const fs::path& file) { return readFile(file); };
        const auto exported = [&](const std::string& source, const std::string& format, const std::string& name, std::uint64_t sequence = 0) {
            return exportShards({kShards / source, TokenType::Auto, "train", format, path("out") / name, sequence});
        };
        exported("llmc_u16.bin", "llm.c", "a.bin");
        QCOMPARE(bytesOf(path("out") / "a.bin"), bytesOf(kShards / "llmc_u16.bin"));
        exported("neox_wide.bin", "llm.c", "b.bin");
        QCOMPARE(bytesOf(path("out") / "b.bin"), bytesOf(kShards / "llmc_u32.bin"));
        exported("llmc_u16.bin", "nanogpt", "c.bin");
        QCOMPARE(bytesOf(path("out") / "c.bin"), bytesOf(kShards / "nanogpt.bin"));
        exported("llmc_u16.bin", "olmo", "d.npy");
        QCOMPARE(bytesOf(path("out") / "d.npy"), bytesOf(kShards / "olmo.npy"));
        QCOMPARE(exported("pythia_preshuffled.bin", "megatron", "e.bin", 17)["sequences"], Json(5));
        QCOMPARE(bytesOf(path("out") / "e.bin"), bytesOf(kShards / "pythia_preshuffled.bin"));
        QCOMPARE(bytesOf(path("out") / "e.idx"), bytesOf(kShards / "pythia_preshuffled.idx"));

        QVERIFY_THROWS_EXCEPTION(Error, exported("llmc_u16.bin", "megatron", "e.bin"));
        QVERIFY_THROWS_EXCEPTION(Error, exported("llmc_u16.bin", "megatron", "f.npy"));
        QVERIFY_THROWS_EXCEPTION(Error, exported("llmc_u16.bin", "llm.c", "g.bin", 17));
        QVERIFY(!fs::exists(path("out") / "g.bin"));

        // Documents become sequences that end with the end-of-document id.
        PrepareOptions options;
        options.sources = {write("books.jsonl", "{\"text\":\"one\"}\n{\"text\":\"four\"}\n{\"text\":\"seventh\"}\n")};
        options.validationShare = 0;
        const PreparedData data = prepareInto(options, path("prepared"));
        exportShards({path("prepared"), TokenType::Auto, "train", "megatron", path("out") / "docs.bin", 0});
        const std::string index = bytesOf(path("out") / "docs.idx");
        std::int32_t lengths[3];
        std::memcpy(lengths, index.data() + 34, sizeof lengths);
        QCOMPARE(std::vector<std::int32_t>(lengths, lengths + 3), (std::vector<std::int32_t>{4, 5, 7}));
        std::vector<std::uint32_t> ids(data.train().tokens());
        data.train().read(0, ids.size(), ids.data());
        QCOMPARE(all(TokenShard::open(path("out") / "docs.bin")), ids);
    }

    void anUnfinishedShardLeavesNothing()
    {
        fs::create_directory(path("unfinished"));
        {
            TokenShardWriter writer(path("unfinished/a.bin"), 2);
            const std::vector<std::uint32_t> ids(600000, 1);
            writer.append(ids);
        }
        QVERIFY(fs::is_empty(path("unfinished")));
        QVERIFY_THROWS_EXCEPTION(Error, TokenShardWriter(path("nowhere/a.bin"), 2));
    }

    void mutatedFilesOnlyEverThrow()
    {
        std::mt19937 random(11);
        write("f.bin", raw(std::vector<std::uint16_t>{1, 2, 3, 4, 5}));
        const std::string seeds[] = {
            llmC(20240520, 1, 5, raw(std::vector<std::uint16_t>{1, 2, 3, 4, 5})),
            llmC(20240801, 7, 2, raw(std::vector<std::uint32_t>{1, 2})),
            numpyFile("{'descr': '<u2', 'fortran_order': False, 'shape': (5,), }\n", raw(std::vector<std::uint16_t>{1, 2, 3, 4, 5})),
            megatronIndex({2, 3}, {0, 4}, {0, 2}, 8),
        };
        int accepted = 0;
        for (int trial = 0; trial < 3000; ++trial) {
            const int which = trial % 4;
            std::string bytes = seeds[which];
            for (int edits = 1 + int(random() % 3); edits > 0; --edits) {
                const std::size_t at = random() % std::min<std::size_t>(bytes.size(), 60);
                if (random() % 4 == 0)
                    bytes.resize(random() % bytes.size() + 1);
                if (at < bytes.size())
                    bytes[at] = random() % 2 ? char(random()) : char(bytes[at] ^ (1 << random() % 8));
            }
            const fs::path file = write(which == 3 ? "f.idx" : "g.bin", bytes);
            try {
                all(TokenShard::open(file));
                ++accepted;
            } catch (const Error& e) {
                QVERIFY2(e.kind() == ErrorKind::Malformed || e.kind() == ErrorKind::Unsupported || e.kind() == ErrorKind::Usage, e.what());
            }
        }
        QVERIFY(accepted > 0 && accepted < 2500);
    }
};

QTEST_GUILESS_MAIN(TestTokenShard)
#include "tst_data_token_shard.moc"
