#include <QtTest>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/config/scheme_json.h"
#include "core/eval/longrope_search.h"
#include "core/ladder/phase_table.h"

using namespace holo;
using namespace holo::eval;

namespace {

ladder::Plan planOf(const std::string& scheme)
{
    ladder::ModelShape shape;
    shape.headDim = shape.rotaryDim = 16;
    shape.context = 128;
    return ladder::resolve(config::parseScheme(scheme), shape);
}

ladder::Ladder standard() { return planOf("standard").ladders[0]; }

LongRopeSettings small()
{
    LongRopeSettings settings;
    settings.generations = 12;
    settings.population = 16;
    settings.parents = 8;
    settings.mutations = 6;
    settings.crossovers = 6;
    settings.seed = 5;
    return settings;
}

// A valley with a floor that no start lies on.
double valley(const LongRopeCandidate& candidate)
{
    double sum = std::abs(std::log2(double(candidate.kept) + 1) - 4) / 10;
    for (std::size_t j = 0; j < candidate.divisors.size(); ++j)
        sum += std::pow(candidate.divisors[j] - (1 + .4 * double(j)), 2);
    return sum;
}

LongRopeSearch run(const LongRopeSettings& settings, const LongRopeSearch::Fitness& fitness = valley)
{
    LongRopeSearch search(settings, standard());
    while (search.generation() < 0 || !search.isDone())
        search.advance(fitness);
    return search;
}

}  // namespace

class TestLongRopeSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The three starts as ladders: PI, NTK and YaRN themselves.
    void startsAreTheKnownSchemes()
    {
        LongRopeSearch search(small(), standard());
        const char* const schemes[] = {"linear:factor=4", "ntk:factor=4", "yarn:factor=4,original=128"};
        for (std::size_t s = 0; s < 3; ++s) {
            const auto& start = search.starts()[s];
            const auto expected = planOf(schemes[s]).ladders[0].theta;
            ladder::ModelShape shape;
            shape.headDim = shape.rotaryDim = 16;
            shape.context = 128;
            const ladder::Ladder ladder = ladder::resolve(search.scheme(start), shape).ladders[0];
            const auto theta = ladder::thetaAtLength(ladder, 512);
            QCOMPARE(theta.size(), expected.size());
            for (std::size_t j = 0; j < theta.size(); ++j)
                QVERIFY(std::abs(theta[j] / expected[j] - 1) < 1e-12);
            QCOMPARE(ladder::thetaAtLength(ladder, 128), standard().theta);
        }
    }

    void neverWorseThanTheStartsAndBetterInTheEnd()
    {
        const LongRopeSearch search = run(small());
        QCOMPARE(search.history().size(), std::size_t(13));
        double start = INFINITY;
        for (const auto& s : search.starts())
            start = std::min(start, s.nll);
        double last = start;
        for (const auto& row : search.history()) {
            QVERIFY(row.best <= last);
            QVERIFY(row.best <= row.median);
            last = row.best;
        }
        QVERIFY(search.best().nll < start / 2);
        QCOMPARE(search.evaluated(), std::int64_t(16 + 12 * 12));
        QCOMPARE(valley(search.best()), search.best().nll);
    }

    // Every candidate that was ever scored lies in the search space.
    void candidatesStayInTheSpace()
    {
        std::size_t seen = 0;
        run(small(), [&](const LongRopeCandidate& c) {
            ++seen;
            QTest::qCompare(c.divisors.size(), std::size_t(8), "size", "8", __FILE__, __LINE__);
            const bool inside = std::is_sorted(c.divisors.begin(), c.divisors.end()) && c.divisors.front() >= 1 && c.divisors.back() <= 5 && c.kept >= 0 && c.kept <= 128;
            if (!inside)
                QTest::qFail("a candidate left the space", __FILE__, __LINE__);
            return valley(c);
        });
        QCOMPARE(seen, std::size_t(16 + 12 * 12));
    }

    void theSeedDecides()
    {
        const Json first = run(small()).toJson();
        QCOMPARE(run(small()).toJson(), first);
        LongRopeSettings other = small();
        other.seed = 6;
        QVERIFY(run(other).toJson()["population"] != first["population"]);
    }

    // Stopped in the middle of a generation, written, read, gone on: as if nothing had been.
    void aStoppedSearchGoesOn()
    {
        LongRopeSearch search(small(), standard());
        int calls = 0;
        try {
            while (!search.isDone())
                search.advance([&](const LongRopeCandidate& c) {
                    if (++calls == 60)
                        throw Error(ErrorKind::Interrupted, "Stopped.");
                    return valley(c);
                });
            QFAIL("not stopped");
        } catch (const Error& e) {
            QCOMPARE(exitCode(e.kind()), 75);
        }
        QVERIFY(search.generation() > 0 && !search.isDone());
        const Json written = parseJson(dumpPretty(search.toJson()), "state");
        LongRopeSearch again(small(), standard());
        again.restore(written, "state");
        while (!again.isDone())
            again.advance(valley);
        QCOMPARE(dumpPretty(again.toJson()), dumpPretty(run(small()).toJson()));
    }

    void candidatesWithoutANumberComeLast()
    {
        const LongRopeSearch search = run(small(), [](const LongRopeCandidate& c) { return c.origin == "yarn" ? 2.0 : std::nan(""); });
        QCOMPARE(search.best().origin, std::string("yarn"));
        QVERIFY(std::isinf(search.population().back().nll));
        LongRopeSearch again(small(), standard());
        again.restore(parseJson(dumpPretty(search.toJson()), "state"), "state");
        QVERIFY(std::isinf(again.population().back().nll));
    }

    void statesOfOtherSearchesAreRefused()
    {
        const Json state = run(small()).toJson();
        const auto kindOf = [&](const Json& json, const LongRopeSettings& settings) {
            try {
                LongRopeSearch(settings, standard()).restore(json, "state");
            } catch (const Error& e) {
                return exitCode(e.kind());
            }
            return 0;
        };
        LongRopeSettings more = small();
        more.generations = 20;
        QCOMPARE(kindOf(state, more), 0);
        for (auto change : {+[](LongRopeSettings& s) { s.seed = 9; }, +[](LongRopeSettings& s) { s.factor = 8; }, +[](LongRopeSettings& s) { s.step = .1; }, +[](LongRopeSettings& s) { s.parents = 4; }}) {
            LongRopeSettings other = small();
            change(other);
            QCOMPARE(kindOf(state, other), 2);
        }
        Json broken = state;
        broken["population"][0]["divisors"][3] = 100;
        QCOMPARE(kindOf(broken, small()), 3);
        broken = state;
        broken["population"][0]["divisors"].erase(0);
        QCOMPARE(kindOf(broken, small()), 3);
        broken = state;
        broken.erase("history");
        QCOMPARE(kindOf(broken, small()), 3);
        QCOMPARE(kindOf(Json("text"), small()), 3);
        QCOMPARE(kindOf(Json(), small()), 3);
    }

    void settingsOutOfRangeAreRefused()
    {
        using Change = void (*)(LongRopeSettings&);
        for (const Change change : {Change([](LongRopeSettings& s) { s.factor = 1; }), Change([](LongRopeSettings& s) { s.factor = std::nan(""); }), Change([](LongRopeSettings& s) { s.factor = INFINITY; }),
                                    Change([](LongRopeSettings& s) { s.population = 3; }), Change([](LongRopeSettings& s) { s.parents = 17; }), Change([](LongRopeSettings& s) { s.parents = 1; }),
                                    Change([](LongRopeSettings& s) { s.generations = -1; }), Change([](LongRopeSettings& s) { s.mutations = s.crossovers = 0; }),
                                    Change([](LongRopeSettings& s) { s.probability = 0; }), Change([](LongRopeSettings& s) { s.probability = 1.5; }), Change([](LongRopeSettings& s) { s.step = 0; }),
                                    Change([](LongRopeSettings& s) { s.step = 9; }), Change([](LongRopeSettings& s) { s.attentionFactor = -1; })}) {
            LongRopeSettings settings = small();
            change(settings);
            QVERIFY_THROWS_EXCEPTION(Error, LongRopeSearch(settings, standard()));
        }
        QVERIFY_THROWS_EXCEPTION(Error, LongRopeSearch(small(), planOf("mobius").ladders[0]));
        QVERIFY_THROWS_EXCEPTION(Error, LongRopeSearch(small(), planOf("nope").ladders[0]));
    }
};

QTEST_GUILESS_MAIN(TestLongRopeSearch)
#include "tst_eval_longrope_search.moc"
