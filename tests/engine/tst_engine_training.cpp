// Model, optimiser and checkpoints in one process on tiny shapes.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/data/corpus.h"
#include "core/nn/transformer.h"
#include "core/run/machine.h"
#include "core/train/precision.h"
#include "core/train/trainer.h"

using namespace holo;

namespace {

config::RunSpec tinySpec(const std::string& scheme = "standard")
{
    config::RunSpec spec = config::expand(config::projectTemplate("tiny")).front();
    spec.scheme = config::parseScheme(scheme);
    spec.seed = 3;
    spec.model.layers = 2;
    spec.model.hidden = 16;
    spec.model.heads = 4;
    spec.model.kvHeads = 4;
    spec.model.headDim = 4;
    spec.model.mlp = 24;
    spec.model.context = 32;
    spec.data.synthetic.documents = 64;
    spec.train.steps = 10;
    spec.train.batch = 4;
    spec.train.warmup = 2;
    spec.train.precision = "fp32";
    spec.train.keep = 3;
    spec.train.nonfinite = "skip";  // the hooks of this process meet every run of seven steps
    return spec;
}

struct Setup {
    explicit Setup(const config::RunSpec& runSpec)
        : spec(runSpec)
        , corpus(data::openCorpus(spec.data, spec.model.context, {}, {}))
        , shape(config::resolved(spec.model, corpus->vocabulary()))
        , model(shape, ladder::resolve(spec.scheme, config::modelShape(shape, spec.seed)), std::uint64_t(spec.seed))
        , trainer(spec, model, *corpus)
    {
        trainer.setPrecision(spec.train.precision);
    }

    config::RunSpec spec;
    std::unique_ptr<data::Corpus> corpus;
    config::ModelSpec shape;
    nn::Transformer model;
    train::Trainer trainer;
};

QByteArray hashOf(const std::filesystem::path& folder)
{
    return QByteArray::fromStdString(sha256OfFile(folder / "model.safetensors") + sha256OfFile(folder / "optimizer.safetensors"));
}

std::filesystem::path pathOf(const QTemporaryDir& folder) { return folder.path().toStdString(); }

}  // namespace

class TestEngineTraining : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }

    void parameterCountOfTheTinyModel()
    {
        auto spec = config::expand(config::projectTemplate("tiny")).front();
        const Setup setup(spec);
        std::int64_t count = 0;
        for (const auto& [name, parameter] : setup.model.parameters())
            count += parameter.numel();
        QCOMPARE(count, 122880);
        QCOMPARE(count, config::parameterCount(setup.shape));
    }

    void splitsOfABatchGiveTheSameStep_data()
    {
        QTest::addColumn<int>("batch");
        QTest::addColumn<double>("dropout");
        QTest::newRow("1") << 1 << 0.0;
        QTest::newRow("2") << 2 << 0.0;
        QTest::newRow("2 with dropout") << 2 << 0.2;
    }

    void splitsOfABatchGiveTheSameStep()
    {
        QFETCH(int, batch);
        QFETCH(double, dropout);
        config::RunSpec whole = tinySpec();
        whole.model.dropout = dropout;
        config::RunSpec parts = whole;
        parts.train.batch = batch;
        parts.train.accumulate = 4 / batch;
        Setup a(whole), b(parts);
        for (int s = 0; s < 3; ++s) {
            const auto x = a.trainer.step();
            const auto y = b.trainer.step();
            QVERIFY(std::abs(x.loss - y.loss) < 1e-5);
            QVERIFY(std::abs(x.gradNorm - y.gradNorm) < 1e-4 * x.gradNorm);
        }
    }

    // A landmark follows every block − 1 tokens inside the model alone; what comes out is one row a token, and none knows the future.
    void landmarksStayInside()
    {
        const at::NoGradGuard guard;
        config::RunSpec spec = tinySpec("landmark:block=8");
        Setup marked(spec), unmarked(tinySpec("landmark:block=64")), standard(tinySpec("standard"));
        at::Tensor tokens = at::empty({1, 20}, at::TensorOptions().dtype(at::kLong));
        for (std::int64_t i = 0; i < 20; ++i)
            tokens.mutable_data_ptr<std::int64_t>()[i] = (7 * i + 3) % 50;
        const at::Tensor hidden = marked.model.hidden(tokens);
        QCOMPARE(hidden.size(1), 20);
        const at::Tensor plain = standard.model.hidden(tokens);
        QVERIFY((unmarked.model.hidden(tokens) - plain).abs().max().item<double>() < 1e-5);
        QVERIFY((hidden.narrow(1, 0, 7) - plain.narrow(1, 0, 7)).abs().max().item<double>() < 1e-5);
        QVERIFY((hidden - plain).abs().max().item<double>() > 1e-3);
        at::Tensor other = tokens.clone();
        other.mutable_data_ptr<std::int64_t>()[19] = 60;
        QVERIFY(at::equal(marked.model.hidden(other).narrow(1, 0, 19), hidden.narrow(1, 0, 19)));
        for (const auto& [name, parameter] : marked.model.parameters())
            if (name == "landmark.weight")
                parameter.detach().add_(1);
        QVERIFY(at::equal(marked.model.hidden(tokens).narrow(1, 0, 7), hidden.narrow(1, 0, 7)));
        QVERIFY(!at::equal(marked.model.hidden(tokens), hidden));
        QVERIFY_EXCEPTION_THROWN(standard.model.setPlan(marked.model.plan()), Error);
    }

    void hybridOfNoneOrAllIsThePureArm_data()
    {
        QTest::addColumn<QString>("hybrid");
        QTest::addColumn<QString>("pure");
        QTest::newRow("none") << "hybrid:share=0,special=mobius" << "standard";
        QTest::newRow("all") << "hybrid:share=1,special=mobius" << "mobius";
    }

    void hybridOfNoneOrAllIsThePureArm()
    {
        QFETCH(QString, hybrid);
        QFETCH(QString, pure);
        Setup a(tinySpec(hybrid.toStdString())), b(tinySpec(pure.toStdString()));
        for (int s = 0; s < 4; ++s)
            QCOMPARE(a.trainer.step().loss, b.trainer.step().loss);
        QVERIFY(at::equal(a.model.arena(), b.model.arena()));
    }

    void armsStartAlikeAndDiffer()
    {
        Setup a(tinySpec("standard")), b(tinySpec("mobius"));
        QVERIFY(at::equal(a.model.arena(), b.model.arena()));
        QVERIFY(a.trainer.step().loss != b.trainer.step().loss);
    }

    void resumedEqualsUnbroken_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<double>("dropout");
        QTest::newRow("standard") << "standard" << 0.0;
        QTest::newRow("mobius hybrid, dropout") << "hybrid:share=0.25,special=mobius" << 0.1;
        QTest::newRow("fope") << "fope:mode=official,gain=0.3" << 0.0;
    }

    void resumedEqualsUnbroken()
    {
        QFETCH(QString, scheme);
        QFETCH(double, dropout);
        config::RunSpec spec = tinySpec(scheme.toStdString());
        spec.model.dropout = dropout;
        run::CheckpointHeader header;
        header.run = "run";
        header.spec = spec;
        QTemporaryDir folder;
        const auto base = pathOf(folder);
        QByteArray unbroken;
        std::vector<double> losses;
        {
            Setup setup(spec);
            header.vocab = setup.shape.vocab;
            while (!setup.trainer.done())
                losses.push_back(setup.trainer.step().loss);
            unbroken = hashOf(setup.trainer.save(base / "a" / "checkpoints", header).folder);
        }
        for (const int at : {1, 5, 9}) {
            const auto checkpoints = base / ("b" + std::to_string(at)) / "checkpoints";
            std::filesystem::path middle;
            {
                Setup setup(spec);
                for (int s = 0; s < at; ++s)
                    setup.trainer.step();
                middle = setup.trainer.save(checkpoints, header).folder;
            }
            Setup setup(spec);
            setup.trainer.restore(middle);
            QCOMPARE(setup.trainer.state().step, at);
            for (int s = at; !setup.trainer.done(); ++s)
                QCOMPARE(setup.trainer.step().loss, losses[std::size_t(s)]);
            QCOMPARE(hashOf(setup.trainer.save(checkpoints, header).folder), unbroken);
        }
    }

    void retentionKeepsTheNewest()
    {
        config::RunSpec spec = tinySpec();
        spec.train.keep = 2;
        QTemporaryDir folder;
        const auto checkpoints = pathOf(folder) / "checkpoints";
        run::CheckpointHeader header;
        header.spec = spec;
        Setup setup(spec);
        for (int s = 0; s < 5; ++s) {
            setup.trainer.step();
            setup.trainer.save(checkpoints, header);
        }
        QStringList names = QDir(QString::fromStdString(checkpoints.string())).entryList(QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot);
        QCOMPARE(names, QStringList({"step-4", "step-5"}));
    }

    void nonFiniteSteps_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::newRow("stop") << "stop";
        QTest::newRow("skip") << "skip";
    }

    // The process's hooks put a NaN into one gradient element of step 7 and into the loss of step 8 (see main).
    void nonFiniteSteps()
    {
        QFETCH(QString, policy);
        config::RunSpec spec = tinySpec();
        spec.train.nonfinite = policy.toStdString();
        Setup setup(spec);
        for (int s = 0; s < 6; ++s)
            setup.trainer.step();
        const at::Tensor before = setup.model.arena().clone();
        if (policy == "stop") {
            try {
                setup.trainer.step();
                QFAIL("the step went through");
            } catch (const Error& error) {
                QCOMPARE(error.kind(), ErrorKind::Numeric);
                QVERIFY2(QString(error.what()).contains("step 7"), error.what());
            }
            QCOMPARE(setup.trainer.state().step, 6);
        } else {
            QVERIFY(!setup.trainer.step().skipped.empty());
            QVERIFY(!setup.trainer.step().skipped.empty());
            QCOMPARE(setup.trainer.state().step, 8);
            QCOMPARE(setup.trainer.state().skipped, 2);
            QCOMPARE(setup.trainer.state().updates, 6);
        }
        QVERIFY(at::equal(before, setup.model.arena()));
        if (policy == "skip") {
            QVERIFY(setup.trainer.step().skipped.empty());
            QCOMPARE(setup.trainer.state().skippedInRow, 0);
            QVERIFY(!at::equal(before, setup.model.arena()));
        }
    }

    void bf16StaysNearFp32()
    {
        Setup a(tinySpec()), b(tinySpec());
        b.model.setComputeType(at::kBFloat16);
        for (int s = 0; s < 5; ++s) {
            const double x = a.trainer.step().loss;
            const double y = b.trainer.step().loss;
            QVERIFY2(std::abs(x - y) < 0.02 * x, qPrintable(QString("%1 %2").arg(x).arg(y)));
        }
        QCOMPARE(b.model.arena().scalar_type(), at::kFloat);
    }

    void theLossFallsFromThatOfAGuess()
    {
        config::RunSpec spec = tinySpec();
        spec.train.steps = 60;
        spec.train.lr = 1e-2;
        Setup setup(spec);
        const double first = setup.trainer.step().loss;
        QVERIFY(std::abs(first - std::log(178.0)) < 0.7);
        double last = 0;
        while (!setup.trainer.done())
            last = setup.trainer.step().loss;
        QVERIFY2(last < first - 0.5, qPrintable(QString("%1 %2").arg(first).arg(last)));
    }

    void oneOpenMpLibrary() { QCOMPARE(run::openMpLibraries().size(), 1u); }
};

int main(int argc, char** argv)
{
    qputenv("HOLONOMY_FAULT", "grad:nan@7;loss:nan@8");
    TestEngineTraining test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_engine_training.moc"
