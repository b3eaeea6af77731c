#include <QtTest>

#include <algorithm>

#include "core/ladder/controls.h"
#include "tests/ladder/ladder_cases.h"

using namespace holo::ladder;
using namespace holo::ladder::cases;

namespace {

const Control& named(const std::vector<Control>& controls, const std::string& name)
{
    const auto it = std::find_if(controls.begin(), controls.end(), [&](const Control& c) { return c.name == name; });
    if (it == controls.end())
        throw std::runtime_error("no control " + name);
    return *it;
}

ModelShape paper()
{
    ModelShape shape = shapeOf(64, 2048);
    shape.heads = shape.kvHeads = 12;
    return shape;
}

}  // namespace

class TestControls : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void controlsOfTheHybridSitOnItsHeads()
    {
        const auto controls = matchedControls({Kind::Hybrid, {}, {}}, paper());
        QCOMPARE(controls.size(), std::size_t(12));
        for (const Control& control : controls) {
            QCOMPARE(control.proofs.size(), std::size_t(1));
            const ControlProof& proof = control.proofs.front();
            QVERIFY(proof.sameHeads);
            QVERIFY(proof.samePlanes);
            QVERIFY(proof.warning.empty());
            const Plan plan = resolve(control.scheme, paper());
            QCOMPARE(plan.share, .25);
            for (const auto& row : plan.heads)
                for (std::size_t h = 0; h < 12; ++h)
                    QCOMPARE(plan.ladders[std::size_t(row[h].ladder)].kind == Kind::Standard, h >= 3);
        }
    }

    void proofsSayWhatIsEqual()
    {
        const auto controls = matchedControls({Kind::Mobius, {}, {}}, paper());
        const auto proof = [&](const std::string& name) { return named(controls, name).proofs.front(); };
        QVERIFY(proof("band C1").sameBand);
        QVERIFY(!proof("band C1").sameMean);
        QVERIFY(!proof("band C1").sameHalfWidth);
        QVERIFY(proof("band C2").insideBand);
        QVERIFY(proof("band C2").sameMean);
        QVERIFY(proof("band C2").sameHalfWidth);
        QVERIFY(!proof("band C2").sameBoundary);
        for (const char* periodic : {"periodic A", "periodic B"}) {
            QVERIFY(proof(periodic).sameHalfWidth);
            QVERIFY(!proof(periodic).sameBoundary);
            QCOMPARE(proof(periodic).control.boundary, Boundary::Periodic);
        }
        QVERIFY(proof("shuffled").sameFrequencies);
        QVERIFY(proof("shuffled").sameBoundary);
        QVERIFY(proof("twisted π").sameFrequencies);
        QVERIFY(proof("snapped half").sameBoundary);
        QVERIFY(!proof("snapped half").sameBand);
        const Plan shuffled = resolve(named(controls, "shuffled").scheme, paper());
        const Plan mobius = resolve({Kind::Mobius, {}, {}}, paper());
        QVERIFY(shuffled.ladders[0].theta != mobius.ladders[0].theta);
        QVERIFY(shuffled.ladders[0].exact.has_value());
    }

    void smallLaddersAreWarnedOf()
    {
        ModelShape shape = shapeOf(8, 64);
        const auto controls = matchedControls({Kind::Mobius, {}, {}}, shape);
        const ControlProof& proof = named(controls, "band C2").proofs.front();
        QCOMPARE(proof.warning.empty(), proof.control.absMeanHolonomy < .15);
        QVERIFY(proof.control.absMeanHolonomy > .15);
    }

    void everyScaleKeepsItsContext()
    {
        const Scheme reference = multiScaleHybrid(.25, {2048, 1024, 512}, paper());
        const Plan plan = resolve(reference, paper());
        QCOMPARE(plan.ladders.size(), std::size_t(4));
        const auto controls = matchedControls(reference, paper());
        const Control& periodic = named(controls, "periodic A");
        QCOMPARE(periodic.proofs.size(), std::size_t(3));
        const Plan other = resolve(periodic.scheme, paper());
        for (std::size_t h = 0; h < 12; ++h)
            QCOMPARE(other.ladders[std::size_t(other.heads[0][h].ladder)].context, plan.ladders[std::size_t(plan.heads[0][h].ladder)].context);
        QVERIFY_EXCEPTION_THROWN(multiScaleHybrid(.25, {8, 16, 32, 64}, paper()), holo::Error);
    }

    void controlsThatWouldCoincideAreLeftOut()
    {
        const auto controls = matchedControls({Kind::Mobius, {}, {}}, shapeOf(64, 63));
        QVERIFY(std::none_of(controls.begin(), controls.end(), [](const Control& c) { return c.name == "periodic A"; }));
        QVERIFY(!named(controls, "periodic B").proofs.empty());
    }

    void nothingToControl()
    {
        QVERIFY_EXCEPTION_THROWN(matchedControls({Kind::Standard, {}, {}}, paper()), holo::Error);
    }
};

QTEST_GUILESS_MAIN(TestControls)
#include "tst_ladder_controls.moc"
