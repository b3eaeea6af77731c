#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/eval/evaluator.h"
#include "core/eval/swap.h"
#include "core/run/checkpoint_header.h"

namespace holo::run {

struct CheckpointChoice {
    std::filesystem::path checkpoint;   // run folder, step-N folder or model file
    std::string scheme;                 // as SCHEME; empty: as trained
    std::vector<std::string> data;      // sources to evaluate on; empty: those of the run
    std::string device = "auto";        // auto | cpu | cuda:K
    std::string precision = "auto";     // auto counts as fp32
    int threads = 0;
};

// A trained model and its corpus, ready for protocols; nothing here shows a tensor. The checkpoint's files are never touched.
class CheckpointEvaluation {
public:
    // Throws Error: malformed, unsupported, usage (scheme, device, a corpus with ids beyond the model's vocabulary).
    explicit CheckpointEvaluation(const CheckpointChoice& choice);
    ~CheckpointEvaluation();
    CheckpointEvaluation(CheckpointEvaluation&&) noexcept;

    const CheckpointHeader& header() const;
    // Settings of the run, and what the record says of checkpoint and schemes; `out` is empty.
    eval::Options options() const;
    // PROJECT/runs/RUN/evals/PROTOCOL-step-N, with a hash behind it wherever scheme, settings or data are not the run's own; empty for a
    // checkpoint in no run folder.
    std::filesystem::path folderFor(const std::string& protocol, const eval::Options& options) const;

    Json evaluate(const std::string& protocol, const eval::Options& options);
    Json swap(const std::string& to, const eval::SwapOptions& options);  // `to` as SCHEME
    Json schemeJson(const std::string& scheme) const;

    // For analyses: model and plan in hand, and a way to exchange the plan; the model keeps what it is given last. Borrowed.
    eval::SwapModel subject();
    const data::Corpus& corpus() const;
    // Throws Error (resource) for a prompt that the machine's memory cannot hold.
    void checkPrompt(std::int64_t length, bool looksAtAttention) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

}  // namespace holo::run
