#include <QTest>
#include <cmath>

#include "core/base/error.h"
#include "core/model/needle_grid.h"
#include "core/model/run_events.h"

using namespace holo;

namespace {

Json cell(std::int64_t length, double depth, std::int64_t trials, double exact)
{
    return {{"length", length}, {"depth", depth}, {"trials", trials}, {"exact", exact}};
}

}  // namespace

class ModelGrid : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void orderDoesNotMatter();
    void pooledCounts();
    void wilsonAgainstKnownValues();
    void differenceMasksNoise();
    void brokenDocumentsAreRefused();
    void eventsOfEveryKind();
};

void ModelGrid::orderDoesNotMatter()
{
    const Json document = {{"cells", Json::array({cell(256, 1, 10, 0.1), cell(64, 0.5, 10, 0.2), cell(256, 0, 10, 0.9), cell(64, 1, 10, 0.4)})}};
    const auto grid = model::needleGrid(document, "test");
    QCOMPARE(grid.lengths, (std::vector<std::int64_t>{64, 256}));
    QCOMPARE(grid.depths, (std::vector<double>{0, 0.5, 1}));
    QVERIFY(!grid.at(0, 0));
    QCOMPARE(grid.at(0, 1)->accuracy, 0.9);
    QCOMPARE(grid.at(1, 0)->accuracy, 0.2);
    QCOMPARE(grid.worst(), 0.1);
}

void ModelGrid::pooledCounts()
{
    const auto a = model::needleGrid({{"cells", Json::array({cell(64, 0, 10, 1.0)})}}, "a");
    const auto b = model::needleGrid({{"cells", Json::array({cell(64, 0, 30, 0.2)})}}, "b");
    const auto mean = model::meanGrid({a, b});
    QCOMPARE(mean.at(0, 0)->trials, std::int64_t(40));
    QCOMPARE(mean.at(0, 0)->accuracy, 16.0 / 40);
    QCOMPARE(mean.at(0, 0)->seeds, 2);
    QCOMPARE(mean.mean, 0.6);  // a mean over seeds, not over trials
}

void ModelGrid::wilsonAgainstKnownValues()
{
    // R: prop.test(…, correct = FALSE) gives the Wilson interval.
    const auto a = model::wilson(8, 10);
    QVERIFY(std::abs(a.low - 0.4901625) < 1e-6 && std::abs(a.high - 0.9433178) < 1e-6);
    const auto zero = model::wilson(0, 20);
    QVERIFY(zero.low == 0 && std::abs(zero.high - 0.1611252) < 1e-6);
}

void ModelGrid::differenceMasksNoise()
{
    const auto a = model::needleGrid({{"cells", Json::array({cell(64, 0, 50, 0.9), cell(64, 1, 50, 0.52), cell(128, 0, 50, 0.5)})}}, "a");
    const auto b = model::needleGrid({{"cells", Json::array({cell(64, 0, 50, 0.1), cell(64, 1, 50, 0.50)})}}, "b");
    const auto d = model::difference(a, b);
    QCOMPARE(d.lengths.size(), std::size_t(2));
    QCOMPARE(d.difference[0], 0.8);
    QVERIFY(!d.noise[0]);
    QVERIFY(d.noise[2]);
    QVERIFY(std::isnan(d.difference[1]));
}

void ModelGrid::brokenDocumentsAreRefused()
{
    const std::vector<Json> documents = {Json(), Json::array(), Json::object(), {{"cells", 3}}, {{"cells", Json::array({1})}}, {{"cells", Json::array({Json::object()})}}, {{"cells", Json::array({{{"length", "x"}}})}}};
    for (const Json& document : documents) {
        try {
            model::needleGrid(document, "broken");
            QFAIL("a broken evaluation was accepted");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Malformed);
        }
    }
}

void ModelGrid::eventsOfEveryKind()
{
    using model::EventType;
    QVERIFY(!model::parseEvent("{\"type\":\"step\",\"st"));
    QVERIFY(!model::parseEvent("[]"));
    QVERIFY(!model::parseEvent(""));
    const auto step = model::parseEvent("{\"type\":\"step\",\"attempt\":2,\"step\":7,\"loss\":\"inf\",\"lr\":1e-3}");
    QVERIFY(step && step->type == EventType::Step && step->step.attempt == 2 && step->step.step == 7);
    QCOMPARE(step->step.loss, double(INFINITY));
    QVERIFY(std::isnan(step->step.gradNorm));
    QVERIFY(model::parseEvent("{\"type\":\"unheard-of\"}")->type == EventType::Other);
    QCOMPARE(model::parseEvent("{\"type\":\"eval\",\"eval\":\"step-5-needle\"}")->text, std::string("step-5-needle"));
}

QTEST_GUILESS_MAIN(ModelGrid)
#include "tst_model_grid.moc"
