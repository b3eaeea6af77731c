#pragma once

#include <functional>
#include <string>

#include "app/cli/context.h"

namespace CLI {
class App;
}

namespace holo::cli {

// Every verb: one function in a file of its own (verb_NAME.cpp), one entry here.
#define HOLO_VERBS(VERB) \
    VERB(addBatchVerb) \
    VERB(addTrainVerb) \
    VERB(addEvalVerb) \
    VERB(addSwapVerb) \
    VERB(addLogitsVerb) \
    VERB(addNewVerb) \
    VERB(addLadderVerb) \
    VERB(addAnalyzeVerb) \
    VERB(addSearchVerb) \
    VERB(addTablesVerb) \
    VERB(addRotateVerb) \
    VERB(addRunsVerb) \
    VERB(addShowVerb) \
    VERB(addStatsVerb) \
    VERB(addReportVerb) \
    VERB(addDataVerb) \
    VERB(addExportVerb) \
    VERB(addImportVerb) \
    VERB(addIndexVerb) \
    VERB(addInspectVerb) \
    VERB(addSlurmVerb) \
    VERB(addSelftestVerb) \
    VERB(addBenchVerb) \
    VERB(addCompletionVerb) \
    VERB(addManVerb) \
    VERB(addVersionVerb)

#define HOLO_DECLARE_VERB(name) void name(CLI::App& app, Context& context);
HOLO_VERBS(HOLO_DECLARE_VERB)
#undef HOLO_DECLARE_VERB

void addAllVerbs(CLI::App& app, Context& context);

// A verb with the shared options and a worked example below its help. `action` runs after parsing, where errors become exit codes.
CLI::App* addVerb(CLI::App& app, Context& context, const std::string& name, const std::string& description, const std::string& example,
                  std::function<Output()> action);

}  // namespace holo::cli
