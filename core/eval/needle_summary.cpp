#include "core/eval/needle_summary.h"

#include <algorithm>

#include "core/stats/proportion.h"

namespace holo::eval {

namespace {

Json wilsonJson(std::int64_t k, std::int64_t n)
{
    const stats::Interval interval = stats::wilson(k, n);
    return Json::array({number(interval.lo), number(interval.hi)});
}

}  // namespace

AnswerScore answerScore(const std::vector<ScoredToken>& tokens, bool amongCandidates)
{
    AnswerScore score;
    if (tokens.empty())
        return score;
    std::int64_t right = 0;
    for (const ScoredToken& token : tokens) {
        right += token.isArgmax;
        score.nll -= token.logProbability;
        score.rank = std::max(score.rank, amongCandidates ? token.rankAmong : token.rank);
    }
    score.firstToken = tokens.front().isArgmax;
    score.exact = right == std::int64_t(tokens.size());
    score.tokenShare = double(right) / double(tokens.size());
    return score;
}

void Tally::add(const AnswerScore& score)
{
    ++m_trials;
    m_exact += score.exact;
    m_firstToken += score.firstToken;
    m_tokenShare += score.tokenShare;
    m_nll += score.nll;
    m_reciprocalRank += 1 / score.rank;
}

void Tally::write(Json& json) const
{
    json["trials"] = m_trials;
    if (m_trials == 0) {
        for (const char* key : {"exact", "first_token", "token", "nll", "rank_mrr", "wilson"})
            json[key] = nullptr;
        return;
    }
    const double n = double(m_trials);
    json["exact"] = number(exact());
    json["first_token"] = number(double(m_firstToken) / n);
    json["token"] = number(m_tokenShare / n);
    json["nll"] = number(nll());
    json["rank_mrr"] = number(m_reciprocalRank / n);
    json["wilson"] = wilsonJson(m_exact, m_trials);
}

Json DistanceTally::toJson(int bins) const
{
    std::int64_t longest = 0;
    for (const Trial& trial : m_trials)
        longest = std::max(longest, trial.distance);
    const std::int64_t width = std::max<std::int64_t>(1, (longest + bins) / bins);
    struct Bin {
        std::int64_t trials = 0;
        std::int64_t exact = 0;
        double sum = 0;
    };
    std::vector<Bin> tallies(std::size_t(longest / width) + 1);
    for (const Trial& trial : m_trials) {
        Bin& bin = tallies[std::size_t(std::max<std::int64_t>(0, trial.distance) / width)];
        ++bin.trials;
        bin.exact += trial.exact;
        bin.sum += double(trial.distance);
    }
    Json rows = Json::array();
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        const Bin& bin = tallies[i];
        if (bin.trials == 0)
            continue;
        rows.push_back(Json{{"delta", number(bin.sum / double(bin.trials))}, {"lo", std::int64_t(i) * width}, {"hi", (std::int64_t(i) + 1) * width},
                            {"trials", bin.trials}, {"exact", number(double(bin.exact) / double(bin.trials))}, {"wilson", wilsonJson(bin.exact, bin.trials)}});
    }
    return rows;
}

Json trialRecord(const TrialPlace& place, const NeedlePrompt& prompt, const std::string& hash, const AnswerScore& score, bool withIds)
{
    Json row{{"length", place.length}, {"depth", number(place.depth)}, {"depth_real", number(prompt.depthReal)}, {"trial", place.trial}, {"prompt_hash", hash},
             {"prompt_tokens", prompt.answerBegin}, {"answer_tokens", prompt.answerTokens()}, {"needle_index", prompt.needleIndex}, {"needle_tokens", prompt.needleTokens},
             {"question_index", prompt.questionIndex}, {"distance", prompt.distance()}, {"key", prompt.key}, {"exact", score.exact}, {"first_token", score.firstToken},
             {"token", number(score.tokenShare)}, {"nll", number(score.nll)}, {"log_probability", number(-score.nll)}, {"rank", number(score.rank)}, {"moved", prompt.moved}};
    if (prompt.redraws > 0)
        row["redraws"] = prompt.redraws;
    if (withIds) {
        row["prompt"] = std::vector<std::int32_t>(prompt.tokens.begin(), prompt.tokens.begin() + prompt.answerBegin);
        row["answer"] = std::vector<std::int32_t>(prompt.tokens.begin() + prompt.answerBegin, prompt.tokens.end());
    }
    return row;
}

}  // namespace holo::eval
