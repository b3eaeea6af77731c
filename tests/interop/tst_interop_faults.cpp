#include <QtTest>

#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/interop/safetensors_writer.h"
#include "tests/error_kind.h"
#include "tests/temporary_folder.h"

using namespace holo;
using namespace holo::interop;
namespace fs = std::filesystem;

// Failing calls and files that are cut at the worst moment, through the hooks of core/base/fault.h. The environment is read once a process,
// so the order of the functions below is that of the visits named there.
class TestInteropFaults : public QObject, private test::TemporaryFolder {
    Q_OBJECT

private:
    std::vector<float> m_values = std::vector<float>(1000, 1.5f);

    SafetensorsWriter writer() const
    {
        SafetensorsWriter out;
        out.add("x", "F32", {500}, m_values.data());
        out.add("y", "F32", {500}, m_values.data() + 500);
        return out;
    }

    int leftovers() const
    {
        int count = 0;
        for (const auto& entry : fs::directory_iterator(path(".")))
            count += entry.path().filename().string().starts_with(".");
        return count;
    }

private Q_SLOTS:
    // A save of two tensors is three writes (header, x, y) and two syncs (file, folder). The sixth write is y of the second save, the third
    // sync that of the third save's file.
    void initTestCase() { qputenv("HOLONOMY_FAULT", "safetensors:truncate@1;write:enospc@6;fsync:fail@3"); }

    void aFailedWriteKeepsTheOldFile()
    {
        writer().write(path("a.safetensors"));
        const std::string before = readFile(path("a.safetensors"));
        QCOMPARE(test::kindOf([&] { writer().write(path("a.safetensors")); }), ErrorKind::Resource);
        QCOMPARE(readFile(path("a.safetensors")), before);
        QCOMPARE(leftovers(), 0);
    }

    void aFailedSyncKeepsTheOldFile()
    {
        QCOMPARE(test::kindOf([&] { writer().write(path("b.safetensors")); }), ErrorKind::Resource);
        QVERIFY(!fs::exists(path("b.safetensors")));
        QCOMPARE(leftovers(), 0);
        writer().write(path("b.safetensors"));
        QCOMPARE(readFile(path("a.safetensors")), readFile(path("b.safetensors")));
    }

    void aFileCutBetweenHeaderAndDataIsMalformed()
    {
        const auto size = fs::file_size(path("b.safetensors"));
        const SafetensorsFile file = SafetensorsFile::open(path("b.safetensors"));
        QCOMPARE(fs::file_size(path("b.safetensors")), size / 2);
        std::vector<float> values(500);
        // The first tensor lies within the half that is left, and yet the file is not the one that was opened.
        QCOMPARE(test::kindOf([&] { file.read(file.get("x"), values.data()); }), ErrorKind::Malformed);
        QCOMPARE(test::kindOf([&] { file.read(file.get("y"), values.data()); }), ErrorKind::Malformed);
    }

    void cleanupTestCase() { QCOMPARE(leftovers(), 0); }
};

QTEST_GUILESS_MAIN(TestInteropFaults)
#include "tst_interop_faults.moc"
