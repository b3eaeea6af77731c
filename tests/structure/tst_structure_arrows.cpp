#include <map>
#include <set>

#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QtTest>

#include "test_paths.h"

// Who may include whom. A module lists every module it may know beside itself; what is missing is forbidden.
class TestStructureArrows : public QObject {
    Q_OBJECT

    using Names = std::set<QString>;
    const Names m_foundation = {"core/base", "core/ladder", "core/config", "core/model", "core/stats"};

    std::map<QString, Names> rules() const
    {
        const auto with = [](Names a, const Names& b) {
            a.insert(b.begin(), b.end());
            return a;
        };
        const Names files = with(m_foundation, {"core/data", "core/interop", "core/run"});
        const Names engine = with(files, {"kernels", "core/ops", "core/nn", "core/train", "core/eval"});
        return {
            {"kernels", {}},
            {"core/base", {}},
            {"core/ladder", {"core/base"}},
            {"core/model", {"core/base", "core/ladder"}},
            {"core/config", {"core/base", "core/ladder", "core/model"}},
            {"core/stats", {"core/base", "core/model"}},
            {"core/store", files},
            {"core/report", with(files, {"core/store"})},
            {"core/data", m_foundation},
            {"core/interop", with(m_foundation, {"core/data"})},
            {"core/ops", with(m_foundation, {"kernels"})},
            {"core/nn", with(m_foundation, {"kernels", "core/ops"})},
            {"core/train", with(files, {"kernels", "core/ops", "core/nn"})},
            {"core/eval", with(files, {"kernels", "core/ops", "core/nn", "core/train"})},
            {"core/run", engine},
            {"core/bench", engine},
            {"widgets", with(m_foundation, {"resources"})},
            {"app/shell", with(files, {"widgets", "core/store", "core/report", "app/bridge", "app/settings"})},
            {"app/bridge", with(files, {"core/store", "app/settings"})},
            {"app/settings", with(m_foundation, {"widgets"})},
            {"app/cli", with(engine, {"core/bench", "core/store", "core/report"})},
        };
    }

    static QString moduleOf(const QString& path)
    {
        static const QRegularExpression twoLevels("^(core|app)/[^/]+/");
        const auto match = twoLevels.match(path);
        return match.hasMatch() ? match.captured().chopped(1) : path.section('/', 0, 0);
    }

    struct Include {
        QString file, target;
        bool system;
    };

    QList<Include> includes() const
    {
        static const QRegularExpression line("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]", QRegularExpression::MultilineOption);
        const QString root = HOLO_SOURCE_DIR;
        QList<Include> list;
        for (const char* folder : {"kernels", "core", "widgets", "app"}) {
            QDirIterator it(root + '/' + folder, {"*.h", "*.cpp", "*.cu", "*.inc"}, QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                QFile file(it.next());
                if (!file.open(QIODevice::ReadOnly))
                    qFatal("cannot read a source file");
                auto matches = line.globalMatch(QString::fromUtf8(file.readAll()));
                while (matches.hasNext()) {
                    const auto m = matches.next();
                    list.append({QDir(root).relativeFilePath(file.fileName()), m.captured(2), m.captured(1) == "<"});
                }
            }
        }
        return list;
    }

private Q_SLOTS:
    void modulesKnowOnlyWhatTheyMay()
    {
        const auto rule = rules();
        QStringList wrong;
        int seen = 0;
        for (const Include& i : includes()) {
            const auto allowed = rule.find(moduleOf(i.file));
            if (i.system || allowed == rule.end() || !i.target.contains('/'))
                continue;
            ++seen;
            const QString target = moduleOf(i.target);
            if (target != allowed->first && !allowed->second.contains(target))
                wrong << i.file + " includes " + i.target;
        }
        QVERIFY(seen > 100);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void librariesStayBehindTheirDoors()
    {
        static const QRegularExpression torch("^(torch|ATen|c10)/"), qt("^Q[A-Z]"), sqlite("^sqlite3"), json("^nlohmann/");
        QStringList wrong;
        for (const Include& i : includes()) {
            const QString module = moduleOf(i.file);
            const Names torchUsers = {"core/ops", "core/nn", "core/train", "core/eval", "core/run", "core/bench", "app/cli"};
            const bool torchHeaderFile = i.file.endsWith(".h") && module != "core/ops" && module != "core/nn" && module != "core/train";
            const bool qtSide = module == "widgets" || module == "app/shell" || module == "app/bridge" || module == "app/settings" || i.file == "app/main.cpp";
            if ((torch.match(i.target).hasMatch() && (!torchUsers.contains(module) || torchHeaderFile)) || (qt.match(i.target).hasMatch() && !qtSide)
                || (sqlite.match(i.target).hasMatch() && module != "core/store")
                || (json.match(i.target).hasMatch() && i.file != "core/base/json.h"))
                wrong << i.file + " includes " + i.target;
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void executablesLinkTheirHalf()
    {
        const auto libraries = [](const QString& program) {
            QProcess ldd;
            ldd.start("ldd", {QString(HOLO_BIN_DIR) + '/' + program});
            ldd.waitForFinished();
            return QString::fromUtf8(ldd.readAllStandardOutput());
        };
        if (QFile::exists(QString(HOLO_BIN_DIR) + "/holonomy")) {
            const QString window = libraries("holonomy");
            QVERIFY(window.contains("libQt6Widgets"));
            QVERIFY(!window.contains("torch"));
        }
        if (QFile::exists(QString(HOLO_BIN_DIR) + "/holonomy-engine")) {
            const QString engine = libraries("holonomy-engine");
            QVERIFY(engine.contains("libtorch_cpu"));
            QVERIFY(!engine.contains("libQt6"));
            QVERIFY(!engine.contains("libtorch_cuda"));
            QCOMPARE(engine.count(QRegularExpression("libgomp[^ ]* =>")), 1);
        }
    }
};

QTEST_APPLESS_MAIN(TestStructureArrows)
#include "tst_structure_arrows.moc"
