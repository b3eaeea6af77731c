#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/eval/evaluator.h"
#include "core/eval/needle_task.h"

namespace holo::eval {

// How one answer was predicted, teacher-forced: greedy generation gives the answer exactly if every token is the single maximum after the true
// tokens before it.
struct AnswerScore {
    bool exact = false;
    bool firstToken = false;
    double tokenShare = 0;  // of the answer's tokens that are the single maximum
    double nll = 0;         // of the whole answer, nats
    double rank = 1;        // among the candidates where there are some, else the worst of the answer's tokens in the vocabulary; mid-ranks
};
AnswerScore answerScore(const std::vector<ScoredToken>& tokens, bool amongCandidates);

// Means over the trials of a cell (or of any group).
class Tally {
public:
    void add(const AnswerScore& score);
    std::int64_t trials() const { return m_trials; }
    std::int64_t exactTrials() const { return m_exact; }
    double exact() const { return m_trials > 0 ? double(m_exact) / double(m_trials) : 0; }
    double nll() const { return m_trials > 0 ? m_nll / double(m_trials) : 0; }
    // {trials, exact, first_token, token, nll, rank_mrr, wilson}
    void write(Json& json) const;

private:
    std::int64_t m_trials = 0;
    std::int64_t m_exact = 0;
    std::int64_t m_firstToken = 0;
    double m_tokenShare = 0;
    double m_nll = 0;
    double m_reciprocalRank = 0;
};

// Trials by distance in bins of equal width: [{delta, lo, hi, trials, exact, wilson}]; delta is the mean distance of the bin's trials.
class DistanceTally {
public:
    void add(std::int64_t distance, bool exact) { m_trials.push_back({distance, exact}); }
    Json toJson(int bins = 32) const;

private:
    struct Trial {
        std::int64_t distance;
        bool exact;
    };
    std::vector<Trial> m_trials;
};

// A line of trials.jsonl.
Json trialRecord(const TrialPlace& place, const NeedlePrompt& prompt, const std::string& hash, const AnswerScore& score, bool withIds);

}  // namespace holo::eval
