#include "core/run/evaluate_checkpoint.h"

#include <unistd.h>

#include <cstdlib>

#include <ATen/Parallel.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/ops/device.h"
#include "core/run/continuation.h"
#include "core/run/evaluation_digest.h"
#include "core/run/load_transformer.h"
#include "core/run/machine.h"
#include "core/run/run_record.h"

namespace holo::run {

namespace fs = std::filesystem;

namespace {

LoadedTransformer loaded(const CheckpointChoice& choice)
{
    const at::Device device = ops::selectDevice(choice.device);
    at::set_num_threads(threadsFor(choice.threads));
    return loadTransformer(choice.checkpoint, choice.scheme, device);
}

// Throws Error (resource) for prompts that the machine's memory cannot hold, before anything of them is made. Whoever looks at the attention
// itself holds it of one layer whole: scores, masked scores, weights and a copy, fp32.
void checkMemory(const config::ModelSpec& model, const std::vector<std::int64_t>& lengths, const std::string& field, bool looksAtAttention)
{
    const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    for (const std::int64_t length : lengths) {
        const double attention = looksAtAttention ? 16.0 * model.heads * double(length) * double(length) : 0;
        if (const double needed = double(config::promptMemoryBytes(model, length)) + attention; needed > memory)
            throw Error(ErrorKind::Resource,
                field + " is " + std::to_string(length) + "; a prompt of it needs about " + formatFixed(needed / 1e9, 1) + " GB, and the machine has " + formatFixed(memory / 1e9, 1) + ".",
                {"", field, std::to_string(length), "prompts that fit into memory"});
    }
}

// Where data is prepared for checkpoints that lie in no project.
fs::path userCache()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    return (cache && *cache ? fs::path(cache) : fs::path(home && *home ? home : ".") / ".cache") / "holonomy" / "data";
}

}  // namespace

struct CheckpointEvaluation::Impl {
    explicit Impl(const CheckpointChoice& choice)
        : transformer(loaded(choice))
        , language(eval::languageModel(transformer.model))
        , ownData(choice.data.empty())
        , ownScheme(choice.scheme.empty())
    {
        transformer.model.setComputeType(choice.precision == "bf16" ? at::kBFloat16 : at::kFloat);
        evalSpec = transformer.header.spec.eval;
        if (const auto folder = runFolderOf(fs::absolute(transformer.file).lexically_normal())) {
            runFolder = *folder;
            // How a run evaluates is no property of its weights, so it stands in the run's record alone.
            evalSpec = readStoredRun(RunDirectory(runFolder)).spec.eval;
        }
        const fs::path project = runFolder.empty() ? fs::path() : runFolder.parent_path().parent_path();
        config::DataSpec data = transformer.header.spec.data;
        if (!ownData) {
            data.source = choice.data;
            if (data.source != std::vector<std::string>{"synthetic"})
                for (std::string& source : data.source)
                    source = fs::absolute(source).lexically_normal().string();
        }
        base = project.empty() ? fs::current_path() : project;
        corpus = data::openCorpus(data, transformer.header.spec.model.context, base, project.empty() ? userCache() : project / "data");
        if (corpus->vocabulary() > transformer.header.vocab)
            throw Error(ErrorKind::Usage, transformer.file.string() + ": has " + std::to_string(transformer.header.vocab) + " token ids; the corpus has " + std::to_string(corpus->vocabulary()) + ".",
                {transformer.file.string(), "vocab", std::to_string(corpus->vocabulary()), "at most " + std::to_string(transformer.header.vocab)});
        if (corpus->hash() != transformer.header.dataHash)
            logWarning("eval", "The corpus is not the one that the model was trained on.");
    }

    LoadedTransformer transformer;
    std::unique_ptr<eval::LanguageModel> language;
    std::unique_ptr<data::Corpus> corpus;
    config::EvalSpec evalSpec;  // of the run
    fs::path runFolder;
    fs::path base;
    bool ownData;
    bool ownScheme;
};

CheckpointEvaluation::CheckpointEvaluation(const CheckpointChoice& choice)
    : m(std::make_unique<Impl>(choice))
{
}
CheckpointEvaluation::~CheckpointEvaluation() = default;
CheckpointEvaluation::CheckpointEvaluation(CheckpointEvaluation&&) noexcept = default;

const CheckpointHeader& CheckpointEvaluation::header() const { return m->transformer.header; }

eval::Options CheckpointEvaluation::options() const
{
    eval::Options options;
    options.spec = m->evalSpec;
    const fs::path file = fs::absolute(m->transformer.file).lexically_normal();
    options.checkpoint = m->runFolder.empty() ? file.filename().string() : file.parent_path().lexically_relative(m->runFolder).generic_string();
    options.schemeTrained = config::toJson(header().spec.scheme);
    options.schemeRun = config::toJson(m->transformer.schemeRun);
    options.baseFolder = m->base;
    return options;
}

fs::path CheckpointEvaluation::folderFor(const std::string& protocol, const eval::Options& options) const
{
    if (m->runFolder.empty())
        return {};
    config::RunSpec asked = header().spec;
    config::RunSpec stored = header().spec;
    asked.eval = options.spec;
    stored.eval = m->evalSpec;
    const bool own = m->ownData && m->ownScheme && config::toJson(asked) == config::toJson(stored) && options.perplexityMode == "blocks" && options.schemeRun == options.schemeTrained;
    std::string id = evaluationId(protocol, header().step);
    if (!own)
        id += "-" + sha256(dumpLine(config::toJson(asked)) + dumpLine(options.schemeRun) + options.perplexityMode + std::to_string(options.stride) + m->corpus->hash()).substr(0, 8);
    return m->runFolder / "evals" / id;
}

Json CheckpointEvaluation::evaluate(const std::string& protocol, const eval::Options& options)
{
    checkMemory(header().model(), options.spec.lengths, "eval.lengths", protocol == "probe");
    return eval::run(protocol, *m->language, *m->corpus, options);
}

Json CheckpointEvaluation::schemeJson(const std::string& scheme) const { return config::toJson(schemeFor(header(), scheme)); }

Json CheckpointEvaluation::swap(const std::string& to, const eval::SwapOptions& options)
{
    checkMemory(header().model(), options.eval.spec.lengths, "eval.lengths", false);
    const ladder::Plan target = ladder::resolve(schemeFor(header(), to), shapeOf(header()));
    eval::SwapModel model = subject();
    return eval::swap(model, target, *m->corpus, options);
}

eval::SwapModel CheckpointEvaluation::subject()
{
    return {*m->language, m->transformer.model.plan(), [this](const ladder::Plan& plan) { m->transformer.model.setPlan(plan); }};
}

const data::Corpus& CheckpointEvaluation::corpus() const { return *m->corpus; }

void CheckpointEvaluation::checkPrompt(std::int64_t length, bool looksAtAttention) const
{
    checkMemory(header().model(), {length}, "--length", looksAtAttention);
}

}  // namespace holo::run
