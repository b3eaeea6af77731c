#include "core/eval/probe.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/eval/needle_task.h"
#include "core/eval/result_files.h"
#include "core/ladder/kernel.h"

namespace holo::eval {

namespace {

// Sums over windows and queries of one head.
struct HeadTally {
    const ladder::Ladder* ladder = nullptr;
    std::vector<double> byDistance;  // by bucket: 0, [1,2), [2,4), …
    double entropy = 0;
    double entropyShare = 0;
    double first = 0;
    double distance = 0;
    double ends = 0;
    double induction = 0;
    std::int64_t queries = 0;
    std::int64_t endQueries = 0;
    std::int64_t inductionQueries = 0;
    std::vector<double> queryMean;   // [lane], of means over tokens
    std::vector<double> keyMean;
    std::vector<bool> undertrained;
    std::vector<bool> rotated;
};

std::size_t bucketOf(std::int64_t distance)
{
    return std::size_t(std::bit_width(std::uint64_t(distance)));
}

std::int64_t eighthOf(std::int64_t length) { return std::max<std::int64_t>(1, length / 8); }

// What `ends` is where every query weighs all its keys the same.
double evenEnds(std::int64_t length)
{
    const std::int64_t eighth = eighthOf(length);
    double sum = 0;
    for (std::int64_t m = length - eighth; m < length; ++m)
        sum += double(std::min(eighth, m + 1)) / double(m + 1);
    return sum / double(eighth);
}

// Mean of K(Δ)/M over the pairs of the two ends; of e² pairs, e − |Δ − (T − e)| lie Δ apart.
double kernelOfEnds(const ladder::Ladder& ladder, std::int64_t length)
{
    const std::int64_t eighth = eighthOf(length);
    const std::int64_t middle = length - eighth;
    const auto deltas = ladder::distances(middle - eighth + 1, middle + eighth - 1);
    const auto kernel = ladder::meanCosine(ladder, deltas, length);
    double sum = 0;
    for (std::size_t i = 0; i < deltas.size(); ++i)
        sum += kernel[i] * double(eighth - std::abs(deltas[i] - middle));
    return sum / double(eighth * eighth);
}

void addWeights(HeadTally& tally, std::span<const float> weights, std::int64_t tokens)
{
    tally.byDistance.resize(bucketOf(tokens - 1) + 1);
    const std::int64_t eighth = eighthOf(tokens);
    for (std::int64_t m = tokens / 2; m < tokens; ++m) {
        const auto row = weights.subspan(std::size_t(m * tokens), std::size_t(m + 1));
        double entropy = 0;
        double ends = 0;
        for (std::int64_t n = 0; n <= m; ++n) {
            const double w = double(row[std::size_t(n)]);
            tally.byDistance[bucketOf(m - n)] += w;
            tally.distance += w * double(m - n);
            entropy -= w > 0 ? w * std::log(w) : 0;
            ends += n < eighth ? w : 0;
        }
        tally.entropy += entropy;
        tally.entropyShare += m > 0 ? entropy / std::log(double(m + 1)) : 0;
        tally.first += double(row[0]);
        ++tally.queries;
        if (m >= tokens - eighth) {
            tally.ends += ends;
            ++tally.endQueries;
        }
    }
}

// Adds the mean over tokens of every lane to `sums`.
void addMeans(std::vector<double>& sums, std::span<const float> values, std::int64_t tokens, int lanes)
{
    sums.resize(std::size_t(lanes));
    for (std::int64_t t = 0; t < tokens; ++t)
        for (int lane = 0; lane < lanes; ++lane)
            sums[std::size_t(lane)] += double(values[std::size_t(t * lanes + lane)]) / double(tokens);
}

Json meanSizes(const std::vector<double>& sums, std::int64_t windows)
{
    Json list = Json::array();
    for (const double sum : sums)
        list.push_back(number(std::abs(sum) / double(windows)));
    return list;
}

Json undertrainedRatio(const HeadTally& tally)
{
    double slow = 0;
    double fast = 0;
    int nSlow = 0;
    int nFast = 0;
    for (std::size_t lane = 0; lane < tally.rotated.size(); ++lane) {
        if (!tally.rotated[lane])
            continue;
        (tally.undertrained[lane] ? slow : fast) += std::abs(tally.queryMean[lane]) + std::abs(tally.keyMean[lane]);
        ++(tally.undertrained[lane] ? nSlow : nFast);
    }
    return nSlow > 0 && nFast > 0 && fast > 0 ? number((slow / nSlow) / (fast / nFast)) : Json(nullptr);
}

class LengthProbe {
public:
    void add(const AttentionView& view)
    {
        for (std::size_t h = 0; h < view.heads.size(); ++h) {
            HeadTally& tally = at(view.layer, h);
            tally.ladder = view.heads[h].ladder;
            tally.undertrained = view.heads[h].undertrained;
            tally.rotated = view.heads[h].rotated;
            addWeights(tally, weightsOf(view, h), view.tokens);
            const std::size_t size = std::size_t(view.tokens) * std::size_t(view.headDim);
            addMeans(tally.queryMean, view.queries.subspan(h * size, size), view.tokens, view.headDim);
            addMeans(tally.keyMean, view.keys.subspan(h / std::size_t(view.groupSize) * size, size), view.tokens, view.headDim);
        }
    }

    // `view` over tokens 0 … n−1 said twice.
    void addInduction(const AttentionView& view, std::int64_t n)
    {
        for (std::size_t h = 0; h < view.heads.size(); ++h) {
            HeadTally& tally = at(view.layer, h);
            const auto weights = weightsOf(view, h);
            for (std::int64_t m = n; m < 2 * n; ++m)
                tally.induction += double(weights[std::size_t(m * view.tokens + m - n + 1)]);
            tally.inductionQueries += n;
        }
    }

    Json toJson(std::int64_t length, std::int64_t windows) const
    {
        Json heads = Json::array();
        Json lanes = Json::array();
        for (std::size_t layer = 0; layer < m_tallies.size(); ++layer)
            for (std::size_t h = 0; h < m_tallies[layer].size(); ++h) {
                const HeadTally& tally = m_tallies[layer][h];
                const double n = double(tally.queries);
                Json byDistance = Json::array();
                for (std::size_t k = 0; k < tally.byDistance.size(); ++k)
                    byDistance.push_back(Json{{"lo", k == 0 ? 0 : std::int64_t(1) << (k - 1)}, {"hi", std::int64_t(1) << k}, {"mass", number(tally.byDistance[k] / n)}});
                heads.push_back(Json{{"layer", layer}, {"head", h}, {"ladder", tally.ladder->name}, {"by_distance", std::move(byDistance)}, {"entropy", number(tally.entropy / n)},
                                     {"entropy_share", number(tally.entropyShare / n)}, {"first", number(tally.first / n)}, {"ends", number(tally.ends / double(tally.endQueries))},
                                     {"ends_kernel", number(kernelOfEnds(*tally.ladder, length))},
                                     {"distance", number(tally.distance / n)}, {"induction", tally.inductionQueries > 0 ? number(tally.induction / double(tally.inductionQueries)) : Json(nullptr)}});
                lanes.push_back(Json{{"layer", layer}, {"head", h}, {"query_mean", meanSizes(tally.queryMean, windows)}, {"key_mean", meanSizes(tally.keyMean, windows)},
                                     {"undertrained_ratio", undertrainedRatio(tally)}});
            }
        return Json{{"length", length}, {"windows", windows}, {"ends_even", number(evenEnds(length))}, {"heads", std::move(heads)}, {"lanes", std::move(lanes)}};
    }

private:
    static std::span<const float> weightsOf(const AttentionView& view, std::size_t head)
    {
        const std::size_t size = std::size_t(view.tokens) * std::size_t(view.tokens);
        return view.weights.subspan(head * size, size);
    }

    HeadTally& at(int layer, std::size_t head)
    {
        if (m_tallies.size() <= std::size_t(layer))
            m_tallies.resize(std::size_t(layer) + 1);
        auto& row = m_tallies[std::size_t(layer)];
        if (row.size() <= head)
            row.resize(head + 1);
        return row[head];
    }

    std::vector<std::vector<HeadTally>> m_tallies;
};

[[noreturn]] void noAttention()
{
    throw Error::at(ErrorKind::Unsupported, {.field = "protocol", .found = "probe", .allowed = "a model that shows its attention"});
}

}  // namespace

Json probe(LanguageModel& model, const data::Corpus& corpus, const Options& options)
{
    const std::vector<std::int64_t>& lengths = options.spec.lengths;
    Json list = Json::array();
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::int64_t length = lengths[i];
        if (length < 2)
            throw Error::at(ErrorKind::Usage, {.field = "eval.lengths", .found = std::to_string(length), .allowed = "2 or more"});
        const std::int64_t windows = std::min({corpus.windows(data::Split::Validation, length), std::int64_t(options.spec.trials), std::int64_t(kProbeWindows)});
        if (windows < 1)
            throw Error::at(ErrorKind::Usage, {.field = "eval.lengths", .found = std::to_string(length), .allowed = "lengths of which the validation part holds a window"});
        LengthProbe tallies;
        for (std::int64_t w = 0; w < windows; ++w) {
            if (!model.visitAttention(corpus.window(data::Split::Validation, length, w).inputs, [&](const AttentionView& view) { tallies.add(view); }))
                noAttention();
            if (const std::int64_t n = length / 2; n > 1) {
                RandomStream random(std::uint64_t(options.spec.seed), "probe-induction", {corpusKey(corpus), std::uint64_t(length), std::uint64_t(w)});
                const data::Sampler ids(model.vocabulary(), random.next64());  // no id twice as long as there are enough
                std::vector<std::int32_t> twice(std::size_t(2 * n));
                for (std::int64_t t = 0; t < n; ++t)
                    twice[std::size_t(t)] = twice[std::size_t(t + n)] = std::int32_t(ids.at(t));
                model.visitAttention(twice, [&](const AttentionView& view) { tallies.addInduction(view, n); });
            }
            report(options, (double(i) + double(w + 1) / double(windows)) / double(lengths.size()));
        }
        list.push_back(tallies.toJson(length, windows));
    }
    if (list.empty())
        throw Error::at(ErrorKind::Usage, {.field = "eval.lengths", .found = "none", .allowed = "at least one"});
    Json json = documentHead("probe", corpus, options);
    json["training_context"] = model.context();
    json["lengths"] = std::move(list);
    writeResult(json, "", options);
    return json;
}

}  // namespace holo::eval
