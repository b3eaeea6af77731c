#include "core/eval/longrope_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/ladder/length_scaling.h"

namespace holo::eval {

namespace {

constexpr std::int64_t kKeptChoices[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 256};
constexpr int kTries = 20;  // for a candidate that the population does not hold yet

[[noreturn]] void refuse(const std::string& field, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Usage, {"", field, found, allowed});
}

void checkCount(const std::string& option, int value, int least, int most)
{
    if (value < least || value > most)
        refuse(option, std::to_string(value), std::to_string(least) + " to " + std::to_string(most));
}

bool isBetter(const LongRopeCandidate& a, const LongRopeCandidate& b) { return a.nll < b.nll; }

Json toJson(const LongRopeCandidate& candidate)
{
    return {{"origin", candidate.origin}, {"divisors", numbers(candidate.divisors)}, {"kept", candidate.kept}, {"nll", number(candidate.nll)}};
}

LongRopeCandidate candidateOf(const Json& json)
{
    LongRopeCandidate candidate{json.at("origin").get<std::string>(), {}, json.at("kept").get<std::int64_t>(), toDouble(json.at("nll"), "nll")};
    for (const Json& value : json.at("divisors"))
        candidate.divisors.push_back(toDouble(value, "divisors"));
    return candidate;
}

std::vector<LongRopeCandidate> candidatesOf(const Json& list)
{
    std::vector<LongRopeCandidate> candidates;
    for (const Json& item : list)
        candidates.push_back(candidateOf(item));
    return candidates;
}

}  // namespace

class LongRopeSearch::Draw {
public:
    Draw(std::uint64_t seed, int generation, std::uint64_t index)
        : m_random(seed, "longrope-search", {std::uint64_t(generation), index})
    {
    }
    bool chance(double probability) { return m_random.uniform() < probability; }
    std::size_t below(std::size_t n) { return std::size_t(m_random.below(n)); }
    // A value of the grid in [low, high], or low where there is none between.
    double onGrid(double low, double high, double step)
    {
        const double first = std::ceil(low / step - 1e-9);
        const double last = std::floor(high / step + 1e-9);
        if (last < first)
            return low;
        return std::clamp((first + double(m_random.below(std::uint64_t(last - first) + 1))) * step, low, high);
    }

private:
    RandomStream m_random;
};

LongRopeSearch::LongRopeSearch(const LongRopeSettings& settings, const ladder::Ladder& standard)
    : m_settings(settings)
    , m_standard(standard)
    , m_largest(1.25 * settings.factor)
{
    if (standard.kind != ladder::Kind::Standard || standard.theta.size() < 2)
        refuse("CHECKPOINT", "ladder " + standard.name + " of " + std::to_string(standard.theta.size()) + " planes", "a standard ladder of 2 planes or more");
    if (!(settings.factor > 1 && settings.factor <= 4096))
        refuse("--factor", formatDouble(settings.factor), "more than 1, up to 4096");
    checkCount("--generations", settings.generations, 0, 100000);
    checkCount("--population", settings.population, 4, 100000);
    checkCount("--parents", settings.parents, 2, settings.population);
    checkCount("--mutations", settings.mutations, 0, 100000);
    checkCount("--crossovers", settings.crossovers, 0, 100000);
    if (settings.generations > 0 && settings.mutations + settings.crossovers == 0)
        refuse("--mutations, --crossovers", "0, 0", "at least one of both above 0");
    if (!(settings.probability > 0 && settings.probability <= 1))
        refuse("--probability", formatDouble(settings.probability), "more than 0, up to 1");
    if (!(settings.step > 0 && settings.step <= m_largest - 1))
        refuse("--step", formatDouble(settings.step), "more than 0, up to " + formatDouble(m_largest - 1));
    if (!(settings.attentionFactor >= 0 && settings.attentionFactor <= 100))
        refuse("--attention-factor", formatDouble(settings.attentionFactor), "more than 0, up to 100");
    for (const std::int64_t kept : kKeptChoices)
        if (kept <= standard.context)
            m_keptChoices.push_back(kept);

    const int width = 2 * int(standard.theta.size());
    const std::vector<double> yarn = ladder::yarnIndexThetas(standard.theta, settings.factor, ladder::yarnIndexRamp(32, 1, width, standard.base, standard.context, true));
    m_starts = {{"pi", {}, 0, 0}, {"ntk", {}, 0, 0}, {"yarn", {}, 0, 0}};
    for (std::size_t j = 0; j < standard.theta.size(); ++j) {
        m_starts[0].divisors.push_back(settings.factor);
        m_starts[1].divisors.push_back(std::pow(settings.factor, 2.0 * double(j) / (width - 2)));
        m_starts[2].divisors.push_back(standard.theta[j] / yarn[j]);
    }
    for (LongRopeCandidate& start : m_starts)
        for (std::size_t j = 1; j < start.divisors.size(); ++j)
            start.divisors[j] = std::max(start.divisors[j], start.divisors[j - 1]);  // rounding alone
}

LongRopeCandidate LongRopeSearch::mutated(const LongRopeCandidate& parent, Draw& draw) const
{
    LongRopeCandidate child{"mutation", parent.divisors, parent.kept, 0};
    std::vector<bool> changes(child.divisors.size());
    for (std::size_t j = 0; j < changes.size(); ++j)
        changes[j] = draw.chance(m_settings.probability);
    for (std::size_t j = 0; j < changes.size(); ++j) {
        if (!changes[j])
            continue;
        std::size_t end = j;
        while (end < changes.size() && changes[end])
            ++end;
        const double low = j > 0 ? child.divisors[j - 1] : 1;
        const double high = end < changes.size() ? child.divisors[end] : std::max(m_largest, low);
        const auto first = child.divisors.begin() + std::ptrdiff_t(j);
        const auto last = child.divisors.begin() + std::ptrdiff_t(end);
        std::generate(first, last, [&] { return draw.onGrid(low, high, m_settings.step); });
        std::sort(first, last);
        j = end;
    }
    if (draw.chance(m_settings.probability))
        child.kept = m_keptChoices[draw.below(m_keptChoices.size())];
    return child;
}

LongRopeCandidate LongRopeSearch::crossed(const LongRopeCandidate& a, const LongRopeCandidate& b, Draw& draw) const
{
    LongRopeCandidate child{"crossover", {}, draw.chance(.5) ? a.kept : b.kept, 0};
    for (std::size_t j = 0; j < a.divisors.size(); ++j) {
        const double divisor = draw.chance(.5) ? a.divisors[j] : b.divisors[j];
        child.divisors.push_back(j > 0 ? std::max(divisor, child.divisors.back()) : divisor);
    }
    return child;
}

int LongRopeSearch::nextCount() const
{
    return m_generation < 0 ? std::max(m_settings.population, int(m_starts.size())) : m_settings.mutations + m_settings.crossovers;
}

void LongRopeSearch::advance(const Fitness& fitness)
{
    const int generation = m_generation + 1;
    std::vector<LongRopeCandidate> starts = m_starts;
    std::vector<LongRopeCandidate> all;
    const auto isKnown = [&all](const LongRopeCandidate& c) {
        return std::any_of(all.begin(), all.end(), [&c](const LongRopeCandidate& other) { return other.kept == c.kept && other.divisors == c.divisors; });
    };
    const auto score = [&fitness](LongRopeCandidate& candidate) {
        const double nll = fitness(candidate);
        candidate.nll = std::isfinite(nll) ? nll : std::numeric_limits<double>::infinity();
    };
    if (generation == 0) {
        for (LongRopeCandidate& start : starts) {
            score(start);
            all.push_back(start);
        }
    } else {
        all.assign(m_population.begin(), m_population.begin() + std::min<std::ptrdiff_t>(m_settings.parents, std::ptrdiff_t(m_population.size())));
    }
    const std::size_t parents = all.size();
    const std::size_t children = generation == 0 ? std::size_t(nextCount()) - parents : std::size_t(nextCount());
    for (std::size_t i = 0; i < children; ++i) {
        Draw draw(m_settings.seed, generation, i);
        const auto child = [&] {
            if (generation == 0)
                return mutated(starts[i % starts.size()], draw);
            if (i < std::size_t(m_settings.mutations))
                return mutated(all[draw.below(parents)], draw);
            const std::size_t a = draw.below(parents);
            const std::size_t b = (a + 1 + draw.below(parents - 1)) % parents;
            return crossed(all[a], all[b], draw);
        };
        LongRopeCandidate candidate = child();
        for (int tries = 1; tries < kTries && isKnown(candidate); ++tries)
            candidate = child();
        score(candidate);
        all.push_back(std::move(candidate));
    }
    m_evaluated += std::int64_t(generation == 0 ? all.size() : children);
    std::stable_sort(all.begin(), all.end(), isBetter);
    if (all.size() > std::size_t(m_settings.population))
        all.resize(std::size_t(m_settings.population));
    m_population = std::move(all);
    m_starts = std::move(starts);
    m_generation = generation;
    m_history.push_back({generation, best().nll, m_population[m_population.size() / 2].nll, m_evaluated});
}

ladder::Scheme LongRopeSearch::scheme(const LongRopeCandidate& candidate) const
{
    ladder::Scheme scheme;
    scheme.kind = ladder::Kind::LongRope;
    scheme.parameters["base"] = m_standard.base;
    scheme.parameters["factor"] = m_settings.factor;
    scheme.parameters["original"] = double(m_standard.context);
    scheme.parameters["short"] = std::vector<double>(candidate.divisors.size(), 1.0);
    scheme.parameters["long"] = candidate.divisors;
    scheme.parameters["kept"] = double(candidate.kept);
    if (m_settings.attentionFactor > 0)
        scheme.parameters["attention_factor"] = m_settings.attentionFactor;
    return scheme;
}

Json LongRopeSearch::identity() const
{
    return {{"factor", number(m_settings.factor)}, {"population", m_settings.population}, {"parents", m_settings.parents}, {"mutations", m_settings.mutations},
            {"crossovers", m_settings.crossovers}, {"probability", number(m_settings.probability)}, {"step", number(m_settings.step)}, {"seed", m_settings.seed},
            {"attention_factor", number(m_settings.attentionFactor)}, {"base", number(m_standard.base)}, {"original", m_standard.context}, {"planes", m_standard.theta.size()}};
}

Json LongRopeSearch::toJson() const
{
    Json json{{"format", 1}, {"settings", identity()}, {"generation", m_generation}, {"evaluated", m_evaluated}};
    for (const auto& [key, list] : {std::pair("starts", &m_starts), std::pair("population", &m_population)}) {
        json[key] = Json::array();
        for (const LongRopeCandidate& candidate : *list)
            json[key].push_back(eval::toJson(candidate));
    }
    json["history"] = Json::array();
    for (const Generation& row : m_history)
        json["history"].push_back({{"generation", row.generation}, {"best", number(row.best)}, {"median", number(row.median)}, {"evaluated", row.evaluated}});
    return json;
}

void LongRopeSearch::restore(const Json& json, const std::string& source)
{
    try {
        const Json own = identity();
        for (const auto& [key, value] : own.items())
            if (json.at("settings").at(key) != value)
                throw Error::at(ErrorKind::Usage, {source, key, dumpLine(json.at("settings").at(key)), dumpLine(value) + ", as asked for now"});
        LongRopeSearch read = *this;
        read.m_generation = json.at("generation").get<int>();
        read.m_evaluated = json.at("evaluated").get<std::int64_t>();
        read.m_starts = candidatesOf(json.at("starts"));
        read.m_population = candidatesOf(json.at("population"));
        read.m_history.clear();
        for (const Json& row : json.at("history"))
            read.m_history.push_back({row.at("generation").get<int>(), toDouble(row.at("best"), "best"), toDouble(row.at("median"), "median"), row.at("evaluated").get<std::int64_t>()});
        if (read.m_generation < 0 || read.m_population.size() < 2 || read.m_starts.size() != m_starts.size())
            throw Error::at(ErrorKind::Malformed, {source, "population", std::to_string(read.m_population.size()) + " candidates", "2 or more, after a generation"});
        for (const auto* list : {&read.m_starts, &read.m_population})
            for (const LongRopeCandidate& candidate : *list)
                if (candidate.divisors.size() != m_standard.theta.size() || !std::is_sorted(candidate.divisors.begin(), candidate.divisors.end()) || !(candidate.divisors.front() > 0))
                    throw Error::at(ErrorKind::Malformed, {source, "divisors", numbers(candidate.divisors).dump(), std::to_string(m_standard.theta.size()) + " rising numbers above 0"});
        *this = std::move(read);
    } catch (const nlohmann::json::exception&) {
        throw Error::at(ErrorKind::Malformed, {source, "the state of a search", "something else", "what a search wrote"});
    }
}

}  // namespace holo::eval
