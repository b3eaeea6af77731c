#include <QtTest>

#include "core/config/scheme_json.h"
#include "core/config/trained_scheme.h"
#include "core/ladder/kinds.h"

using namespace holo;
using namespace holo::config;

namespace {

ladder::ModelShape shapeOf(std::int64_t context, std::uint64_t seed = 1)
{
    return {.layers = 2, .heads = 4, .kvHeads = 4, .headDim = 16, .rotaryDim = 16, .context = context, .seed = seed};
}

TrainedWith trainedWith(const std::string& scheme, std::int64_t context, std::uint64_t seed = 1) { return {parseScheme(scheme), shapeOf(context, seed)}; }

double numberOf(const ladder::Scheme& scheme, const char* key)
{
    const auto it = scheme.parameters.find(key);
    return it == scheme.parameters.end() ? -1 : std::get<double>(it->second);
}

std::vector<double> contextsOf(const ladder::Scheme& scheme)
{
    const auto it = scheme.parameters.find("original");
    return it == scheme.parameters.end() ? std::vector<double>() : std::get<std::vector<double>>(it->second);
}

// With what a kind demands, on eight planes.
std::string shortOf(const ladder::KindInfo& info)
{
    std::string text(info.name);
    std::vector<std::string> items;
    for (const ladder::ParameterInfo& p : info.parameters)
        if (p.required)
            items.push_back(std::string(p.key) + (p.type == ladder::ParameterType::List ? "=[1,1,1,1,1,1,1,1]" : "=2"));
    for (std::size_t i = 0; i < items.size(); ++i)
        text += (i == 0 ? ":" : ",") + items[i];
    return text;
}

}  // namespace

class TestTrainedScheme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Every kind that scales from an original context, alone and inside a hybrid: left out, it is what the weights were trained on.
    void originalIsTheTrainedContext_data()
    {
        QTest::addColumn<QString>("kind");
        int rows = 0;
        for (const ladder::KindInfo& info : ladder::kinds())
            if (info.find("original") && info.kind != ladder::Kind::Fope) {
                QTest::newRow(std::string(info.name).c_str()) << QString::fromStdString(std::string(info.name));
                ++rows;
            }
        QVERIFY(rows >= 5);
    }

    void originalIsTheTrainedContext()
    {
        QFETCH(QString, kind);
        const ladder::KindInfo& info = ladder::kindInfo(ladder::parseKind(kind.toStdString()));
        const std::string text = shortOf(info);
        const TrainedWith trained = trainedWith("standard", 256);
        const auto wanted = schemeForWeights(parseScheme(text), trained, shapeOf(1024));
        QCOMPARE(numberOf(wanted, "original"), 256.0);
        for (const auto& ladder : ladder::resolve(wanted, shapeOf(1024)).ladders)
            QCOMPARE(ladder.context, std::int64_t(256));
        const auto inPart = schemeForWeights(parseScheme("hybrid:share=0.5,special=" + std::string(info.name)), trained, shapeOf(1024));
        QCOMPARE(numberOf(inPart.parts.front().scheme, "original"), 256.0);
        // Given, it is left as it is; in the context of the training, it is that.
        const std::string more = text + (text.find(':') == std::string::npos ? ":" : ",") + "original=128";
        QCOMPARE(numberOf(schemeForWeights(parseScheme(more), trained, shapeOf(1024)), "original"), 128.0);
        QCOMPARE(numberOf(schemeForWeights(parseScheme(text), trained, shapeOf(256)), "original"), 256.0);
    }

    void extendedWeightsRememberWhatTheyWereExtendedFrom()
    {
        const TrainedWith once = trainedWith("yarn:original=128", 512);
        QCOMPARE(numberOf(schemeForWeights(parseScheme("mrrope"), once, shapeOf(2048)), "original"), 128.0);
        const TrainedWith leftOut = trainedWith("yarn:factor=2", 512);
        QCOMPARE(numberOf(schemeForWeights(parseScheme("mrrope"), leftOut, shapeOf(2048)), "original"), 512.0);
        QCOMPARE(numberOf(schemeForWeights(parseScheme("yarn"), trainedWith("llama3", 131072), shapeOf(262144)), "original"), 8192.0);
    }

    void interpolationTakesItsFactorFromTheContexts()
    {
        for (const char* kind : {"linear", "ntk"}) {
            QCOMPARE(numberOf(schemeForWeights(parseScheme(kind), trainedWith("standard", 256), shapeOf(1024)), "factor"), 4.0);
            QCOMPARE(numberOf(schemeForWeights(parseScheme(kind), trainedWith("standard", 256), shapeOf(256)), "factor"), -1.0);
        }
    }

    // A longer context is no reason to train the weights on a table that they do not know.
    void aKeptSchemeKeepsItsTable_data()
    {
        QTest::addColumn<QString>("scheme");
        for (const ladder::KindInfo& info : ladder::kinds())
            QTest::newRow(std::string(info.name).c_str()) << QString::fromStdString(info.kind == ladder::Kind::Custom ? "custom:theta=[1,0.5,0.2,0.1,0.05,0.02,0.01,0.005]" : shortOf(info));
        QTest::newRow("yarn with a derived factor") << "yarn:original=128";
        QTest::newRow("hybrid of fope") << "hybrid:share=0.5,special=fope";
    }

    void aKeptSchemeKeepsItsTable()
    {
        QFETCH(QString, scheme);
        if (scheme == "yarn" || scheme == "mrrope")
            scheme += ":factor=2";
        if (scheme.startsWith("longrope"))
            scheme += ",factor=2";
        const TrainedWith trained = trainedWith(scheme.toStdString(), 256, 7);
        const ladder::Plan before = ladder::resolve(trained.scheme, trained.shape);
        const ladder::Plan after = ladder::resolve(keptScheme(trained, shapeOf(1024, 9)), shapeOf(1024, 9));
        QCOMPARE(after.ladders.size(), before.ladders.size());
        for (std::size_t i = 0; i < before.ladders.size(); ++i)
            QCOMPARE(after.ladders[i].hash, before.ladders[i].hash);
        QCOMPARE(dumpLine(toJson(keptScheme(trained, trained.shape))), dumpLine(toJson(trained.scheme)));
    }

    // Length expansion: what the weights were trained with lies in the top left of the larger coefficients, whatever the run's seed.
    void fopeGrowsAroundItsCoefficients()
    {
        const TrainedWith trained = trainedWith("fope:mode=clean,std=0.2", 64, 5);
        const auto wanted = schemeForWeights(parseScheme("fope"), trained, shapeOf(1024, 6));
        QCOMPARE(contextsOf(wanted), std::vector<double>{64});
        QCOMPARE(numberOf(wanted, "std"), .2);
        QCOMPARE(numberOf(wanted, "seed"), 5.0);
        const auto small = ladder::resolve(trained.scheme, trained.shape);
        const auto large = ladder::resolve(wanted, shapeOf(1024, 6));
        QCOMPARE(large.ladders.size(), small.ladders.size());
        for (std::size_t i = 0; i < small.ladders.size(); ++i) {
            const auto& old = *small.ladders[i].fourier;
            const auto& grown = *large.ladders[i].fourier;
            QVERIFY(grown.kept.size() > old.kept.size());
            for (std::size_t d = 0; d < old.kept.size(); ++d) {
                QCOMPARE(grown.kept[d], old.kept[d]);
                for (std::size_t p = 0; p < old.cosCoefficients[d].size(); ++p) {
                    QCOMPARE(grown.cosCoefficients[d][p], old.cosCoefficients[d][p]);
                    QCOMPARE(grown.sinCoefficients[d][p], old.sinCoefficients[d][p]);
                }
            }
        }
        // A second expansion keeps what the first one added.
        const TrainedWith twice{wanted, shapeOf(1024, 6)};
        const auto again = schemeForWeights(parseScheme("fope"), twice, shapeOf(8192, 6));
        QCOMPARE(contextsOf(again), (std::vector<double>{64, 1024}));
        const auto largest = ladder::resolve(again, shapeOf(8192, 6));
        const auto& middle = large.ladders[0].fourier->cosCoefficients;
        for (std::size_t d = 0; d < middle.size(); ++d)
            for (std::size_t p = 0; p < middle[d].size(); ++p)
                QCOMPARE(largest.ladders[0].fourier->cosCoefficients[d][p], middle[d][p]);
        // The trained context again is the trained table; other weights draw their own.
        QCOMPARE(ladder::resolve(schemeForWeights(parseScheme("fope"), trained, trained.shape), trained.shape).ladders[0].hash, small.ladders[0].hash);
        QVERIFY(contextsOf(schemeForWeights(parseScheme("fope"), trainedWith("standard", 64), shapeOf(1024))).empty());
    }
};

QTEST_GUILESS_MAIN(TestTrainedScheme)
#include "tst_config_trained_scheme.moc"
