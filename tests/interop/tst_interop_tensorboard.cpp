#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/interop/crc32c.h"
#include "core/interop/tensorboard.h"
#include "tests/temporary_folder.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::interop;
namespace fs = std::filesystem;

namespace {

const fs::path kFixtures = fs::path(HOLO_SOURCE_DIR) / "tests/interop/fixtures/tensorboard";

}  // namespace

class TestTensorBoard : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    fs::path writeOurs(const std::string& folder) const
    {
        fs::create_directories(path(folder));
        TensorBoardWriter writer(path(folder), 1700000000.25, "holonomy");
        for (int step = 1; step <= 4; ++step)
            writer.scalars(step, 1700000000.25 + step, {{"train/loss", 5.0 / step}, {"train/lr", 1e-3 * step}});
        writer.restart(3, 1700000010);
        writer.scalars(3, 1700000011, {{"train/loss", 1.5}});
        writer.scalars(4, 1700000012, {{"train/loss", std::nan("")}, {"größe", -1e30}});
        return writer.file();
    }

    static std::string show(const TensorBoardFile& file)
    {
        std::string text;
        for (const TensorBoardEvent& event : file.events) {
            text += std::to_string(event.step) + (event.isRestart ? " restart" : "");
            for (const auto& [tag, value] : event.scalars)
                text += " " + tag + "=" + dumpLine(number(value));
            text += "\n";
        }
        return text;
    }

private Q_SLOTS:
    void knowsTheChecksum()
    {
        QCOMPARE(crc32c("123456789"), 0xE3069283u);
        QCOMPARE(maskedCrc32c(std::string("\x1a\x11") + "CRC test, one two"), 0x5794d08au);
    }

    void writesWhatTensorBoardReads()
    {
        // ours.tfevents was read by TensorBoard's own reader (check.py), which printed ours.json.
        const std::string golden = readFile(kFixtures / "ours.tfevents");
        const std::string found = readFile(writeOurs("ours"));
        QVERIFY(found == golden);
        QCOMPARE(show(readTensorBoardFolder(path("ours"))),
                 std::string("1 train/loss=5.0 train/lr=0.0010000000474974513\n2 train/loss=2.5 train/lr=0.0020000000949949026\n3 restart\n3 train/loss=1.5\n4 train/loss=\"nan\" größe=-1.0000000150474662e+30\n"));
        QCOMPARE(readTensorBoard(kFixtures / "ours.tfevents", false).events.size(), std::size_t(7));

        const Json seen = readJsonFile(kFixtures / "ours.json");
        const TensorBoardFile ours = readTensorBoard(kFixtures / "ours.tfevents");
        std::map<std::string, std::vector<std::pair<std::int64_t, double>>> byTag;
        for (const TensorBoardEvent& event : ours.events)
            for (const auto& [tag, value] : event.scalars)
                byTag[tag].emplace_back(event.step, event.wallTime);
        QCOMPARE(byTag.size(), seen.size());
        for (const auto& [tag, points] : byTag) {
            QCOMPARE(points.size(), seen[tag].size());
            for (std::size_t i = 0; i < points.size(); ++i) {
                QCOMPARE(points[i].first, seen[tag][i][0].get<std::int64_t>());
                QCOMPARE(points[i].second, seen[tag][i][1].get<double>());
            }
        }
        QVERIFY_THROWS_EXCEPTION(Error, writeOurs("ours"));  // one writer a file
    }

    void readsWhatTensorBoardWrites()
    {
        const TensorBoardFile file = readTensorBoard(kFixtures / "reference.tfevents");
        QCOMPARE(show(file), std::string("1 loss=5.0 accuracy=0.125\n2 loss=2.5 accuracy=0.25\n3 loss=1.6666666269302368 accuracy=0.375\n4 restart\n4 loss=10.0\n5 loss=\"nan\" grad=\"inf\"\n"));
        QCOMPARE(file.events[0].wallTime, 1001.5);
        QCOMPARE(file.notes.size(), std::size_t(1));
        QVERIFY(show(readTensorBoard(kFixtures / "reference.tfevents", false)).find("5 loss=1.0 accuracy=0.625") != std::string::npos);
    }

    void toleratesACutTail()
    {
        const std::string whole = readFile(kFixtures / "ours.tfevents");
        const std::size_t all = readTensorBoard(kFixtures / "ours.tfevents", false).events.size();
        std::size_t before = 0;
        for (std::size_t size = 40; size < whole.size(); ++size) {
            std::ofstream(path("cut.tfevents"), std::ios::binary | std::ios::trunc) << whole.substr(0, size);
            const TensorBoardFile file = readTensorBoard(path("cut.tfevents"), false);
            QVERIFY(file.events.size() >= before && file.events.size() < all);
            before = file.events.size();
        }
        QCOMPARE(before, all - 1);
        std::string flipped = whole;
        flipped[whole.size() - 10] = char(flipped[whole.size() - 10] ^ 1);
        std::ofstream(path("flipped.tfevents"), std::ios::binary) << flipped;
        const TensorBoardFile file = readTensorBoard(path("flipped.tfevents"), false);
        QCOMPARE(file.events.size(), all - 1);
        QCOMPARE(file.notes.size(), std::size_t(1));
    }

    void refusesOtherFiles()
    {
        std::ofstream(path("empty.tfevents"));
        std::ofstream(path("text.tfevents")) << "this is some text that is no event file";
        std::ofstream(path("short.tfevents")) << "abc";
        for (const char* name : {"empty.tfevents", "text.tfevents", "short.tfevents", "missing.tfevents", "."})
            QVERIFY_THROWS_EXCEPTION(Error, readTensorBoard(path(name)));
        fs::create_directory(path("nothing"));
        QVERIFY_THROWS_EXCEPTION(Error, readTensorBoardFolder(path("nothing")));
    }

    void mutatedFilesOnlyEverThrow()
    {
        std::mt19937 random(31);
        const std::string good = readFile(kFixtures / "reference.tfevents");
        // Payloads are changed under a right checksum, so that the message parser sees them.
        for (int trial = 0; trial < 2000; ++trial) {
            std::string bytes;
            for (std::size_t at = 0; at < good.size();) {
                std::uint64_t length = 0;
                std::memcpy(&length, good.data() + at, 8);
                std::string payload = good.substr(at + 12, length);
                if (at > 0 && random() % 3 == 0)
                    for (int edits = 1 + int(random() % 3); edits > 0; --edits)
                        payload[random() % payload.size()] = char(random());
                const auto word = [&](std::uint32_t value) { bytes.append(reinterpret_cast<const char*>(&value), 4); };
                const std::string head = good.substr(at, 8);
                bytes += head;
                word(maskedCrc32c(head));
                bytes += payload;
                word(maskedCrc32c(payload));
                at += length + 16;
            }
            std::ofstream(path("fuzz.tfevents"), std::ios::binary | std::ios::trunc) << bytes;
            const TensorBoardFile file = readTensorBoard(path("fuzz.tfevents"));
            QVERIFY(file.events.size() <= 9);
        }
    }
};

QTEST_GUILESS_MAIN(TestTensorBoard)
#include "tst_interop_tensorboard.moc"
