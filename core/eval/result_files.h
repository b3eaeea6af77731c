#pragma once

#include <string>

#include "core/base/json.h"
#include "core/eval/evaluator.h"

namespace holo::eval {

// Head of every evaluation document: {format, protocol, checkpoint, scheme_trained, scheme_run, corpus, seed}.
Json documentHead(const std::string& protocol, const data::Corpus& corpus, const Options& options);

// Writes the files of an evaluation into options.out (nothing if that is empty): spec.json, `trials` as trials.jsonl unless it is empty, and
// summary.json last, whose presence says that the folder is complete. Throws Error (resource).
void writeResult(const Json& document, const std::string& trials, const Options& options);

// Calls options.progress; throws Error (interrupted) where it says stop.
void report(const Options& options, double done);

inline constexpr int kDocumentFormat = 1;

}  // namespace holo::eval
