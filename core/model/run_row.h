#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/run_events.h"

namespace holo::model {

// One run as a row of the table. Values that are not known yet are missing (NaN).
struct RunRow {
    std::string id;     // folder name below runs/
    std::string arm;
    std::int64_t seed = 0;
    std::string state;  // run::stateName
    int attempts = 0;
    std::int64_t step = 0;
    std::int64_t totalSteps = 0;  // 0: not known
    std::int64_t tokens = 0;
    double loss = kMissing;
    double valLoss = kMissing;
    double needle = kMissing;     // mean of the newest own needle evaluation
    double worst = kMissing;      // its least cell
    double perplexity = kMissing; // newest, at the longest length
    double tokensPerSecond = kMissing;
    double activeSeconds = kMissing;
    std::int64_t context = 0;
    int checkpoints = 0;          // complete ones
    int evals = 0;
    std::string scheme;           // short form where there is one
    std::string message;          // of exit.json, or what is wrong with the folder
};

// One evaluation of a run.
struct EvalRow {
    std::string run;
    std::string id;        // folder name below evals/
    std::string protocol;  // needle, passkey, perplexity, probe
    std::int64_t step = -1;
    double mean = kMissing;
    bool swapped = false;  // run under another scheme than it was trained with
    std::string scheme;    // the one it ran with
    std::string trialsHash = {};  // SHA-256 of its prompts; empty where the protocol has none
};

// One prompt of trials.jsonl.
struct TrialRow {
    std::int64_t length = 0;
    double depth = 0;
    double depthReal = 0;
    int trial = 0;
    std::string promptHash;
    std::int64_t promptTokens = 0;
    std::int64_t needleIndex = 0;
    std::int64_t distance = 0;
    std::string key;
    bool exact = false;
    double nll = kMissing;
    double rank = kMissing;
    std::vector<std::int64_t> prompt;  // only where the evaluation dumped prompts
};
std::vector<TrialRow> readTrials(const std::string& file);  // broken lines are left out

}  // namespace holo::model
