// Shells, manual readers and other programs' files, as their users meet them.
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>

#include "core/base/files.h"
#include "engine_process.h"

using namespace holo;
using namespace holo::test;

class TestCliInterop : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString at(const QString& name) const { return m_folder.filePath(name); }

    QString save(const QString& name, const QByteArray& bytes) const
    {
        std::filesystem::create_directories(QFileInfo(at(name)).absolutePath().toStdString());
        writeFileAtomic(at(name).toStdString(), std::string_view(bytes.constData(), std::size_t(bytes.size())));
        return at(name);
    }

    static QByteArray outputOf(const QString& program, const QStringList& arguments, int* code = nullptr)
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, arguments);
        process.closeWriteChannel();
        process.waitForFinished(60'000);
        if (code)
            *code = process.exitCode();
        return process.readAll();
    }

    // What bash offers behind these words; the last one is being typed.
    QStringList offered(const QStringList& words) const
    {
        const QString code = QString("source '%1'; COMP_WORDS=(%2); COMP_CWORD=%3; _holonomy; printf '%s\\n' \"${COMPREPLY[@]}\"").arg(at("holonomy.bash"), "'" + words.join("' '") + "'").arg(words.size() - 1);
        QStringList list = QString(outputOf("bash", {"--norc", "-c", code})).split('\n', Qt::SkipEmptyParts);
        list.sort();
        return list;
    }

private Q_SLOTS:
    void bashCompletes()
    {
        const Outcome script = engine({"completion", "bash"});
        QCOMPARE(script.code, 0);
        save("holonomy.bash", script.out);
        QCOMPARE(offered({"holonomy", "exp"}), QStringList{"export"});
        QCOMPARE(offered({"holonomy", "export", "run", "--format", ""}), (QStringList{"csv", "hf", "safetensors", "tensorboard"}));
        QCOMPARE(offered({"holonomy", "export", "run", "--dt"}), QStringList{"--dtype"});
        QCOMPARE(offered({"holonomy", "data", "pre"}), QStringList{"prepare"});
        QCOMPARE(offered({"holonomy", "data", "write", "x", "--as", "m"}), QStringList{"megatron"});
        QCOMPARE(offered({"holonomy", "ladder", "mob"}), (QStringList{"mobius", "mobius-attention"}));
        QCOMPARE(offered({"holonomy", "--batch", "study", "--js"}), QStringList{"--json"});
        QVERIFY(offered({"holonomy", "inspect", at("holon")}).contains(at("holonomy.bash")));
        QCOMPARE(engine({"completion", "tcsh"}).code, 2);
    }

    void otherShellsParseTheirScripts()
    {
        bool any = false;
        for (const auto& [shell, check] : {std::pair("bash", QStringList{"-n"}), std::pair("zsh", QStringList{"-n"}), std::pair("fish", QStringList{"--no-execute"})}) {
            const Outcome script = engine({"completion", shell});
            QCOMPARE(script.code, 0);
            QVERIFY(script.out.contains("safetensors") && script.out.contains("mobius"));
            if (QStandardPaths::findExecutable(shell).isEmpty())
                continue;
            any = true;
            int code = -1;
            const QByteArray said = outputOf(shell, check + QStringList{save(QString("script.") + shell, script.out)}, &code);
            QVERIFY2(code == 0 && said.isEmpty(), said.constData());
        }
        QVERIFY(any);
    }

    void theManualNamesEveryVerbAndOption()
    {
        const Outcome page = engine({"man"});
        QCOMPARE(page.code, 0);
        QVERIFY(page.out.startsWith(".TH HOLONOMY 1"));
        for (const char* verb : {"batch", "export", "import", "data prepare", "data write", "completion", "man", "version"})
            QVERIFY2(page.out.contains(QByteArray(".SS ") + verb + "\n"), verb);
        QVERIFY(page.out.contains("\\-\\-frequencies") && page.out.contains("BF16") && page.out.contains("interrupted and resumable"));
        for (const QByteArray& line : page.out.split('\n'))
            QVERIFY2(!line.startsWith('.') || line.startsWith(".TH ") || line.startsWith(".SH ") || line.startsWith(".SS ") || line.startsWith(".B ") || QList<QByteArray>({".TP", ".PP", ".nf", ".fi", ".br"}).contains(line), line.constData());
    }

    void curvesOfOtherTrackersStandBesideOurs()
    {
        QCOMPARE(engine({"new", at("study")}).code, 0);
        const QString csv = save("chart.csv", "\"Step\",\"first run - train/loss\",\"first run - train/loss__MIN\",\"second - train/loss\",\"second - eval/acc\"\n1,3.5,3.5,3.25,\n2,3.0,3.0,,0.5\n");
        const Outcome dry = engine({"import", csv, at("study"), "--dry-run", "--json"});
        QVERIFY2(dry.code == 0, dry.err.constData());
        QVERIFY(!QFileInfo::exists(at("study/runs/second")));
        const Json made = engine({"import", csv, at("study"), "--json"}).document();
        QCOMPARE(made["runs"].size(), std::size_t(2));
        QCOMPARE(made["runs"][0]["run"], Json("first-run"));
        const Json index = engine({"index", at("study"), "--json"}).document();
        QCOMPARE(index["runs"], Json(2));
        QCOMPARE(index["steps"], Json(4));
        const Outcome shown = engine({"export", at("study/runs/first-run"), "--format", "csv", "--out", at("csv")});
        QVERIFY2(shown.code == 0, shown.err.constData());
        const std::string table = readFile(at("csv/first-run-steps.csv").toStdString());
        QVERIFY2(table.find("3.5") != std::string::npos && table.find("\n2,") != std::string::npos, table.c_str());
        QCOMPARE(engine({"import", csv, at("study")}).code, 2);        // there already
        QCOMPARE(engine({"import", csv, at("nowhere")}).code, 2);
        const QString broken = save("broken.csv", "step,loss\n1,x\n");
        QCOMPARE(engine({"import", broken, at("study")}).code, 3);

        // Our own events, read back as another tracker's.
        QCOMPARE(engine({"export", at("study/runs/first-run"), "--format", "tensorboard", "--out", at("boards")}).code, 0);
        const Outcome again = engine({"import", at("boards/first-run"), at("study"), "--json"});
        QVERIFY2(again.code == 2, again.err.constData());  // the same name
        QDir().rename(at("boards/first-run"), at("boards/third"));
        QCOMPARE(engine({"import", at("boards/third"), at("study"), "--json"}).document()["runs"][0]["steps"], Json(2));
    }

    void aFolderOfTensorBoardRunsIsImported()
    {
        QCOMPARE(engine({"new", at("boards-study")}).code, 0);
        const QString csv = save("two.csv", "Step,a - loss,b - loss\n1,3.5,3.25\n2,3.0,2.5\n");
        QCOMPARE(engine({"import", csv, at("boards-study")}).code, 0);
        QCOMPARE(engine({"export", at("boards-study/runs/a"), at("boards-study/runs/b"), "--format", "tensorboard", "--out", at("logdir/deep")}).code, 0);
        QCOMPARE(engine({"new", at("other-study")}).code, 0);
        const Json made = engine({"import", at("logdir"), at("other-study"), "--json"}).document();
        QCOMPARE(made["runs"].size(), std::size_t(2));
        QCOMPARE(made["runs"][1]["run"], Json("deep-b"));
        QCOMPARE(made["runs"][1]["steps"], Json(2));
        const Outcome gone = engine({"import", at("not-there"), at("other-study")});
        QCOMPARE(gone.code, 2);
        QVERIFY2(gone.err.contains("not-there"), gone.err.constData());
    }

    // A run folder that comes back from a cluster is copied in and found.
    void foldersThatReturnAreFound()
    {
        QCOMPARE(engine({"new", at("home")}).code, 0);
        QCOMPARE(engine({"new", at("cluster")}).code, 0);
        const QString csv = save("c.csv", "step,loss\n1,2\n2,1\n");
        QCOMPARE(engine({"import", csv, at("cluster")}).code, 0);
        std::filesystem::create_directories(at("home/runs").toStdString());
        std::filesystem::copy(at("cluster/runs/c").toStdString(), at("home/runs/c").toStdString(), std::filesystem::copy_options::recursive);
        const Json index = engine({"index", at("home"), "--json"}).document();
        QCOMPARE(index["runs"], Json(1));
        QCOMPARE(index["steps"], Json(2));
        QVERIFY(engine({"runs", at("home")}).out.contains("c"));
    }

    void pandasReadsAProjectAsTheReadmeSays()
    {
        const QString python = qEnvironmentVariable("HOLONOMY_PANDAS_PYTHON", "python3");
        int code = -1;
        outputOf(python, {"-c", "import pandas"}, &code);
        if (code != 0)
            QSKIP("pandas is not there; HOLONOMY_PANDAS_PYTHON names a Python that has it");
        const QString readme = QString::fromStdString(readFile(HOLO_SOURCE_DIR "/README.md"));
        const auto begin = readme.indexOf("```python\n") + 10;
        const QString lines = readme.mid(begin, readme.indexOf("```", begin) - begin);
        QVERIFY(lines.count('\n') <= 3 && lines.contains("pandas"));
        QCOMPARE(engine({"new", at("read/study")}).code, 0);
        QCOMPARE(engine({"import", save("p.csv", "step,loss\n1,2\n2,1.5\n"), at("read/study")}).code, 0);
        const QString script = save("read.py", ("import os\nos.chdir('" + at("read") + "')\n" + lines + "\nprint(list(steps[steps.type == 'step'].loss), set(steps.run))\n").toUtf8());
        QCOMPARE(QString(outputOf(python, {script})).trimmed(), QString("[2.0, 1.5] {'p'}"));
    }
};

QTEST_GUILESS_MAIN(TestCliInterop)
#include "tst_cli_interop.moc"
