#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/scheme_json.h"
#include "core/eval/swap.h"
#include "core/eval/swap_plan.h"
#include "planted_models.h"

using namespace holo;
using namespace holo::eval;

namespace {

using HeadList = std::vector<std::pair<int, int>>;

ladder::ModelShape shape(int kvHeads = 8)
{
    ladder::ModelShape s;
    s.layers = 2;
    s.heads = 8;
    s.kvHeads = kvHeads;
    s.headDim = 8;
    s.rotaryDim = 8;
    s.context = 64;
    return s;
}

ladder::Plan plan(const std::string& scheme, int kvHeads = 8)
{
    return ladder::resolve(config::parseScheme(scheme), shape(kvHeads));
}

const std::vector<double>& theta(const ladder::Plan& p, int layer, int head)
{
    return p.ladders[std::size_t(p.heads[std::size_t(layer)][std::size_t(head)].ladder)].theta;
}

const char* const kHybrid = "hybrid:share=0.25,special=mobius";

}  // namespace

class TestSwap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void headsAreChosenByWords()
    {
        const ladder::Plan hybrid = plan(kHybrid);
        const HeadList special{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
        QCOMPARE(chosenHeads(hybrid, "special"), special);
        QCOMPARE(chosenHeads(hybrid, "special", {1}), (HeadList{{1, 0}, {1, 1}}));
        QCOMPARE(chosenHeads(hybrid, "all").size(), std::size_t(16));
        QCOMPARE(chosenHeads(plan("standard"), "special").size(), std::size_t(16));
        QCOMPARE(chosenHeads(hybrid, "1:3,0:2,1:3"), (HeadList{{0, 2}, {1, 3}}));
        QCOMPARE(chosenHeads(hybrid, "*:7"), (HeadList{{0, 7}, {1, 7}}));
        QCOMPARE(chosenHeads(hybrid, "0:*").size(), std::size_t(8));
        QCOMPARE(chosenHeads(plan("hybrid:share=0.5,special=mobius"), "special").size(), std::size_t(8));
        for (const char* bad : {"", "2:0", "0:8", "0", "a:b", "0:1:2", "-1:0", "some"})
            QVERIFY_THROWS_EXCEPTION(Error, chosenHeads(hybrid, bad));
        QVERIFY_THROWS_EXCEPTION(Error, chosenHeads(hybrid, "all", {2}));
        QVERIFY_THROWS_EXCEPTION(Error, chosenHeads(hybrid, "0:0", {1}));
    }

    void wholeHeadsTakeTheOtherLadder()
    {
        const ladder::Plan hybrid = plan(kHybrid);
        const ladder::Plan standard = plan("standard");
        const ladder::Plan swapped = swappedPlan(hybrid, standard, {chosenHeads(hybrid, "special"), {}, 1});
        // All heads are standard now, on one ladder.
        QCOMPARE(swapped.ladders.size(), std::size_t(1));
        QCOMPARE(swapped.ladders[0].hash, standard.ladders[0].hash);
        const ladder::Plan one = swappedPlan(hybrid, plan("nope"), {{{1, 5}}, {}, 1});
        QCOMPARE(one.ladders.size(), std::size_t(3));
        QCOMPARE(theta(one, 1, 5), theta(plan("nope"), 0, 0));
        QCOMPARE(theta(one, 0, 5), theta(hybrid, 0, 5));
        QCOMPARE(theta(one, 1, 1), theta(hybrid, 1, 1));
        const ladder::Plan all = swappedPlan(hybrid, plan("alibi"), {chosenHeads(hybrid, "all"), {}, 1});
        QVERIFY(all.heads[1][7].slope > 0);
    }

    void planesAndLambdaMixFrequencies()
    {
        const ladder::Plan hybrid = plan(kHybrid);
        const ladder::Plan standard = plan("standard");
        const HeadList heads = chosenHeads(hybrid, "special");
        const ladder::Plan mixed = swappedPlan(hybrid, standard, {heads, std::pair(1, 3), 1});
        for (const auto& [layer, head] : heads) {
            QCOMPARE(theta(mixed, layer, head)[0], theta(hybrid, 0, 0)[0]);
            QCOMPARE(theta(mixed, layer, head)[1], theta(standard, 0, 0)[1]);
            QCOMPARE(theta(mixed, layer, head)[2], theta(standard, 0, 0)[2]);
            QCOMPARE(theta(mixed, layer, head)[3], theta(hybrid, 0, 0)[3]);
        }
        QCOMPARE(theta(mixed, 0, 2), theta(hybrid, 0, 2));
        QCOMPARE(mixed.ladders.size(), std::size_t(2));
        const ladder::Plan none = swappedPlan(hybrid, standard, {heads, {}, 0});
        QCOMPARE(theta(none, 0, 0), theta(hybrid, 0, 0));
        const ladder::Plan half = swappedPlan(hybrid, standard, {heads, {}, .5});
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(theta(half, 1, 1)[i], .5 * theta(hybrid, 0, 0)[i] + .5 * theta(standard, 0, 0)[i]);
        // The mixed ladder names itself apart from both.
        QVERIFY(half.ladders[0].hash != hybrid.ladders[0].hash && half.ladders[0].hash != mixed.ladders[0].hash);
        for (const std::pair<int, int>& planes : {std::pair(-1, 2), {2, 2}, {3, 1}, {0, 5}})
            QVERIFY_THROWS_EXCEPTION(Error, swappedPlan(hybrid, standard, {heads, planes, 1}));
        QVERIFY_THROWS_EXCEPTION(Error, swappedPlan(hybrid, plan("fope"), {heads, std::pair(0, 1), 1}));
        QVERIFY_THROWS_EXCEPTION(Error, swappedPlan(hybrid, plan("alibi"), {heads, std::pair(0, 1), 1}));
    }

    void keyGroupsStayTogether()
    {
        const ladder::Plan grouped = plan(kHybrid, 4);
        QVERIFY_THROWS_EXCEPTION(Error, swappedPlan(grouped, plan("standard", 4), {{{0, 0}}, {}, 1}));
        const ladder::Plan both = swappedPlan(grouped, plan("standard", 4), {{{0, 0}, {0, 1}}, {}, 1});
        QCOMPARE(both.heads[0][0].ladder, both.heads[0][7].ladder);
        QVERIFY(both.heads[1][0].ladder != both.heads[1][7].ladder);
    }

    void differencesArePaired()
    {
        // A model that finds the value where its first special head keeps the Möbius ladder, and only near ones (within 40 tokens) elsewhere.
        const data::SyntheticCorpus corpus{config::SyntheticSpec{}, 64};
        const ladder::Plan hybrid = plan(kHybrid);
        bool reachesFar = true;
        int changes = 0;
        ladder::Plan current = hybrid;
        planted::Model model(178, 64, [&](std::span<const std::int32_t> prefix) {
            const std::size_t n = prefix.size();
            if (n >= 2 && prefix[n - 2] == 1)
                for (std::size_t i = n - 2; i-- > 0;)
                    if (prefix[i] == 1 && prefix[i + 1] == prefix[n - 1] && (reachesFar || n - i < 40))
                        return planted::peaked(178, prefix[i + 2], .8);
            return std::vector<double>(178, -std::log(178.0));
        });
        SwapModel swappable{model, hybrid, [&](const ladder::Plan& p) {
                                ++changes;
                                current = p;
                                reachesFar = theta(p, 0, 0) == theta(hybrid, 0, 0);
                            }};
        QTemporaryDir folder;
        SwapOptions options;
        options.eval.spec.lengths = {64};
        options.eval.spec.depths = {0, 1};
        options.eval.spec.trials = 20;
        options.eval.spec.perplexityTokens = 64;
        options.eval.out = folder.filePath("swap").toStdString();
        options.sweep = "heads";
        const Json json = eval::swap(swappable, plan("standard"), corpus, options);
        QCOMPARE(json["heads"].size(), std::size_t(4));
        QCOMPARE(json["mean"]["before"].get<double>(), 1.0);
        QCOMPARE(json["mean"]["after"].get<double>(), .5);
        QCOMPARE(json["mean"]["difference"].get<double>(), -.5);
        QVERIFY(std::abs(json["mean"]["p_mcnemar"].get<double>() - std::ldexp(1.0, -19)) < 1e-12);
        const Json& far = json["difference"][0];
        QCOMPARE(far["delta"].get<double>(), -1.0);
        QCOMPARE(far["lost"].get<int>(), 20);
        QCOMPARE(far["exact_before"].get<double>(), 1.0);
        QCOMPARE(far["exact_after"].get<double>(), 0.0);
        const Json& near = json["difference"][1];
        QCOMPARE(near["delta"].get<double>(), 0.0);
        QCOMPARE(near["p_mcnemar"].get<double>(), 1.0);
        for (const Json& bin : json["by_distance"])
            QCOMPARE(bin["exact_after"].get<double>(), bin["lo"].get<int>() > 38 ? 0.0 : 1.0);
        // Only the first head matters to this model.
        const Json& rows = json["sweep"]["rows"];
        QCOMPARE(rows.size(), std::size_t(4));
        QCOMPARE(rows[0]["delta"].get<double>(), -.5);
        for (std::size_t i = 1; i < 4; ++i)
            QCOMPARE(rows[i]["delta"].get<double>(), 0.0);
        QCOMPARE(json["before"]["trials_file_hash"], json["after"]["trials_file_hash"]);
        QVERIFY(json["perplexity"]["before"].is_number());
        // The trained plan is back, and the files are there.
        QCOMPARE(theta(current, 0, 0), theta(hybrid, 0, 0));
        QVERIFY(changes >= 3);
        QCOMPARE(readJsonFile(options.eval.out / "summary.json"), json);
        QVERIFY(std::filesystem::exists(options.eval.out / "after" / "trials.jsonl"));
        options.sweep = "weights";
        QVERIFY_THROWS_EXCEPTION(Error, eval::swap(swappable, plan("standard"), corpus, options));
    }

    void sweepsCoverWhatTheySay()
    {
        const data::SyntheticCorpus corpus{config::SyntheticSpec{}, 64};
        auto oracle = planted::factsOracle(corpus);
        SwapModel swappable{oracle, plan(kHybrid), [](const ladder::Plan&) {}};
        SwapOptions options;
        options.eval.spec.lengths = {32};
        options.eval.spec.depths = {.5};
        options.eval.spec.trials = 2;
        options.eval.spec.perplexityTokens = 8;
        const auto rows = [&](const char* sweep) {
            options.sweep = sweep;
            return eval::swap(swappable, plan("standard"), corpus, options)["sweep"]["rows"];
        };
        QCOMPARE(rows("planes").size(), std::size_t(4));
        QCOMPARE(rows("layers").size(), std::size_t(2));
        QCOMPARE(rows("heads").size(), std::size_t(4));
        const Json lambda = rows("lambda");
        QCOMPARE(lambda.size(), std::size_t(11));
        QCOMPARE(lambda[3]["lambda"].get<double>(), .3);
    }
};

QTEST_GUILESS_MAIN(TestSwap)
#include "tst_eval_swap.moc"
