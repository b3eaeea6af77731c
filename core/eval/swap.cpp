#include "core/eval/swap.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/eval/result_files.h"
#include "core/eval/swap_plan.h"
#include "core/stats/paired_tests.h"

namespace holo::eval {

namespace {

// Trials of one group before and after, in the same order.
struct Pairs {
    std::int64_t trials = 0;
    std::int64_t before = 0;
    std::int64_t after = 0;
    stats::PairedCounts counts;

    void add(bool first, bool second)
    {
        ++trials;
        before += first;
        after += second;
        ++(first ? (second ? counts.both : counts.onlyFirst) : (second ? counts.onlySecond : counts.neither));
    }
    double difference() const { return trials > 0 ? double(after - before) / double(trials) : 0; }
    Json p() const
    {
        const auto p = stats::mcnemarExact(counts).p;
        return p ? number(*p) : Json(nullptr);
    }
    void write(Json& json) const
    {
        json["trials"] = trials;
        json["exact_before"] = number(double(before) / double(trials));
        json["exact_after"] = number(double(after) / double(trials));
        json["lost"] = counts.onlyFirst;
        json["won"] = counts.onlySecond;
        json["p_mcnemar"] = p();
    }
};

Pairs paired(const std::vector<TrialOutcome>& before, const std::vector<TrialOutcome>& after)
{
    Pairs pairs;
    for (std::size_t i = 0; i < before.size(); ++i)
        pairs.add(before[i].exact, after[i].exact);
    return pairs;
}

Json cellDifferences(const std::vector<TrialOutcome>& before, const std::vector<TrialOutcome>& after)
{
    Json rows = Json::array();
    for (std::size_t i = 0; i < before.size();) {
        Pairs pairs;
        std::size_t end = i;
        for (; end < before.size() && before[end].length == before[i].length && before[end].depth == before[i].depth; ++end)
            pairs.add(before[end].exact, after[end].exact);
        Json row{{"length", before[i].length}, {"depth", number(before[i].depth)}, {"delta", number(pairs.difference())}};
        pairs.write(row);
        rows.push_back(std::move(row));
        i = end;
    }
    return rows;
}

Json distanceDifferences(const std::vector<TrialOutcome>& before, const std::vector<TrialOutcome>& after)
{
    constexpr std::int64_t kBins = 32;
    std::int64_t longest = 0;
    for (const TrialOutcome& trial : before)
        longest = std::max(longest, trial.distance);
    const std::int64_t width = std::max<std::int64_t>(1, (longest + kBins) / kBins);
    std::vector<Pairs> bins(std::size_t(longest / width) + 1);
    std::vector<double> sums(bins.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto bin = std::size_t(before[i].distance / width);
        bins[bin].add(before[i].exact, after[i].exact);
        sums[bin] += double(before[i].distance);
    }
    Json rows = Json::array();
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (bins[i].trials == 0)
            continue;
        Json row{{"delta", number(sums[i] / double(bins[i].trials))}, {"lo", std::int64_t(i) * width}, {"hi", std::int64_t(i + 1) * width}};
        bins[i].write(row);
        rows.push_back(std::move(row));
    }
    return rows;
}

class Ablation {
public:
    Ablation(SwapModel& model, const ladder::Plan& target, const data::Corpus& corpus, const SwapOptions& options)
        : m_model(model)
        , m_corpus(corpus)
        , m_options(options)
    {
        m_whole.heads = chosenHeads(model.trained, options.heads, options.layers);
        m_whole.planes = options.planes;
        const std::vector<std::string> sweeps{"", "planes", "heads", "layers", "lambda"};
        if (std::find(sweeps.begin(), sweeps.end(), options.sweep) == sweeps.end())
            throw Error::at(ErrorKind::Usage, {.field = "sweep", .found = "\"" + options.sweep + "\"", .allowed = "planes, heads, layers, lambda"});
        // What cannot be swapped is found out before anything is computed.
        m_parts.push_back({Json(nullptr), m_whole});
        for (auto& [label, part] : sweepParts())
            m_parts.push_back({label, part});
        for (const auto& [label, part] : m_parts)
            m_plans.push_back(swappedPlan(model.trained, target, part));
    }

    ~Ablation() { m_model.setPlan(m_model.trained); }

    Json document()
    {
        Json json = documentHead("swap", m_corpus, m_options.eval);
        json["scheme_to"] = m_options.eval.schemeRun;
        json["heads"] = Json::array();
        for (const auto& [layer, head] : m_whole.heads)
            json["heads"].push_back(Json::array({layer, head}));
        json["planes"] = m_whole.planes ? Json::array({m_whole.planes->first, m_whole.planes->second}) : Json(nullptr);
        json["ladders"] = Json{{"before", ladders(m_model.trained)}, {"after", ladders(m_plans.front())}};

        std::vector<TrialOutcome> before;
        std::vector<TrialOutcome> after;
        Json perplexityBefore;
        Json perplexityAfter;
        const Json evalBefore = evaluate(m_model.trained, m_options.eval.schemeTrained, "before", before, perplexityBefore);
        const Json evalAfter = evaluate(m_plans.front(), m_options.eval.schemeRun, "after", after, perplexityAfter);
        const Pairs all = paired(before, after);
        json["mean"] = Json{{"before", evalBefore["mean"]}, {"after", evalAfter["mean"]}, {"difference", number(all.difference())}, {"p_mcnemar", all.p()}};
        json["difference"] = cellDifferences(before, after);
        json["by_distance"] = distanceDifferences(before, after);
        json["perplexity"] = Json{{"before", perplexityBefore["ppl"]}, {"after", perplexityAfter["ppl"]}, {"length", perplexityBefore["length"]}, {"tokens", perplexityBefore["tokens"]}};
        if (m_parts.size() > 1)
            json["sweep"] = Json{{"over", m_options.sweep}, {"rows", sweepRows(before)}};
        json["cells_not_run"] = evalBefore["cells_not_run"];
        json["before"] = evalBefore;
        json["after"] = evalAfter;
        return json;
    }

private:
    using Labelled = std::pair<Json, SwapPart>;

    std::vector<Labelled> sweepParts() const
    {
        std::vector<Labelled> parts;
        if (m_options.sweep == "planes") {
            const int begin = m_whole.planes ? m_whole.planes->first : 0;
            const int end = m_whole.planes ? m_whole.planes->second : m_model.trained.shape.rotaryDim / 2;
            for (int plane = begin; plane < end; ++plane)
                parts.push_back({Json{{"plane", plane}}, {m_whole.heads, std::pair(plane, plane + 1), 1}});
        } else if (m_options.sweep == "heads" || m_options.sweep == "layers") {
            // Heads that share a key head go together.
            const int group = m_model.trained.shape.heads / m_model.trained.shape.kvHeads;
            const bool byHead = m_options.sweep == "heads";
            for (const auto& [layer, head] : m_whole.heads) {
                const int key = byHead ? head / group : 0;
                const bool same = !parts.empty() && parts.back().second.heads.front().first == layer && (!byHead || parts.back().second.heads.front().second / group == key);
                if (!same) {
                    Json label{{"layer", layer}};
                    if (byHead)
                        label["head"] = head;
                    parts.push_back({std::move(label), {{}, m_whole.planes, 1}});
                }
                parts.back().second.heads.emplace_back(layer, head);
            }
        } else if (m_options.sweep == "lambda") {
            for (int step = 0; step <= 10; ++step)
                parts.push_back({Json{{"lambda", number(step / 10.0)}}, {m_whole.heads, m_whole.planes, step / 10.0}});
        }
        return parts;
    }

    static Json ladders(const ladder::Plan& plan)
    {
        Json list = Json::array();
        for (const ladder::Ladder& ladder : plan.ladders)
            list.push_back(Json{{"name", ladder.name}, {"hash", ladder.hash}});
        return list;
    }

    Json evaluate(const ladder::Plan& plan, const Json& scheme, const std::string& folder, std::vector<TrialOutcome>& outcomes, Json& perplexityRow)
    {
        m_model.setPlan(plan);
        Options options = m_options.eval;
        options.schemeRun = scheme;
        if (!options.out.empty())
            options.out /= folder;
        const double pieces = double(m_parts.size() + 1);
        options.progress = share(folder == "before" ? 0 : 1 / pieces, 1 / pieces);
        const Json document = needle(m_model.model, m_corpus, options, outcomes);
        options.out.clear();
        options.progress = nullptr;
        options.spec.lengths = {m_model.model.context()};
        options.perplexityMode = "blocks";
        perplexityRow = Json{{"length", m_model.model.context()}, {"tokens", 0}, {"ppl", nullptr}};
        if (m_corpus.windows(data::Split::Validation, m_model.model.context()) > 0)
            perplexityRow = perplexity(m_model.model, m_corpus, options)["rows"][0];
        return document;
    }

    Json sweepRows(const std::vector<TrialOutcome>& before)
    {
        Json rows = Json::array();
        Options options = m_options.eval;
        options.out.clear();
        options.controls = false;
        for (std::size_t i = 1; i < m_parts.size(); ++i) {
            m_model.setPlan(m_plans[i]);
            const double pieces = double(m_parts.size() + 1);
            options.progress = share(double(i + 1) / pieces, 1 / pieces);
            std::vector<TrialOutcome> after;
            needle(m_model.model, m_corpus, options, after);
            Json row = m_parts[i].first;
            const Pairs pairs = paired(before, after);
            row["delta"] = number(pairs.difference());
            pairs.write(row);
            rows.push_back(std::move(row));
        }
        return rows;
    }

    std::function<bool(double)> share(double begin, double width) const
    {
        if (!m_options.eval.progress)
            return nullptr;
        return [this, begin, width](double done) { return m_options.eval.progress(begin + width * done); };
    }

    SwapModel& m_model;
    const data::Corpus& m_corpus;
    const SwapOptions& m_options;
    SwapPart m_whole;
    std::vector<Labelled> m_parts;      // the whole swap, then those of the sweep
    std::vector<ladder::Plan> m_plans;  // of m_parts
};

}  // namespace

Json swap(SwapModel& model, const ladder::Plan& target, const data::Corpus& corpus, const SwapOptions& options)
{
    const Json document = Ablation(model, target, corpus, options).document();
    writeResult(document, "", options.eval);
    return document;
}

}  // namespace holo::eval
