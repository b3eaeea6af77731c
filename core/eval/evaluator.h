#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/project.h"
#include "core/data/corpus.h"

namespace holo::nn {
class Transformer;
}

namespace holo::eval {

// Next-token log-probabilities as evaluation needs them, so that protocols know no model: planted rules in tests, a Transformer in life.
struct ScoredToken {
    double logProbability = 0;
    double rank = 1;         // mid-rank among equal scores, from 1
    bool isArgmax = false;   // the single maximum
    double rankAmong = 0;    // mid-rank among Request::among, from 1; 0 where the token is not one of them
};

// Attention of one layer over one sequence, for probes.
struct AttentionView {
    struct Head {
        const ladder::Ladder* ladder = nullptr;  // of the model's plan
        std::vector<bool> undertrained;  // [headDim] lanes of planes that turn less than once in the training context
        std::vector<bool> rotated;       // [headDim]
    };
    int layer = 0;
    std::int64_t tokens = 0;
    int headDim = 0;
    std::vector<Head> heads;         // [H]
    int groupSize = 1;               // query heads that share a key head
    std::span<const float> weights;  // [H][T][T], a row a query
    std::span<const float> queries;  // [H][T][headDim], before the rotation
    std::span<const float> keys;     // [H / groupSize][T][headDim]
};

class LanguageModel {
public:
    virtual ~LanguageModel() = default;
    virtual int vocabulary() const = 0;
    virtual std::int64_t context() const = 0;  // training context N
    // For each sequence: the tokens at [begin, end) given everything before them, teacher-forced. Sequences of a call may differ in length.
    struct Request {
        std::vector<std::int32_t> tokens;
        std::int64_t begin = 0;  // at least 1
        std::int64_t end = 0;
        std::vector<std::int32_t> among = {};  // candidates for rankAmong; empty: not asked for
        bool ranks = true;                     // false: log-probabilities alone
    };
    virtual std::vector<std::vector<ScoredToken>> score(const std::vector<Request>& requests) = 0;
    // Greedy continuation of each prompt by `count` tokens, with a key/value cache where there is one.
    virtual std::vector<std::vector<std::int32_t>> generate(const std::vector<std::vector<std::int32_t>>& prompts, int count) = 0;
    // Shows the attention of every layer in turn; false if the model has none to show. The views are gone after each call.
    virtual bool visitAttention(const std::vector<std::int32_t>&, const std::function<void(const AttentionView&)>&) { return false; }
};

// The model in fp32 or bf16 compute; borrowed.
std::unique_ptr<LanguageModel> languageModel(nn::Transformer& model);

struct Options {
    config::EvalSpec spec;
    std::filesystem::path out;                         // folder for summary.json and trials.jsonl; empty: nothing is written
    std::string checkpoint;                            // for the record, relative
    Json schemeTrained;
    Json schemeRun;
    bool dumpPrompts = false;
    std::filesystem::path baseFolder;                  // of a relative template file
    bool controls = true;                              // needle: also prompts without needle, with shuffled filler, with another key
    std::string perplexityMode = "blocks";             // blocks | sliding | truncated | tail; see perplexity.h
    std::int64_t stride = 0;                           // sliding: tokens between windows; tail: tokens scored of each window; 0: an eighth of the shortest length
    std::function<bool(double done)> progress;         // false: stop (Error interrupted)
};

// Protocols; each returns the document that `eval --json` prints and writes it (and trials.jsonl) under `out` atomically, summary.json last.
// Cells that are too short for a prompt are listed with "not_run" and count nowhere ("cells_not_run" says how many). Throws Error (usage) where
// no cell can run, (interrupted) when `progress` says so.
Json needle(LanguageModel& model, const data::Corpus& corpus, const Options& options);
struct TrialOutcome {
    std::int64_t length = 0;
    double depth = 0;
    std::int64_t trial = 0;
    std::int64_t distance = 0;
    bool exact = false;
};
Json needle(LanguageModel& model, const data::Corpus& corpus, const Options& options, std::vector<TrialOutcome>& outcomes);  // in the order of trials.jsonl
Json passkey(LanguageModel& model, const data::Corpus& corpus, const Options& options);
Json perplexity(LanguageModel& model, const data::Corpus& corpus, const Options& options);
Json probe(LanguageModel& model, const data::Corpus& corpus, const Options& options);  // see probe.h
Json run(const std::string& protocol, LanguageModel& model, const data::Corpus& corpus, const Options& options);

}  // namespace holo::eval
