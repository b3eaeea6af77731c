#include <QtTest>

#include "core/ladder/frequencies.h"
#include "core/ladder/head_scheme.h"
#include "core/ladder/kinds.h"
#include "tests/ladder/ladder_cases.h"

using namespace holo::ladder;
using namespace holo::ladder::cases;

namespace {

ModelShape grouped(int heads, int kvHeads)
{
    ModelShape shape = shapeOf(16, 256);
    shape.heads = heads;
    shape.kvHeads = kvHeads;
    return shape;
}

// Parameters with which a kind resolves on a model of width 64 and context 2048.
std::map<std::string, Value> needed(Kind kind)
{
    switch (kind) {
    case Kind::Linear:
    case Kind::Ntk:
    case Kind::DynamicNtk:
    case Kind::Yarn:
    case Kind::MrRope: return {{"factor", 2.0}};
    case Kind::LongRope: return {{"factor", 2.0}, {"short", std::vector<double>(32, 1.0)}, {"long", std::vector<double>(32, 2.0)}};
    case Kind::Custom: return {{"theta", std::vector<double>(32, .25)}};
    default: return {};
    }
}

}  // namespace

class TestPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindResolves()
    {
        QCOMPARE(kinds().size(), std::size_t(26));
        for (const KindInfo& info : kinds()) {
            QVERIFY(findKind(info.name) == info.kind);
            const Plan plan = resolve({info.kind, needed(info.kind), {}}, shapeOf(64, 2048));
            QCOMPARE(plan.heads.size(), std::size_t(2));
            QCOMPARE(plan.heads[0].size(), std::size_t(4));
            for (const Ladder& ladder : plan.ladders) {
                QCOMPARE(ladder.theta.size(), std::size_t(32));
                QCOMPARE(ladder.hash.size(), std::size_t(64));
                QVERIFY(!ladder.parameters.empty());
                const PhaseTable table = phaseTable(ladder, 64);
                QCOMPARE(table.cos.size(), std::size_t(64 * 32));
                for (std::size_t i = 0; i < table.cos.size(); ++i)
                    QVERIFY(std::isfinite(table.cos[i]) && std::isfinite(table.sin[i]));
            }
        }
    }

    void everyKindRotatesNothingOnAnEmptyFraction()
    {
        ModelShape shape = shapeOf(64, 2048);
        shape.rotaryDim = 0;
        for (const KindInfo& info : kinds()) {
            auto parameters = needed(info.kind);
            if (info.kind == Kind::Custom)
                parameters["theta"] = std::vector<double>();
            for (const Ladder& ladder : resolve({info.kind, parameters, {}}, shape).ladders)
                QVERIFY(phaseTable(ladder, 8).cos.empty());
        }
    }

    void unknownNamesAreAnsweredWithTheNearest()
    {
        for (const KindInfo& info : kinds()) {
            auto parameters = needed(info.kind);
            parameters["contxt"] = 512.0;
            const Refusal refusal = refusalOf({info.kind, parameters, {}}, shapeOf(64, 2048));
            QCOMPARE(refusal.code, 2);
            QVERIFY(refusal.message.find("contxt") != std::string::npos);
            if (info.find("context"))
                QVERIFY(refusal.message.find("\"context\"") != std::string::npos);
        }
        try {
            parseKind("moebius");
            QFAIL("an unknown kind was accepted");
        } catch (const holo::Error& e) {
            QVERIFY(std::string(e.what()).find("\"mobius\"") != std::string::npos);
        }
    }

    void factorsFollowFromTheContexts() { QCOMPARE(only({Kind::Yarn, {{"original", 512.0}}, {}}, shapeOf(64, 2048)).factor, 4.0); }

    void aliasedLaddersAreRefused()
    {
        for (const auto& [planes, context, code] : {std::tuple{32, 63, 0}, {32, 62, 2}, {32, 48, 2}, {4, 7, 0}, {4, 6, 2}})
            QCOMPARE(refusalOf({Kind::Mobius, {}, {}}, shapeOf(2 * planes, context)).code, code);
        const Refusal refusal = refusalOf({Kind::Mobius, {{"context", 48.0}}, {}}, shapeOf(64, 2048));
        QVERIFY(refusal.message.find("24 of its 32 planes are distinct") != std::string::npos);
        QVERIFY(refusal.message.find("at least 63") != std::string::npos);
        QCOMPARE(refusalOf({Kind::Mobius, {{"context", 48.0}, {"aliases", "allow"}}, {}}, shapeOf(64, 2048)).code, 0);
        QCOMPARE(refusalOf({Kind::Periodic, {}, {}}, shapeOf(64, 64)).code, 0);
        QCOMPARE(refusalOf({Kind::Periodic, {}, {}}, shapeOf(64, 63)).code, 2);
        QCOMPARE(refusalOf({Kind::Periodic, {{"variant", "B"}}, {}}, shapeOf(64, 62)).code, 0);
    }

    void sharesRoundUp()
    {
        QCOMPARE(headsOfShare(.25, 12), 3);
        QCOMPARE(headsOfShare(.25, 6), 2);
        QCOMPARE(headsOfShare(.07, 100), 7);
        QCOMPARE(headsOfShare(0, 12), 0);
        QCOMPARE(headsOfShare(1, 12), 12);
        const Plan plan = resolve({Kind::Hybrid, {}, {}}, grouped(6, 6));
        QCOMPARE(plan.share, 2.0 / 6);
    }

    void hybridOfNothingOrAllIsThePureArm()
    {
        const ModelShape shape = grouped(4, 4);
        for (const auto& [share, kind] : {std::pair{0.0, Kind::Standard}, {1.0, Kind::Mobius}}) {
            const Plan hybrid = resolve({Kind::Hybrid, {{"share", share}}, {}}, shape);
            const Plan pure = resolve({kind, {}, {}}, shape);
            QCOMPARE(hybrid.ladders.size(), std::size_t(1));
            QCOMPARE(hybrid.ladders[0].hash, pure.ladders[0].hash);
            QVERIFY(phaseTable(hybrid.ladders[0], 300).cos == phaseTable(pure.ladders[0], 300).cos);
            QCOMPARE(hybrid.share, share);
        }
    }

    void groupsKeepOneLadder()
    {
        QCOMPARE(refusalOf({Kind::Hybrid, {}, {}}, grouped(8, 4)).code, 0);
        const Refusal refusal = refusalOf({Kind::Hybrid, {}, {}}, grouped(12, 3));
        QCOMPARE(refusal.code, 2);
        QVERIFY(refusal.message.find("(4 heads)") != std::string::npos);
        Scheme lists{Kind::Hybrid, {}, {{"special", {Kind::Mobius, {}, {}}, -1, {}, {0, 1, 2, 5}}, {"rest", {Kind::Standard, {}, {}}, -1, {}, {}}}};
        const Refusal byList = refusalOf(lists, grouped(8, 2));
        QCOMPARE(byList.code, 2);
        QVERIFY(byList.message.find("heads 0, 1, 2, 3") != std::string::npos);
        lists.parts[0].heads = {4, 5, 6, 7};
        QCOMPARE(refusalOf(lists, grouped(8, 2)).code, 0);
        // A bias differs from head to head within a group; the ladder does not.
        QCOMPARE(refusalOf({Kind::Alibi, {}, {}}, grouped(8, 2)).code, 0);
    }

    void everyHeadMayHaveItsOwnContext()
    {
        Scheme scheme{Kind::Hybrid, {}, {}};
        for (const double context : {256.0, 128.0, 64.0})
            scheme.parts.push_back({"N/" + std::to_string(int(256 / context)), {Kind::Mobius, {{"context", context}}, {}}, 1.0 / 12, {}, {}});
        scheme.parts.push_back({"rest", {Kind::Standard, {}, {}}, -1, {}, {}});
        const Plan plan = resolve(scheme, grouped(12, 12));
        QCOMPARE(plan.ladders.size(), std::size_t(4));
        for (const auto& row : plan.heads)
            for (std::size_t h = 0; h < 12; ++h) {
                const Ladder& ladder = plan.ladders[std::size_t(row[h].ladder)];
                QCOMPARE(ladder.kind, h < 3 ? Kind::Mobius : Kind::Standard);
                if (h < 3)
                    QCOMPARE(ladder.context, std::int64_t(256) >> h);
            }
        QVERIFY(plan.ladders[0].name != plan.ladders[1].name);
    }

    void layersAndHeadsByList()
    {
        Scheme scheme{Kind::Hybrid, {}, {{"special", {Kind::Nope, {}, {}}, -1, {1}, {}}, {"rest", {Kind::Standard, {}, {}}, -1, {}, {}}}};
        const Plan plan = resolve(scheme, grouped(4, 4));
        QCOMPARE(plan.share, .5);
        for (std::size_t h = 0; h < 4; ++h) {
            QCOMPARE(plan.ladders[std::size_t(plan.heads[0][h].ladder)].kind, Kind::Standard);
            QCOMPARE(plan.ladders[std::size_t(plan.heads[1][h].ladder)].kind, Kind::Nope);
        }
        QVERIFY(!plan.isUniform());
        QVERIFY(resolve({Kind::Standard, {}, {}}, grouped(4, 4)).isUniform());
    }

    void brokenHybridsAreRefused()
    {
        const Scheme mobius{Kind::Mobius, {}, {}};
        const Scheme standard{Kind::Standard, {}, {}};
        const std::vector<std::vector<Part>> broken = {
            {{"a", mobius, .5, {}, {}}},                                              // heads without a part
            {{"a", mobius, .7, {}, {}}, {"b", standard, .7, {}, {}}},                 // more than all
            {{"a", mobius, 1.5, {}, {}}, {"b", standard, -1, {}, {}}},
            {{"a", mobius, .5, {}, {0}}, {"b", standard, -1, {}, {}}},                // share and list
            {{"a", mobius, -1, {}, {4}}, {"b", standard, -1, {}, {}}},                // no such head
            {{"a", mobius, -1, {2}, {}}, {"b", standard, -1, {}, {}}},                // no such layer
            {{"a", mobius, -1, {}, {0}}, {"b", mobius, -1, {}, {0}}, {"c", standard, -1, {}, {}}},
            {{"a", {Kind::Hybrid, {}, {}}, .5, {}, {}}, {"b", standard, -1, {}, {}}},
            {{"a", {Kind::Landmark, {}, {}}, .5, {}, {}}, {"b", standard, -1, {}, {}}},
        };
        for (const auto& parts : broken)
            QCOMPARE(refusalOf({Kind::Hybrid, {}, parts}, grouped(4, 4)).code, 2);
    }

    void framedLayersAndLandmarks()
    {
        ModelShape shape = grouped(4, 4);
        shape.layers = 4;
        const Plan framed = resolve({Kind::MobiusAttention, {}, {}}, shape);
        for (std::size_t l = 0; l < 4; ++l)
            for (std::size_t h = 0; h < 4; ++h)
                QCOMPARE(framed.heads[l][h].form == AttentionForm::MobiusQuery, (l == 0 || l == 3) && h < 2);
        const Plan landmark = resolve({Kind::Landmark, {}, {}}, shape);
        QCOMPARE(landmark.landmarkBlock, 64);
        QVERIFY(landmark.heads[1][2].form == AttentionForm::Landmark);
        const Plan window = resolve({Kind::Window, {{"size", 16.0}, {"pattern", "SL"}}, {}}, shape);
        QCOMPARE(window.heads[0][0].window, std::int64_t(16));
        QCOMPARE(window.heads[1][0].window, std::int64_t(0));
        QCOMPARE(refusalOf({Kind::Window, {{"pattern", "SX"}}, {}}, shape).code, 2);
    }
};

QTEST_GUILESS_MAIN(TestPlan)
#include "tst_ladder_plan.moc"
