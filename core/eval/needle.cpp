#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/eval/evaluator.h"
#include "core/eval/needle_summary.h"
#include "core/eval/needle_task.h"
#include "core/eval/result_files.h"

namespace holo::eval {

namespace {

constexpr std::int64_t kTokensOfACall = 1 << 16;

// Equal entries once, in the order given.
template <class T>
std::vector<T> unique(const std::vector<T>& values)
{
    std::vector<T> result;
    for (const T& value : values)
        if (std::find(result.begin(), result.end(), value) == result.end())
            result.push_back(value);
    return result;
}

struct Cell {
    Tally tally;
    double depthReal = 0;
    double depthOff = 0;  // largest difference of real and wished depth
    std::int64_t promptTokens = 0;
    std::int64_t moved = 0;
    std::vector<std::string> rows;
    std::vector<std::string> hashes;
    std::vector<TrialOutcome> outcomes;
};

class Sweep {
public:
    Sweep(LanguageModel& model, const data::Corpus& corpus, const Options& options)
        : m_model(model)
        , m_options(options)
        , m_task(needleTask(corpus, options.spec, options.baseFolder))
        , m_candidates(m_task->candidates())
        , m_lengths(unique(options.spec.lengths))
        , m_depths(unique(options.spec.depths))
    {
        for (const double depth : m_depths)
            if (!(depth >= 0 && depth <= 1))
                throw Error::at(ErrorKind::Usage, {.field = "eval.depths", .found = formatDouble(depth), .allowed = "0 to 1"});
        if (m_lengths.empty() || m_depths.empty())
            throw Error::at(ErrorKind::Usage, {.field = m_lengths.empty() ? "eval.lengths" : "eval.depths", .found = "none", .allowed = "at least one"});
        if (std::all_of(m_lengths.begin(), m_lengths.end(), [this](std::int64_t length) { return isTooShort(length); }))
            throw Error(ErrorKind::Usage, "A needle prompt needs at least " + std::to_string(m_task->smallestLength()) + " tokens; eval.lengths asks for " + std::to_string(longest()) + ".",
                        {.field = "eval.lengths", .found = std::to_string(longest()), .allowed = std::to_string(m_task->smallestLength()) + " or more"});
    }

    Json document(const data::Corpus& corpus, std::string& trials, std::vector<TrialOutcome>& outcomes)
    {
        Json json = documentHead("needle", corpus, m_options);
        Json cells = Json::array();
        std::vector<std::string> hashes;
        double sum = 0;
        std::int64_t run = 0;
        std::int64_t notRun = 0;
        for (const std::int64_t length : m_lengths) {
            std::vector<Cell> column = isTooShort(length) ? std::vector<Cell>(m_depths.size()) : runLength(length);
            for (std::size_t d = 0; d < m_depths.size(); ++d) {
                Cell& cell = column[d];
                cells.push_back(cellJson(length, m_depths[d], cell));
                if (cell.tally.trials() == 0) {
                    ++notRun;
                    continue;
                }
                ++run;
                sum += cell.tally.exact();
                for (const std::string& row : cell.rows)
                    trials += row + "\n";
                hashes.insert(hashes.end(), cell.hashes.begin(), cell.hashes.end());
                outcomes.insert(outcomes.end(), cell.outcomes.begin(), cell.outcomes.end());
            }
        }
        json["task"] = m_task->describe();
        json["trials_file_hash"] = sha256(join(hashes, "\n"));
        json["chance"] = number(m_task->chance());
        json["rank_among"] = m_candidates.empty() ? Json("vocabulary") : Json(m_candidates.size());
        json["training_context"] = m_model.context();
        json["cells"] = std::move(cells);
        json["cells_not_run"] = notRun;
        json["by_distance"] = m_byDistance.toJson();
        json["mean"] = number(sum / double(run));
        json["redraws"] = m_redraws;
        if (m_options.controls)
            json["controls"] = controlsJson();
        return json;
    }

private:
    bool isTooShort(std::int64_t length) const { return length < m_task->smallestLength(); }
    std::int64_t longest() const { return *std::max_element(m_lengths.begin(), m_lengths.end()); }

    struct Pending {
        TrialPlace place;
        std::size_t depth;
        Haystack haystack;
        NeedlePrompt prompt;
    };

    // Trial by trial through all depths, so that prompts of one haystack stand together in a call.
    std::vector<Cell> runLength(std::int64_t length)
    {
        std::vector<Cell> column(m_depths.size());
        std::vector<Pending> pending;
        std::int64_t tokens = 0;
        const std::int64_t trials = m_options.spec.trials;
        for (std::int64_t trial = 0; trial < trials; ++trial) {
            for (std::size_t d = 0; d < m_depths.size(); ++d)
                tokens += add(pending, {length, m_depths[d], trial}, d, Haystack::Needle);
            if (m_options.controls) {
                const auto d = std::size_t(trial % std::int64_t(m_depths.size()));
                for (const Haystack haystack : {Haystack::NoNeedle, Haystack::ShuffledFiller, Haystack::OtherKey})
                    tokens += add(pending, {length, m_depths[d], trial}, d, haystack);
            }
            if (tokens >= kTokensOfACall || trial + 1 == trials) {
                score(pending, column);
                pending.clear();
                tokens = 0;
                report(m_options, (double(std::find(m_lengths.begin(), m_lengths.end(), length) - m_lengths.begin()) + double(trial + 1) / double(trials)) / double(m_lengths.size()));
            }
        }
        return column;
    }

    std::int64_t add(std::vector<Pending>& pending, const TrialPlace& place, std::size_t depth, Haystack haystack)
    {
        pending.push_back({place, depth, haystack, m_task->prompt(place, haystack)});
        return std::int64_t(pending.back().prompt.tokens.size());
    }

    void score(const std::vector<Pending>& pending, std::vector<Cell>& column)
    {
        std::vector<LanguageModel::Request> requests;
        for (const Pending& p : pending)
            requests.push_back({p.prompt.tokens, p.prompt.answerBegin, std::int64_t(p.prompt.tokens.size()), m_candidates});
        const auto scored = m_model.score(requests);
        for (std::size_t i = 0; i < pending.size(); ++i) {
            const Pending& p = pending[i];
            const AnswerScore answer = answerScore(scored[i], !m_candidates.empty());
            if (p.haystack != Haystack::Needle) {
                m_controls[std::size_t(p.haystack)].add(answer);
                continue;
            }
            if (m_options.controls && p.depth == std::size_t(p.place.trial % std::int64_t(m_depths.size())))
                m_controls[std::size_t(Haystack::Needle)].add(answer);
            Cell& cell = column[p.depth];
            cell.tally.add(answer);
            cell.depthReal += p.prompt.depthReal;
            cell.depthOff = std::max(cell.depthOff, std::abs(p.prompt.depthReal - p.place.depth));
            cell.promptTokens += p.prompt.answerBegin;
            cell.moved += p.prompt.moved;
            cell.hashes.push_back(hashOfTokens(p.prompt.tokens.data(), std::size_t(p.prompt.answerBegin)));
            cell.rows.push_back(dumpLine(trialRecord(p.place, p.prompt, cell.hashes.back(), answer, m_options.dumpPrompts)));
            cell.outcomes.push_back({p.place.length, p.place.depth, p.place.trial, p.prompt.distance(), answer.exact});
            m_byDistance.add(p.prompt.distance(), answer.exact);
            m_redraws += p.prompt.redraws;
        }
    }

    Json cellJson(std::int64_t length, double depth, const Cell& cell) const
    {
        Json json{{"length", length}, {"depth", number(depth)}};
        const double n = double(cell.tally.trials());
        json["depth_real"] = n > 0 ? number(cell.depthReal / n) : Json(nullptr);
        json["depth_off_max"] = n > 0 ? number(cell.depthOff) : Json(nullptr);
        cell.tally.write(json);
        json["outside_training"] = length > m_model.context();
        if (n > 0) {
            json["prompt_tokens"] = number(double(cell.promptTokens) / n);
            json["moved"] = cell.moved;
        } else {
            json["not_run"] = "a needle prompt needs at least " + std::to_string(m_task->smallestLength()) + " tokens";
        }
        return json;
    }

    // One prompt of each kind for every trial of a length, the depths in turn; `needle` holds the ordinary prompts of the same places.
    Json controlsJson() const
    {
        Json json;
        const char* names[] = {"needle", "no_needle", "shuffled_filler", "other_key"};
        for (std::size_t kind = 0; kind < m_controls.size(); ++kind)
            m_controls[kind].write(json[names[kind]] = Json::object());
        json["needle_gain"] = number(m_controls[std::size_t(Haystack::OtherKey)].nll() - m_controls[std::size_t(Haystack::Needle)].nll());
        return json;
    }

    LanguageModel& m_model;
    const Options& m_options;
    std::unique_ptr<NeedleTask> m_task;
    std::vector<std::int32_t> m_candidates;
    std::vector<std::int64_t> m_lengths;
    std::vector<double> m_depths;
    DistanceTally m_byDistance;
    std::array<Tally, 4> m_controls;
    std::int64_t m_redraws = 0;
};

}  // namespace

Json needle(LanguageModel& model, const data::Corpus& corpus, const Options& options)
{
    std::vector<TrialOutcome> outcomes;
    return needle(model, corpus, options, outcomes);
}

Json needle(LanguageModel& model, const data::Corpus& corpus, const Options& options, std::vector<TrialOutcome>& outcomes)
{
    std::string trials;
    Json document = Sweep(model, corpus, options).document(corpus, trials, outcomes);
    writeResult(document, trials, options);
    return document;
}

}  // namespace holo::eval
