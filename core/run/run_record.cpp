#include "core/run/run_record.h"

#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

#include "core/config/scheme_json.h"
#include "core/run/machine.h"

namespace holo::run {

Json runRecordJson(const RunRecord& record)
{
    Json json = preparedRunJson(record.run, record.spec, record.initial);
    json["model"] = config::toJson(record.spec)["model"];
    json["model"]["vocab"] = record.model.vocab;
    json["model"]["head_dim"] = record.model.headDim;
    json["model"]["kv_heads"] = record.model.kvHeads;
    json["model"]["mlp"] = record.model.mlp;
    json["parameters"] = config::parameterCount(record.model);
    json["parameters_without_embedding"] = config::nonEmbeddingParameterCount(record.model);
    json["steps"] = config::totalSteps(record.spec);
    json["tokens_per_step"] = std::int64_t(record.spec.train.batch) * record.spec.train.accumulate * record.model.context;
    json["plan"] = config::toJson(*record.plan);
    json["precision"] = record.precision;
    json["precision_note"] = record.precisionNote;
    json["argv"] = record.argv;
    json["build"] = {{"revision", record.revision}, {"compiler", __VERSION__}};
    json["libraries"] = {{"torch", TORCH_VERSION}, {"openmp", openMpLibraries()}};
    json["device"] = {{"name", record.device}, {"processor", cpuName()}, {"host", hostName()}};
    json["threads"] = record.threads;
    json["deterministic"] = true;
    json["data"] = record.corpus->describe();
    json["data"]["hash"] = record.corpus->hash();
    json["seeds"] = {{"init", record.spec.seed}, {"order", record.spec.seed}, {"dropout", record.spec.seed}, {"data", record.spec.data.seed}, {"prompts", record.spec.eval.seed}};
    return json;
}

}  // namespace holo::run
