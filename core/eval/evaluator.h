#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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
Json passkey(LanguageModel& model, const data::Corpus& corpus, const Options& options);
Json perplexity(LanguageModel& model, const data::Corpus& corpus, const Options& options);
Json run(const std::string& protocol, LanguageModel& model, const data::Corpus& corpus, const Options& options);

}  // namespace holo::eval
