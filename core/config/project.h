#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/config/specs.h"
#include "core/ladder/plan.h"
#include "core/ladder/scheme.h"

namespace holo::config {

inline constexpr int kProjectFormat = 1;

// One line of the comparison: a name, a positional scheme, and overrides of the shared spec by field path ("train.lr": 1e-3).
struct Arm {
    std::string name;
    ladder::Scheme scheme;
    std::vector<std::pair<std::string, Json>> overrides;
};

struct Project {
    std::string name;
    std::string notes;
    ModelSpec model;
    DataSpec data;
    TrainSpec train;
    EvalSpec eval;
    std::vector<Arm> arms;
    std::vector<std::int64_t> seeds;
};

// One run, fully resolved: what run.json holds under "spec".
struct RunSpec {
    std::string project;
    std::string arm;
    std::int64_t seed = 0;
    ladder::Scheme scheme;
    ModelSpec model;
    DataSpec data;
    TrainSpec train;
    EvalSpec eval;
};

// Path and value of --param PATH=VALUE; the value is JSON, any other text is a string.
using Parameter = std::pair<std::string, Json>;
Parameter parseParameter(const std::string& text);  // throws Error (usage)

// PROJECT is a folder or its project.json. Throws Error: malformed if it is missing or not JSON, usage for unknown keys
// (with the nearest known one), wrong types and values out of range, always with the field path.
std::filesystem::path projectFile(const std::filesystem::path& project);
Project readProject(const std::filesystem::path& project, const std::vector<Parameter>& parameters = {});
Project projectFromJson(const Json& json, const std::string& source);
Project withParameters(const Project& project, const std::vector<Parameter>& parameters);  // the same rules as readProject
Json toJson(const Project& project);                 // every field written out
void writeProject(const std::filesystem::path& file, const Project& project);  // atomic

// Problems a form can show, all of them; readProject throws the first.
std::vector<Problem> validate(const Project& project);

// Arms × seeds in order: arm by arm, seeds rising within. The index of --batch --index K.
std::vector<RunSpec> expand(const Project& project);
// Folder name: sanitised arm, seed, and a short hash of what decides the weights (arm, scheme, model, data, training, eval.every), so that
// other evaluation settings or another number of kept checkpoints find the same run again.
std::string runId(const RunSpec& spec);

Json toJson(const RunSpec& spec);
RunSpec runSpecFromJson(const Json& json, const std::string& source);

// Derived sizes. headDim, kvHeads and mlp of 0 are filled in; vocab must be known (> 0).
ModelSpec resolved(const ModelSpec& model, int vocab);
ladder::ModelShape modelShape(const ModelSpec& model, std::int64_t seed);
std::int64_t parameterCount(const ModelSpec& model);            // exact, of a resolved model
std::int64_t nonEmbeddingParameterCount(const ModelSpec& model);
std::int64_t totalSteps(const RunSpec& spec);                    // from steps or the token budget
double flopsPerToken(const ModelSpec& model);                    // forward + backward, causal attention counted half
std::int64_t checkpointBytes(const ModelSpec& model);            // weights and two moments, fp32
std::int64_t peakMemoryBytes(const RunSpec& spec);               // estimate
std::int64_t promptMemoryBytes(const ModelSpec& model, std::int64_t tokens);  // of running one prompt, fp32, beside the weights; estimate

// The schedule as a pure function: learning rate of step s (from 1).
double learningRate(const TrainSpec& train, std::int64_t totalSteps, std::int64_t step);

// Templates of `holonomy new`: names, and the project each makes.
std::vector<std::string> templateNames();
Project projectTemplate(const std::string& name);    // throws Error (usage) with the nearest name

}  // namespace holo::config
