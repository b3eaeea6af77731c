#include <QtTest>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/interop/safetensors.h"
#include "core/interop/safetensors_header.h"
#include "core/interop/safetensors_writer.h"
#include "tests/temporary_folder.h"

using namespace holo;
using namespace holo::interop;
namespace fs = std::filesystem;

namespace {

const char* const kGoodHeader =
    R"({"x":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"y":{"dtype":"F32","shape":[3],"data_offsets":[16,28]}})";

std::string fileBytes(const std::string& header, std::size_t dataBytes, std::uint64_t length)
{
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    bytes += header;
    for (std::size_t i = 0; i < dataBytes; ++i)
        bytes += char(i);
    return bytes;
}

std::string fileBytes(const std::string& header, std::size_t dataBytes) { return fileBytes(header, dataBytes, header.size()); }

}  // namespace

class TestSafetensors : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    void write(const fs::path& file, const std::string& bytes) const
    {
        std::ofstream out(file, std::ios::binary | std::ios::trunc);
        out.write(bytes.data(), std::streamsize(bytes.size()));
    }

    // Opens the bytes as a file; returns the exit code (0 = fine) and keeps the message.
    int openCode(const std::string& bytes, std::string* message = nullptr) const
    {
        const fs::path file = path("case.safetensors");
        write(file, bytes);
        try {
            SafetensorsFile::open(file);
            return 0;
        } catch (const Error& e) {
            if (message)
                *message = e.what();
            return exitCode(e.kind());
        }
    }

private Q_SLOTS:
    void readsTheBaseFile()
    {
        write(path("a.safetensors"), fileBytes(kGoodHeader, 28));
        const auto file = SafetensorsFile::open(path("a.safetensors"));
        QCOMPARE(file.tensors().size(), std::size_t(2));
        QCOMPARE(file.get("y").shape, (std::vector<std::int64_t>{3}));
        QCOMPARE(file.get("x").elements(), std::int64_t(4));
        unsigned char bytes[12];
        file.read(file.get("y"), bytes);
        for (int i = 0; i < 12; ++i)
            QCOMPARE(int(bytes[i]), 16 + i);
        file.read(file.get("y"), 4, 2, bytes);
        QCOMPARE(int(bytes[1]), 21);
        QVERIFY(!file.find("z"));
        QVERIFY_THROWS_EXCEPTION(Error, file.get("z"));
        QVERIFY_THROWS_EXCEPTION(Error, file.read(file.get("y"), 8, 5, bytes));
    }

    void refusesWhatBreaksARule_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("named");  // what the message must name
        const auto add = [](const char* name, const std::string& bytes, const char* named) {
            QTest::newRow(name) << QByteArray(bytes.data(), qsizetype(bytes.size())) << QString(named);
        };
        const auto header = [&](const char* name, const std::string& text, std::size_t data, const char* named) { add(name, fileBytes(text, data), named); };
        const std::string good = kGoodHeader;
        const auto with = [&](const std::string& from, const std::string& to) {
            std::string text = good;
            text.replace(text.find(from), from.size(), to);
            return text;
        };

        add("empty file", "", "size");
        add("7 bytes", "1234567", "size");
        add("length only, 0", fileBytes("", 0), "first byte");
        add("length 0, data", fileBytes("", 28, 0), "first byte");
        add("length beyond the file", fileBytes(good, 0, 1000), "header length");
        add("length one too long", fileBytes(good, 0, good.size() + 1), "header length");
        add("length 2^64-1", fileBytes(good, 28, ~std::uint64_t(0)), "header length");
        add("length 2^64-8", fileBytes(good, 28, ~std::uint64_t(7)), "header length");
        add("length 2^63", fileBytes(good, 28, std::uint64_t(1) << 63), "header length");
        add("length over 100 MB", fileBytes(good, 28, 100'000'001), "header length");
        add("header cut", fileBytes(good, 28, good.size() - 1), "JSON");
        add("truncated data", fileBytes(good, 27), "\"y\"");
        add("data behind the last tensor", fileBytes(good, 29), "29");

        header("begins with a blank", " " + good, 28, "first byte");
        header("a list", "[1]", 0, "first byte");
        header("byte order mark", "\xEF\xBB\xBF" + good, 28, "first byte");
        header("padded with NUL", good + std::string(3, '\0'), 28, "NUL");
        header("padded with newline", good + "\n", 28, "end");
        header("text behind", good + "x", 28, "end");
        header("two documents", good + "{}", 28, "JSON");
        header("NUL inside", with("\"y\"", std::string("\"y\0\"", 4)), 28, "NUL");
        header("comment", with("{\"x\"", "{/**/\"x\""), 28, "JSON");
        header("trailing comma", with("}}", "},}"), 28, "JSON");
        header("bad UTF-8 name", with("\"y\"", "\"\xFF\""), 28, "JSON");
        header("lone surrogate", with("\"y\"", "\"\\ud800\""), 28, "JSON");

        header("overlap", with("[16,28]", "[12,24]"), 24, "\"y\"");
        header("gap", with("[16,28]", "[20,32]"), 32, "\"y\"");
        header("gap at the start", R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", 3, "\"x\"");
        header("same place twice", R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2, "\"y\"");
        header("shape against bytes", with("[2,2]", "[2,3]"), 28, "\"x\"");
        header("dtype against bytes", with("\"F32\"", "\"F64\""), 28, "\"x\"");
        header("begin after end", with("[0,16]", "[16,0]"), 28, "\"x\"");
        header("end outside", with("[16,28]", "[16,1152921504606846976]"), 28, "\"y\"");
        header("key twice", with("\"y\":", "\"x\":"), 28, "\"x\"");
        header("field twice", with("\"dtype\":\"F32\"", "\"dtype\":\"F32\",\"dtype\":\"F32\""), 28, "dtype");
        header("escaped key twice", with("\"y\":", "\"\\u0078\":"), 28, "\"x\"");
        header("unknown dtype", with("\"F32\"", "\"F33\""), 28, "dtype");
        header("lower-case dtype", with("\"F32\"", "\"f32\""), 28, "dtype");
        header("dtype a number", with("\"F32\"", "32"), 28, "dtype");
        header("dtype null", with("\"F32\"", "null"), 28, "dtype");
        header("dtype missing", with("\"dtype\":\"F32\",", ""), 28, "dtype");
        header("shape missing", with("\"shape\":[2,2],", ""), 28, "shape");
        header("offsets missing", with(",\"data_offsets\":[0,16]", ""), 28, "data_offsets");
        header("offsets under another name", with("data_offsets", "offsets"), 28, "data_offsets");
        header("one offset", with("[0,16]", "[0]"), 28, "data_offsets");
        header("three offsets", with("[0,16]", "[0,16,16]"), 28, "data_offsets");
        header("offsets no list", with("[0,16]", "16"), 28, "data_offsets");
        header("negative offset", with("[0,16]", "[-1,16]"), 28, "data_offsets");
        header("fractional offset", with("[0,16]", "[0,16.0]"), 28, "data_offsets");
        header("offset as text", with("[0,16]", "[0,\"16\"]"), 28, "data_offsets");
        header("offset 2^64", with("[0,16]", "[0,18446744073709551616]"), 28, "data_offsets");
        header("negative size", with("[2,2]", "[-2,-2]"), 28, "shape");
        header("minus zero", with("[2,2]", "[-0,2]"), 28, "shape");
        header("fractional size", with("[2,2]", "[2,2.0]"), 28, "shape");
        header("exponent size", with("[2,2]", "[2,2e0]"), 28, "shape");
        header("size as text", with("[2,2]", "[2,\"2\"]"), 28, "shape");
        header("size true", with("[2,2]", "[2,true]"), 28, "shape");
        header("size null", with("[2,2]", "[2,null]"), 28, "shape");
        header("nested shape", with("[2,2]", "[[2,2]]"), 28, "shape");
        header("shape an object", with("[2,2]", "{\"a\":4}"), 28, "shape");
        header("product wraps to the right size", with("[2,2]", "[4611686018427387904,4,4]"), 28, "shape");
        header("bits wrap", with("[2,2]", "[4611686018427387904]"), 28, "shape");
        header("bits wrap to 16 bytes", with("[2,2]", "[1152921504606846980]"), 28, "shape");
        header("size over 2^63", with("[2,2]", "[9223372036854775808,0]"), 28, "shape");
        header("half a byte", R"({"x":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", 2, "shape");
        header("tensor a list", with("{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}", "[]"), 28, "\"x\"");
        header("tensor null", with("{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}", "null"), 28, "\"x\"");
        header("no tensors, but data", "{}", 1, "1 bytes");
        header("metadata a list", with("{\"x\"", "{\"__metadata__\":[],\"x\""), 28, "__metadata__");
        header("metadata null", with("{\"x\"", "{\"__metadata__\":null,\"x\""), 28, "__metadata__");
        header("metadata number", with("{\"x\"", "{\"__metadata__\":{\"a\":1},\"x\""), 28, "__metadata__");
        header("metadata nested", with("{\"x\"", "{\"__metadata__\":{\"a\":{}},\"x\""), 28, "__metadata__");
        header("metadata key twice", with("{\"x\"", "{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"},\"x\""), 28, "\"a\"");
        header("metadata twice", with("{\"x\"", "{\"__metadata__\":{},\"__metadata__\":{},\"x\""), 28, "__metadata__");
        header("deep nesting in an unknown field", with("\"dtype\"", "\"z\":" + std::string(100000, '[') + ",\"dtype\""), 28, "");
        header("deep nesting at the top", "{\"a\":" + std::string(200000, '['), 0, "");
        header("huge number", with("[2,2]", "[1e999999]"), 28, "");
    }

    void refusesWhatBreaksARule()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, named);
        std::string message;
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(openCode(std::string(bytes.data(), std::size_t(bytes.size())), &message), 3);
        QVERIFY2(QString::fromStdString(message).contains(named), message.c_str());
        QVERIFY2(message.find("case.safetensors") != std::string::npos, message.c_str());
    }

    void acceptsWhatIsUnusual_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("tensors");
        const auto row = [](const char* name, const std::string& header, std::size_t data, int tensors) {
            const std::string bytes = fileBytes(header, data);
            QTest::newRow(name) << QByteArray(bytes.data(), qsizetype(bytes.size())) << tensors;
        };
        row("no tensors", "{}", 0, 0);
        row("padding", std::string(kGoodHeader) + "     ", 28, 2);
        row("blanks inside", "{\n \"x\" : {\"dtype\":\"U8\",\t\"shape\":[ 2 ],\"data_offsets\":[0,2]} }", 2, 1);
        row("metadata alone", R"({"__metadata__":{"a":"1"}})", 0, 0);
        row("scalar", R"({"x":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})", 8, 1);
        row("empty tensors", R"({"a":{"dtype":"F32","shape":[0,5],"data_offsets":[4,4]},"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}})", 4, 3);
        row("order of the data is not the order of the header", R"({"y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 3, 2);
        row("fields in another order", R"({"x":{"data_offsets":[0,2],"shape":[2],"dtype":"U8"}})", 2, 1);
        row("empty name", R"({"":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2, 1);
        row("odd name", R"({"../é\u0000\n":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2, 1);
        row("unaligned", R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"y":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})", 5, 2);
        row("unknown field", R"({"x":{"dtype":"U8","shape":[1],"note":{"a":[1,{"b":null}]},"data_offsets":[0,1]}})", 1, 1);
        row("four bits", R"({"x":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})", 2, 1);
        row("types we do not use", R"({"x":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]},"y":{"dtype":"BOOL","shape":[1],"data_offsets":[1,2]},"z":{"dtype":"C64","shape":[1],"data_offsets":[2,10]}})", 10, 3);
    }

    void acceptsWhatIsUnusual()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, tensors);
        write(path("case.safetensors"), bytes.toStdString());
        QCOMPARE(int(SafetensorsFile::open(path("case.safetensors")).tensors().size()), tensors);
    }

    void refusesSpecialFiles()
    {
        const fs::path pipe = path("pipe.safetensors");
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        for (const fs::path& file : {pipe, fs::path("/dev/zero"), path("."), path("missing.safetensors")}) {
            try {
                SafetensorsFile::open(file);
                QFAIL(file.c_str());
            } catch (const Error& e) {
                QCOMPARE(e.kind(), ErrorKind::Malformed);
            }
        }
    }

    void aFileThatShrinksOrChangesIsAnError()
    {
        const fs::path file = path("shrinks.safetensors");
        write(file, fileBytes(kGoodHeader, 28));
        auto reader = SafetensorsFile::open(file);
        char bytes[16];
        reader.read(reader.get("x"), bytes);
        fs::resize_file(file, fs::file_size(file) / 2);
        QVERIFY_THROWS_EXCEPTION(Error, reader.read(reader.get("x"), bytes));
        QVERIFY_THROWS_EXCEPTION(Error, reader.read(reader.get("y"), bytes));

        write(file, fileBytes(kGoodHeader, 28));
        reader = SafetensorsFile::open(file);
        fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
        QVERIFY_THROWS_EXCEPTION(Error, reader.read(reader.get("x"), bytes));
    }

    void writesAndReadsBack()
    {
        const std::vector<float> a{1.5f, -2.0f, 3.25f, 0.0f, 7.0f, -1e-30f};
        const std::vector<std::uint8_t> b{1, 2, 3};
        SafetensorsWriter writer;
        writer.setMetadata("format", "pt");
        writer.setMetadata("note", "first");
        writer.setMetadata("note", "é \"quoted\"");
        writer.add("a", "F32", {2, 3}, a.data());
        writer.add("empty", "BF16", {0, 4}, static_cast<const void*>(nullptr));
        writer.add("b", "U8", {3}, [&](std::uint64_t offset, std::span<std::byte> chunk) { std::memcpy(chunk.data(), b.data() + offset, chunk.size()); });
        const WrittenFile first = writer.write(path("w1.safetensors"));
        const WrittenFile second = writer.write(path("w2.safetensors"));
        const std::string bytes = readFile(path("w1.safetensors"));
        QCOMPARE(bytes, readFile(path("w2.safetensors")));
        QCOMPARE(first.sha256, second.sha256);
        QCOMPARE(first.sha256, sha256(bytes));
        QCOMPARE(first.bytes, std::uint64_t(bytes.size()));
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data(), 8);
        QCOMPARE(length % 8, std::uint64_t(0));

        const auto file = SafetensorsFile::open(path("w1.safetensors"));
        QCOMPARE(*file.metadataValue("note"), std::string("é \"quoted\""));
        QCOMPARE(file.tensors().front().name, std::string("a"));
        std::vector<float> read(6);
        file.read(file.get("a"), read.data());
        QCOMPARE(read, a);
        QCOMPARE(file.get("empty").bytes(), std::uint64_t(0));

        QVERIFY_THROWS_EXCEPTION(Error, writer.add("a", "F32", {1}, a.data()));
        QVERIFY_THROWS_EXCEPTION(Error, writer.add("c", "F31", {1}, a.data()));
        QVERIFY_THROWS_EXCEPTION(Error, writer.add("c", "F32", {-1}, a.data()));
        QVERIFY_THROWS_EXCEPTION(Error, writer.add("c", "F32", {std::int64_t(1) << 62, 8}, a.data()));
    }

    void largeTensorsComeInChunks()
    {
        const std::size_t count = (9u << 20) + 5;
        SafetensorsWriter writer;
        writer.add("big", "U8", {std::int64_t(count)}, [](std::uint64_t offset, std::span<std::byte> chunk) {
            for (std::size_t i = 0; i < chunk.size(); ++i)
                chunk[i] = std::byte((offset + i) * 2654435761u >> 13);
        });
        writer.write(path("big.safetensors"));
        const auto file = SafetensorsFile::open(path("big.safetensors"));
        std::vector<unsigned char> read(count);
        file.read(file.get("big"), read.data());
        for (std::size_t i = 0; i < count; i += 4099)
            QCOMPARE(read[i], static_cast<unsigned char>(std::uint64_t(i) * 2654435761u >> 13));
    }

    void aFailedWriteLeavesTheOldFile()
    {
        SafetensorsWriter writer;
        writer.add("x", "U8", {1}, "a");
        writer.write(path("old.safetensors"));
        const std::string before = readFile(path("old.safetensors"));
        SafetensorsWriter broken;
        broken.add("x", "U8", {1}, [](std::uint64_t, std::span<std::byte>) { throw Error(ErrorKind::Resource, "no memory."); });
        QVERIFY_THROWS_EXCEPTION(Error, broken.write(path("old.safetensors")));
        QCOMPARE(readFile(path("old.safetensors")), before);
        try {
            writer.write(path("nowhere/x.safetensors"));
            QFAIL("written into a folder that is not there");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::Resource);
        }
        int temporaries = 0;
        for (const auto& entry : fs::directory_iterator(path(".")))
            temporaries += entry.path().filename().string().starts_with(".");
        QCOMPARE(temporaries, 0);
    }

    void mutatedHeadersOnlyEverThrowMalformed()
    {
        std::mt19937 random(7);
        const std::string good = std::string(R"({"__metadata__":{"format":"pt"},)") + (kGoodHeader + 1);
        const char* const pieces[] = {"{", "}", "[", "]", ",", ":", "\"", "\\", "0", "-1", "1e9", "null", "\"x\"", "18446744073709551615", "\xFF", "\\u0000"};
        int accepted = 0;
        for (int trial = 0; trial < 4000; ++trial) {
            std::string text = good;
            for (int edits = 1 + int(random() % 4); edits > 0; --edits) {
                const std::size_t at = random() % (text.size() + 1);
                switch (random() % 4) {
                case 0: text.insert(at, pieces[random() % std::size(pieces)]); break;
                case 1: text.erase(at, random() % 8); break;
                case 2:
                    if (at < text.size())
                        text[at] = char(random());
                    break;
                default: text.insert(at, text.substr(random() % text.size(), random() % 30));
                }
            }
            try {
                const SafetensorsHeader header = parseSafetensorsHeader(text, 28, "fuzz");
                ++accepted;
                std::uint64_t covered = 0;
                for (const TensorInfo& tensor : header.tensors) {
                    QCOMPARE(tensor.begin, covered);
                    covered = tensor.end;
                }
                QCOMPARE(covered, std::uint64_t(28));
            } catch (const Error& e) {
                QCOMPARE(e.kind(), ErrorKind::Malformed);
            }
        }
        QVERIFY(accepted > 0 && accepted < 2000);
    }
};

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_interop_safetensors.moc"
