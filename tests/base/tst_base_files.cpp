#include <filesystem>
#include <fstream>

#include <QtTest>

#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/error_kind.h"
#include "tests/temporary_folder.h"

namespace fs = std::filesystem;
using holo::Error;
using holo::ErrorKind;

class TestBaseFiles : public QObject, private holo::test::TemporaryFolder {
    Q_OBJECT

private Q_SLOTS:
    void replacesAtomicallyAndLeavesNothingBehind()
    {
        holo::writeFileAtomic(path("a"), "one");
        holo::writeFileAtomic(path("a"), "two");
        QCOMPARE(holo::readFile(path("a")), std::string("two"));
        const auto entries = std::distance(fs::directory_iterator(folder()), fs::directory_iterator());
        QCOMPARE(int(entries), 1);
    }

    void keepsSymbolicLinks()
    {
        fs::create_directory(path("target"));
        holo::writeFileAtomic(path("target/file"), "old");
        fs::create_symlink(path("target/file"), path("link"));
        holo::writeFileAtomic(path("link"), "new");
        QVERIFY(fs::is_symlink(path("link")));
        QCOMPARE(holo::readFile(path("target/file")), std::string("new"));
    }

    void refusesWhatIsNoRegularFile()
    {
        fs::create_directory(path("folder"));
        QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
        for (const char* name : {"missing", "folder", "pipe"})
            QCOMPARE(holo::test::kindOf([&] { holo::readFile(path(name)); }), ErrorKind::Malformed);
        QCOMPARE(holo::test::kindOf([] { holo::readFile("/dev/zero"); }), ErrorKind::Malformed);
        QCOMPARE(holo::test::kindOf([&] { holo::writeFileAtomic(path("nowhere/file"), "x"); }), ErrorKind::Resource);
    }

    void refusesLargerThanAllowed()
    {
        holo::writeFileAtomic(path("big"), std::string(100, 'x'));
        QCOMPARE(holo::test::kindOf([&] { holo::readFile(path("big"), 99); }), ErrorKind::Malformed);
        QCOMPARE(holo::readFile(path("big"), 100).size(), std::size_t(100));
    }

    void fullDiskLeavesTheOldFile()
    {
        holo::AppendFile full("/dev/full");
        QCOMPARE(holo::test::kindOf([&] { full.append("x"); }), ErrorKind::Resource);
    }

    void oneWriterHoldsTheLock()
    {
        auto lock = holo::FileLock::acquire(path("lock"));
        try {
            holo::FileLock::acquire(path("lock"));
            QFAIL("two holders");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::Busy);
            QVERIFY(QString(e.what()).contains("pid " + QString::number(QCoreApplication::applicationPid())));
        }
        lock = {};
        QVERIFY(holo::FileLock::acquire(path("lock")).isHeld());
    }

    void sha256OfKnownTexts()
    {
        // FIPS 180-2, appendix B.1
        const std::string expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        QCOMPARE(holo::sha256("abc"), expected);
        holo::writeFileAtomic(path("abc"), "abc");
        QCOMPARE(holo::sha256OfFile(path("abc")), expected);
    }
};

QTEST_APPLESS_MAIN(TestBaseFiles)
#include "tst_base_files.moc"
