// `eval` and `swap` as scripts see them, on a small run that was trained for a few steps.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/cli/engine_process.h"

namespace {

struct Result {
    int code = -1;
    QByteArray out, err;
    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

Result run(const QStringList& arguments)
{
    QProcess process;
    process.start(QStringLiteral(HOLO_BIN_DIR "/holonomy-engine"), arguments);
    process.waitForFinished(250000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

QByteArray readAll(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

QStringList promptHashes(const QString& file)
{
    QStringList hashes;
    for (const QByteArray& line : readAll(file).split('\n'))
        if (!line.isEmpty())
            hashes += QJsonDocument::fromJson(line).object()["prompt_hash"].toString();
    return hashes;
}

const char* const kProject = R"({"format": 1, "name": "small",
  "model": {"layers": 2, "hidden": 32, "heads": 4, "context": 64},
  "data": {"synthetic": {"documents": 200, "val_documents": 8}},
  "train": {"steps": 10, "batch": 2, "warmup": 5, "checkpoint_every": 5, "precision": "fp32"},
  "eval": {"protocols": [], "lengths": [32, 64], "depths": [0, 0.5, 1], "trials": 4, "perplexity_tokens": 256},
  "arms": [{"name": "hybrid", "scheme": "hybrid:share=0.25,special=mobius"}, {"name": "standard", "scheme": "standard"}],
  "seeds": [1]})";

}  // namespace

class TestEvalProcess : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_hybrid;
    QString m_standard;

    QString runFolder(const QString& arm) const
    {
        const QString runs = m_folder.filePath("p/runs");
        for (const QString& name : QDir(runs).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            if (QJsonDocument::fromJson(readAll(runs + "/" + name + "/run.json")).object()["arm"].toString() == arm)
                return runs + "/" + name;
        return {};
    }

private Q_SLOTS:
    void initTestCase()
    {
        const holo::test::Outcome trained = holo::test::trainProject(m_folder.filePath("p"), kProject);
        QVERIFY2(trained.code == 0, trained.err + trained.out);
        m_hybrid = runFolder("hybrid");
        m_standard = runFolder("standard");
        QVERIFY(!m_hybrid.isEmpty() && !m_standard.isEmpty());
    }

    void needleWritesWhatItPrints()
    {
        const Result result = run({"eval", m_hybrid, "--protocol", "needle", "--json", "--quiet"});
        QVERIFY2(result.code == 0, result.err);
        const QJsonObject json = result.json();
        QCOMPARE(json["protocol"].toString(), QString("needle"));
        QCOMPARE(json["cells"].toArray().size(), 6);
        QCOMPARE(json["checkpoint"].toString(), QString("checkpoints/step-10"));
        QCOMPARE(json["scheme_trained"], json["scheme_run"]);
        const QString folder = m_hybrid + "/evals/needle-step-10";
        QCOMPARE(QJsonDocument::fromJson(readAll(folder + "/summary.json")).object(), json);
        QCOMPARE(promptHashes(folder + "/trials.jsonl").size(), 24);

        // Another arm, fewer trials, one cell alone, another way to name the checkpoint: the same prompts.
        const QString out = m_folder.filePath("other");
        QCOMPARE(run({"eval", m_standard + "/checkpoints/step-10/model.safetensors", "--lengths", "64", "--depths", "0.5", "--trials", "2", "--out", out, "--json", "--quiet"}).code, 0);
        const QStringList few = promptHashes(out + "/trials.jsonl");
        QCOMPARE(few.size(), 2);
        QCOMPARE(few, promptHashes(folder + "/trials.jsonl").mid(16, 2));
        QVERIFY(QDir(m_standard + "/evals").entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
    }

    void settingsOfItsOwnGoToAFolderOfTheirOwn()
    {
        QCOMPARE(run({"eval", m_hybrid + "/checkpoints/step-5", "--trials", "1", "--scheme", "standard", "--quiet"}).code, 0);
        const QStringList found = QDir(m_hybrid + "/evals").entryList({"needle-step-5-*"}, QDir::Dirs);
        QCOMPARE(found.size(), 1);
        const QJsonObject json = QJsonDocument::fromJson(readAll(m_hybrid + "/evals/" + found[0] + "/summary.json")).object();
        QVERIFY(json["scheme_trained"] != json["scheme_run"]);
    }

    // A batch ends with a row a run: losses, needle score and perplexity by length; the validation loss is that within the training context.
    void batchEndsWithOneTable()
    {
        const QStringList arguments{"--batch", m_folder.filePath("p"), "--arm", "standard", "--param", "eval.protocols=[\"needle\",\"perplexity\"]", "--param", "eval.lengths=[32,64,128]", "--quiet"};
        const Result text = run(arguments);
        QVERIFY2(text.code == 0, text.err);
        const QByteArray header = text.out.left(text.out.indexOf('\n'));
        for (const char* const column : {"loss", "val loss", "needle 32", "needle 128", "ppl 32", "ppl 64", "ppl 128"})
            QVERIFY2(header.contains(column), header);

        const QJsonObject row = run(arguments + QStringList{"--json"}).json()["results"].toArray()[0].toObject();
        const QJsonObject evals = row["evals"].toObject();
        const QJsonArray perplexity = evals["perplexity"].toObject()["rows"].toArray();
        QCOMPARE(perplexity[1].toObject()["length"].toInt(), 64);
        QCOMPARE(row["val_loss"].toDouble(), perplexity[1].toObject()["nll"].toDouble());

        const QJsonArray cells = QJsonDocument::fromJson(readAll(m_folder.filePath("p/runs/") + row["run"].toString() + "/evals/needle-step-10/summary.json")).object()["cells"].toArray();
        const QJsonArray byLength = evals["needle"].toObject()["by_length"].toArray();
        QCOMPARE(byLength.size(), 3);
        for (const QJsonValue& length : byLength) {
            double sum = 0;
            int count = 0;
            for (const QJsonValue& cell : cells)
                if (cell["length"] == length["length"]) {
                    sum += cell["exact"].toDouble();
                    ++count;
                }
            QCOMPARE(length["cells"].toInt(), count);
            QVERIFY(std::abs(length["exact"].toDouble() - sum / count) < 1e-12);
        }
    }

    void promptsBeyondMemoryAreRefused()
    {
        for (const QStringList& arguments : {QStringList{"eval", m_standard}, QStringList{"swap", m_standard, "--to", "nope"}}) {
            const Result refused = run(arguments + QStringList{"--lengths", "1000000000000", "--no-write"});
            QVERIFY2(refused.code == 5, refused.err);
            QVERIFY2(refused.err.contains("1000000000000"), refused.err);
        }
    }

    void lengthsTooShort()
    {
        const Result refused = run({"eval", m_hybrid, "--lengths", "0,10", "--no-write", "--json", "--quiet"});
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.json()["error"].toObject()["allowed"].toString().contains("24"));
        const Result partly = run({"eval", m_hybrid, "--lengths", "10,32", "--depths", "3", "--trials", "1", "--no-write", "--json", "--quiet"});
        QCOMPARE(partly.code, 8);
        QCOMPARE(partly.json()["cells_not_run"].toInt(), 3);
        QVERIFY(partly.json()["mean"].isDouble());
    }

    void otherProtocols()
    {
        const Result perplexity = run({"eval", m_hybrid, "--protocol", "perplexity", "--no-write", "--json", "--quiet"});
        QVERIFY2(perplexity.code == 0, perplexity.err);
        for (const auto& row : perplexity.json()["rows"].toArray()) {
            QCOMPARE(row.toObject()["tokens"].toInt(), 256);
            const double ppl = row.toObject()["ppl"].toDouble();
            QVERIFY(ppl > 20 && ppl < 300);
        }
        const Result probe = run({"eval", m_hybrid, "--protocol", "probe", "--trials", "2", "--no-write", "--json", "--quiet"});
        QVERIFY2(probe.code == 0, probe.err);
        QCOMPARE(probe.json()["lengths"].toArray()[0].toObject()["heads"].toArray().size(), 8);
        QCOMPARE(run({"eval", m_hybrid, "--protocol", "passkey", "--no-write", "--json", "--quiet"}).code, 4);
        QCOMPARE(run({"eval", m_hybrid, "--protocol", "needles", "--no-write", "--json", "--quiet"}).code, 2);
        QCOMPARE(run({"eval", m_folder.filePath("none"), "--json", "--quiet"}).code, 3);
        QCOMPARE(run({"eval", "--json", "--quiet"}).code, 2);
    }

    // Sizes fit, bytes do not: no number is made of such weights. Where the newest checkpoint is cut, the one before serves, and that is said.
    void damagedWeightsAreRefused()
    {
        const QString newest = m_standard + "/checkpoints/step-10/model.safetensors";
        const QByteArray good = readAll(newest);
        const auto write = [&](const QByteArray& bytes) {
            QFile file(newest);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        };
        QByteArray damaged = good;
        damaged[damaged.size() - 5] = char(damaged[damaged.size() - 5] ^ 1);
        write(damaged);
        for (const QStringList& arguments : {QStringList{"eval", m_standard, "--protocol", "perplexity", "--no-write"}, QStringList{"logits", m_standard, "--tokens", "1,2"},
                 QStringList{"swap", m_standard, "--to", "nope", "--no-write"}, QStringList{"export", m_standard, "--format", "safetensors", "--out", m_folder.filePath("out.safetensors")}}) {
            const Result result = run(arguments);
            QVERIFY2(result.code == 3, result.err + result.out);
            QVERIFY2(result.err.contains("SHA-256"), result.err);
        }
        write(good.left(good.size() / 2));
        const Result before = run({"eval", m_standard, "--protocol", "perplexity", "--no-write"});
        QVERIFY2(before.code == 0 && before.out.contains("step 5"), before.err + before.out);
        QVERIFY2(before.err.contains("step-10"), before.err);
        write(good);
    }

    void textForPeople()
    {
        const Result result = run({"eval", m_hybrid, "--no-write"});
        QVERIFY(result.out.contains("mean ") && result.out.contains("chance 3.1 %"));
    }

    void swapLeavesTheCheckpointAlone()
    {
        const QString model = m_hybrid + "/checkpoints/step-10/model.safetensors";
        const QByteArray before = readAll(model);
        const Result result = run({"swap", m_hybrid, "--to", "standard", "--trials", "3", "--sweep", "layers", "--json", "--quiet"});
        QVERIFY2(result.code == 0, result.err);
        const QJsonObject json = result.json();
        QCOMPARE(json["heads"].toArray().size(), 2);
        QCOMPARE(json["difference"].toArray().size(), 6);
        QVERIFY(json["difference"].toArray()[0].toObject()["p_mcnemar"].isDouble());
        QCOMPARE(json["before"].toObject()["trials_file_hash"], json["after"].toObject()["trials_file_hash"]);
        QVERIFY(json["perplexity"].toObject()["before"] != json["perplexity"].toObject()["after"]);
        QCOMPARE(json["sweep"].toObject()["rows"].toArray().size(), 2);
        QCOMPARE(readAll(model), before);
        QCOMPARE(QDir(m_hybrid + "/evals").entryList({"swap-step-10-*"}, QDir::Dirs).size(), 1);
        // A swap to what it was trained with changes nothing at all.
        const QJsonObject same = run({"swap", m_hybrid, "--to", "mobius", "--trials", "3", "--no-write", "--json", "--quiet"}).json();
        QCOMPARE(same["before"].toObject()["cells"], same["after"].toObject()["cells"]);
        QCOMPARE(same["perplexity"].toObject()["before"], same["perplexity"].toObject()["after"]);
        QCOMPARE(run({"swap", m_hybrid, "--to", "mobious", "--json", "--quiet"}).code, 2);
        QCOMPARE(run({"swap", m_hybrid, "--to", "standard", "--heads", "7:0", "--json", "--quiet"}).code, 2);
        QCOMPARE(run({"swap", m_hybrid, "--to", "standard", "--planes", "0:9", "--json", "--quiet"}).code, 2);
    }

    void scoresGivenOutputs()
    {
        const QString file = m_folder.filePath("outputs.jsonl");
        QFile outputs(file);
        QVERIFY(outputs.open(QIODevice::WriteOnly));
        outputs.write("{\"expected\":[\"70519\"],\"output\":\"It is 70519 today\"}\n");
        outputs.close();
        const Result result = run({"eval", "--score", file, "--json"});
        QCOMPARE(result.code, 0);
        const QJsonObject row = result.json()["rows"].toArray()[0].toObject();
        QCOMPARE(row["exact"].toBool(), false);
        QCOMPARE(row["contains"].toBool(), true);
        QCOMPARE(run({"eval", "--score", m_folder.filePath("none.jsonl"), "--json", "--quiet"}).code, 3);
    }
};

QTEST_GUILESS_MAIN(TestEvalProcess)
#include "tst_eval_process.moc"
