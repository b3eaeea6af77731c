#include "core/eval/head_analysis.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ladder/holonomy.h"
#include "core/ladder/phase_table.h"
#include "core/ladder/spectrum.h"

namespace holo::eval {

namespace {

using std::numbers::pi;

constexpr std::int64_t kMostGridPoints = 2049;

[[noreturn]] void noSoftmax()
{
    throw Error::at(ErrorKind::Unsupported, {.field = "CHECKPOINT", .found = "a model with heads whose attention is no softmax of q and k", .allowed = "a model without landmark and MöbiusAttention heads"});
}

// Lanes of plane `plane`.
std::pair<std::size_t, std::size_t> lanesOf(const ladder::ModelShape& shape, std::size_t plane)
{
    const std::size_t planes = std::size_t(shape.rotaryDim) / 2;
    return shape.pairing == ladder::Pairing::HalfSplit ? std::pair(plane, plane + planes) : std::pair(2 * plane, 2 * plane + 1);
}

// Vectors of one head, by plane, turned as the model turns them; lanes that no plane holds stay apart.
struct TurnedHead {
    std::size_t tokens = 0;
    std::vector<std::vector<std::complex<double>>> planes;  // [plane][token]
    std::vector<std::vector<double>> rest;                  // [lane][token]
};

TurnedHead turnedHead(std::span<const float> vectors, const ladder::Ladder& ladder, const ladder::ModelShape& shape, std::int64_t first, std::int64_t finalLength, ladder::Side side)
{
    TurnedHead head;
    const std::size_t width = std::size_t(shape.headDim);
    head.tokens = vectors.size() / width;
    std::vector<std::int64_t> positions(head.tokens);
    for (std::size_t t = 0; t < head.tokens; ++t)
        positions[t] = first + std::int64_t(t);
    const ladder::PhaseTable table = ladder::phaseTableAt(ladder, positions, finalLength, side);
    std::vector<bool> inPlane(width);
    for (std::size_t plane = 0; plane < std::size_t(table.planes); ++plane) {
        const auto [a, b] = lanesOf(shape, plane);
        inPlane[a] = inPlane[b] = true;
        auto& turned = head.planes.emplace_back(head.tokens);
        for (std::size_t t = 0; t < head.tokens; ++t) {
            const std::complex<double> phase(double(table.cos[t * std::size_t(table.planes) + plane]), double(table.sin[t * std::size_t(table.planes) + plane]));
            turned[t] = std::complex<double>(double(vectors[t * width + a]), double(vectors[t * width + b])) * phase;
        }
    }
    for (std::size_t lane = 0; lane < width; ++lane) {
        if (inPlane[lane])
            continue;
        auto& values = head.rest.emplace_back(head.tokens);
        for (std::size_t t = 0; t < head.tokens; ++t)
            values[t] = double(vectors[t * width + lane]);
    }
    return head;
}

std::span<const float> headOf(std::span<const float> all, const AttentionView& view, std::size_t head)
{
    const std::size_t size = std::size_t(view.tokens) * std::size_t(view.headDim);
    return all.subspan(head * size, size);
}

const ladder::Ladder& ladderOf(const ladder::Plan& plan, int layer, std::size_t head)
{
    return plan.ladders[std::size_t(plan.heads[std::size_t(layer)][head].ladder)];
}

// Windows of the validation part, one after the other.
template <class Visit>
std::int64_t forWindows(LanguageModel& model, const data::Corpus& corpus, std::int64_t length, const HeadAnalysisOptions& options, const Visit& visit)
{
    if (length < 4)
        throw Error::at(ErrorKind::Usage, {.field = "--length", .found = std::to_string(length), .allowed = "4 or more"});
    const std::int64_t windows = std::min(corpus.windows(data::Split::Validation, length), options.windows);
    if (windows < 1)
        throw Error::at(ErrorKind::Usage, {.field = "--length", .found = std::to_string(length), .allowed = "lengths of which the validation part holds a window"});
    for (std::int64_t w = 0; w < windows; ++w) {
        if (!model.visitAttention(corpus.window(data::Split::Validation, length, w).inputs, visit))
            noSoftmax();
        if (options.progress && !options.progress(double(w + 1) / double(windows)))
            throw Error(ErrorKind::Interrupted, "stopped.");
    }
    return windows;
}

template <class T>
T& entry(std::vector<std::vector<T>>& table, int layer, std::size_t head)
{
    if (table.size() <= std::size_t(layer))
        table.resize(std::size_t(layer) + 1);
    auto& row = table[std::size_t(layer)];
    if (row.size() <= head)
        row.resize(head + 1);
    return row[head];
}

struct LaneTally {
    std::vector<double> query;  // sums over tokens
    std::vector<double> key;
    std::vector<bool> undertrained;
    std::vector<bool> rotated;
};

// Sums and counts of |μ| on undertrained and on the other rotated lanes.
struct RatioTally {
    double slow = 0, fast = 0;
    int slowCount = 0, fastCount = 0;

    void add(const LaneTally& tally)
    {
        for (std::size_t lane = 0; lane < tally.rotated.size(); ++lane) {
            if (!tally.rotated[lane])
                continue;
            const double size = std::abs(tally.query[lane]) + std::abs(tally.key[lane]);
            (tally.undertrained[lane] ? slow : fast) += size;
            ++(tally.undertrained[lane] ? slowCount : fastCount);
        }
    }
    double ratio() const { return slowCount > 0 && fastCount > 0 && fast > 0 ? (slow / slowCount) / (fast / fastCount) : std::nan(""); }
};

std::vector<double> sizes(const std::vector<double>& sums, double divisor)
{
    std::vector<double> result;
    for (const double sum : sums)
        result.push_back(std::abs(sum) / divisor);
    return result;
}

void add(std::vector<double>& sums, const std::vector<double>& values)
{
    sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        sums[i] += values[i];
}

struct SpectrumTally {
    std::string ladder;
    std::vector<std::vector<double>> planes;  // [plane][Δ], sums over pairs
    std::vector<double> rest;                 // [Δ] of the lanes without a plane
};

void addScores(SpectrumTally& tally, const TurnedHead& q, const TurnedHead& k, std::size_t points)
{
    tally.planes.resize(q.planes.size(), std::vector<double>(points, 0.0));
    tally.rest.resize(points, 0.0);
    for (std::size_t delta = 0; delta < points; ++delta) {
        const double pairs = double(q.tokens - delta);
        for (std::size_t plane = 0; plane < q.planes.size(); ++plane) {
            double sum = 0;
            for (std::size_t n = 0; n + delta < q.tokens; ++n)
                sum += (q.planes[plane][n + delta] * std::conj(k.planes[plane][n])).real();
            tally.planes[plane][delta] += sum / pairs;
        }
        for (std::size_t lane = 0; lane < q.rest.size(); ++lane)
            for (std::size_t n = 0; n + delta < q.tokens; ++n)
                tally.rest[delta] += q.rest[lane][n + delta] * k.rest[lane][n] / pairs;
    }
}

double meanSquare(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value * value;
    return values.empty() ? 0 : sum / double(values.size());
}

struct HolonomyTally {
    double before = 0, after = 0, product = 0;  // Σ s(Δ)², Σ s(Δ+N)², Σ s(Δ)·s(Δ+N)
    std::vector<double> query;                  // [plane] Σ |q_j|²
    std::vector<double> key;
};

double score(const TurnedHead& q, std::size_t m, const TurnedHead& k, std::size_t n)
{
    double sum = 0;
    for (std::size_t plane = 0; plane < q.planes.size(); ++plane)
        sum += (q.planes[plane][m] * std::conj(k.planes[plane][n])).real();
    for (std::size_t lane = 0; lane < q.rest.size(); ++lane)
        sum += q.rest[lane][m] * k.rest[lane][n];
    return sum;
}

void addPower(std::vector<double>& sums, std::span<const float> vectors, const ladder::ModelShape& shape, std::size_t planes)
{
    sums.resize(planes);
    const std::size_t width = std::size_t(shape.headDim);
    for (std::size_t t = 0; t < vectors.size() / width; ++t)
        for (std::size_t plane = 0; plane < planes; ++plane) {
            const auto [a, b] = lanesOf(shape, plane);
            const double x = double(vectors[t * width + a]);
            const double y = double(vectors[t * width + b]);
            sums[plane] += x * x + y * y;
        }
}

}  // namespace

model::LaneMeanMap laneMeans(LanguageModel& model, std::int64_t tokens, std::uint64_t seed)
{
    if (tokens < 2 || tokens > (1 << 24))
        throw Error::at(ErrorKind::Usage, {.field = "--tokens", .found = std::to_string(tokens), .allowed = "2 to 16777216"});
    std::vector<std::vector<LaneTally>> tallies;
    model::LaneMeanMap map;
    map.tokens = tokens;
    std::int64_t done = 0;
    for (std::uint64_t w = 0; done < tokens; ++w) {
        RandomStream random(seed, "lane-means", {w});
        std::vector<std::int32_t> ids(std::size_t(std::min(tokens - done, model.context())));
        for (std::int32_t& id : ids)
            id = std::int32_t(random.below(std::uint64_t(model.vocabulary())));
        done += std::int64_t(ids.size());
        const bool shown = model.visitAttention(ids, [&](const AttentionView& view) {
            map.headDim = view.headDim;
            for (std::size_t h = 0; h < view.heads.size(); ++h) {
                LaneTally& tally = entry(tallies, view.layer, h);
                tally.undertrained = view.heads[h].undertrained;
                tally.rotated = view.heads[h].rotated;
                const auto addSums = [&](std::vector<double>& sums, std::span<const float> values) {
                    sums.resize(std::size_t(view.headDim));
                    for (std::size_t i = 0; i < values.size(); ++i)
                        sums[i % std::size_t(view.headDim)] += double(values[i]);
                };
                addSums(tally.query, headOf(view.queries, view, h));
                addSums(tally.key, headOf(view.keys, view, h / std::size_t(view.groupSize)));
            }
        });
        if (!shown)
            noSoftmax();
    }
    for (std::size_t layer = 0; layer < tallies.size(); ++layer) {
        LaneTally whole;
        RatioTally ratios;
        for (std::size_t h = 0; h < tallies[layer].size(); ++h) {
            const LaneTally& tally = tallies[layer][h];
            RatioTally own;
            own.add(tally);
            ratios.add(tally);
            add(whole.query, tally.query);
            add(whole.key, tally.key);
            map.heads.push_back({int(layer), int(h), sizes(tally.query, double(tokens)), sizes(tally.key, double(tokens)), own.ratio()});
        }
        const double divisor = double(tokens) * double(tallies[layer].size());
        map.layers.push_back({int(layer), -1, sizes(whole.query, divisor), sizes(whole.key, divisor), ratios.ratio()});
    }
    return map;
}

model::ScoreSpectra scoreSpectra(LanguageModel& model, const ladder::Plan& plan, const data::Corpus& corpus, const HeadAnalysisOptions& options)
{
    model::ScoreSpectra spectra;
    spectra.length = options.length > 0 ? options.length : model.context();
    const std::size_t points = std::size_t(spectra.length) / 2 + 1;
    spectra.points = std::int64_t(points);
    spectra.halfWidth = 2 * pi / double(points);
    std::vector<std::vector<SpectrumTally>> tallies;
    spectra.windows = forWindows(model, corpus, spectra.length, options, [&](const AttentionView& view) {
        for (std::size_t h = 0; h < view.heads.size(); ++h) {
            const ladder::Ladder& ladder = ladderOf(plan, view.layer, h);
            SpectrumTally& tally = entry(tallies, view.layer, h);
            tally.ladder = view.heads[h].ladder->name;
            addScores(tally, turnedHead(headOf(view.queries, view, h), ladder, plan.shape, 0, view.tokens, ladder::Side::Query),
                      turnedHead(headOf(view.keys, view, h / std::size_t(view.groupSize)), ladder, plan.shape, 0, view.tokens, ladder::Side::Key), points);
        }
    });
    std::vector<double> distances;
    for (std::size_t delta = 0; delta < points; ++delta)
        distances.push_back(double(delta));
    const int grid = int(std::min<std::int64_t>(4 * std::int64_t(points) + 1, kMostGridPoints));
    const double divisor = double(spectra.windows) * std::sqrt(double(plan.shape.headDim));
    for (std::size_t layer = 0; layer < tallies.size(); ++layer)
        for (std::size_t h = 0; h < tallies[layer].size(); ++h) {
            SpectrumTally& tally = tallies[layer][h];
            const ladder::Ladder& ladder = ladderOf(plan, int(layer), h);
            const std::vector<double> theta = ladder::thetaAtLength(ladder, spectra.length);
            model::HeadSpectrum head{int(layer), int(h), tally.ladder, std::vector<double>(points, 0.0), {}, {}, 0, {}};
            std::vector<double> own;
            for (std::size_t plane = 0; plane < tally.planes.size(); ++plane) {
                for (std::size_t i = 0; i < points; ++i)
                    head.score[i] += tally.planes[plane][i] /= divisor;
                const double angle = plane < theta.size() ? theta[plane] : 0;
                own.push_back(angle);
                const ladder::Spectrum spectrum = ladder::denseSpectrum(tally.planes[plane], distances, 0, pi, grid);
                head.planes.push_back({angle, angle * double(model.context()) / (2 * pi), meanSquare(tally.planes[plane]), std::norm(ladder::amplitude(tally.planes[plane], distances, angle)),
                                       ladder::leakage(spectrum, std::vector<double>{angle}, spectra.halfWidth)});
            }
            for (std::size_t i = 0; i < points; ++i)
                head.score[i] += tally.rest[i] / divisor;
            if (tally.planes.size() * 2 < std::size_t(plan.shape.headDim))
                own.push_back(0);  // what does not turn is at home there
            ladder::Spectrum whole = ladder::denseSpectrum(head.score, distances, 0, pi, grid);
            head.leakage = ladder::leakage(whole, own, spectra.halfWidth);
            head.omegas = std::move(whole.omegas);
            head.power = std::move(whole.power);
            spectra.heads.push_back(std::move(head));
        }
    return spectra;
}

model::HolonomyMap headHolonomy(LanguageModel& model, const ladder::Plan& plan, const data::Corpus& corpus, const HeadAnalysisOptions& options)
{
    model::HolonomyMap map;
    map.context = model.context();
    map.length = options.length > 0 ? options.length : std::min<std::int64_t>(model.context(), 256);
    if (map.length > map.context)
        throw Error::at(ErrorKind::Usage, {.field = "--length", .found = std::to_string(map.length), .allowed = "4 to " + std::to_string(map.context) + ", the training context"});
    std::vector<std::vector<HolonomyTally>> tallies;
    map.windows = forWindows(model, corpus, map.length, options, [&](const AttentionView& view) {
        for (std::size_t h = 0; h < view.heads.size(); ++h) {
            const ladder::Ladder& ladder = ladderOf(plan, view.layer, h);
            const std::int64_t context = ladder.context > 0 ? ladder.context : map.context;
            const auto queries = headOf(view.queries, view, h);
            const auto keys = headOf(view.keys, view, h / std::size_t(view.groupSize));
            const std::int64_t whole = view.tokens + context;
            const TurnedHead near = turnedHead(queries, ladder, plan.shape, 0, whole, ladder::Side::Query);
            const TurnedHead far = turnedHead(queries, ladder, plan.shape, context, whole, ladder::Side::Query);
            const TurnedHead k = turnedHead(keys, ladder, plan.shape, 0, whole, ladder::Side::Key);
            HolonomyTally& tally = entry(tallies, view.layer, h);
            for (std::size_t m = 0; m < near.tokens; ++m)
                for (std::size_t n = 0; n <= m; ++n) {
                    const double before = score(near, m, k, n);
                    const double after = score(far, m, k, n);
                    tally.before += before * before;
                    tally.after += after * after;
                    tally.product += before * after;
                }
            addPower(tally.query, queries, plan.shape, near.planes.size());
            addPower(tally.key, keys, plan.shape, near.planes.size());
        }
    });
    for (std::size_t layer = 0; layer < tallies.size(); ++layer)
        for (std::size_t h = 0; h < tallies[layer].size(); ++h) {
            const HolonomyTally& tally = tallies[layer][h];
            const ladder::Ladder& ladder = ladderOf(plan, int(layer), h);
            const ladder::Holonomy holonomy = ladder::holonomy(ladder, ladder.context > 0 ? ladder.context : map.context);
            model::HeadHolonomy head{int(layer), int(h), ladder.name, std::string(ladder::boundaryName(holonomy.boundary)), holonomy.absMean, 0, 0, 0};
            double weights = 0;
            for (std::size_t plane = 0; plane < std::min(holonomy.planes.size(), tally.query.size()); ++plane) {
                const double weight = std::sqrt(tally.query[plane] * tally.key[plane]);
                head.weighted += weight * holonomy.planes[plane];
                weights += weight;
            }
            head.weighted /= weights > 0 ? weights : 1;
            const double squares = tally.before + tally.after;
            if (squares > 0) {
                head.antiPeriodic = std::sqrt(std::max(0.0, (squares + 2 * tally.product) / squares));
                head.periodic = std::sqrt(std::max(0.0, (squares - 2 * tally.product) / squares));
            }
            map.heads.push_back(std::move(head));
        }
    return map;
}

}  // namespace holo::eval
