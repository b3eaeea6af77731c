#include "core/run/continuation.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/scheme_json.h"
#include "core/config/trained_scheme.h"
#include "core/run/run_directory.h"

namespace holo::run {

namespace fs = std::filesystem;

Json continuationOf(const fs::path& modelFile, const CheckpointHeader& header, const config::RunSpec& spec, const fs::path& folder)
{
    const ladder::ModelShape shape = config::modelShape(config::resolved(spec.model, header.vocab), spec.seed);
    return {{"checkpoint", fs::relative(modelFile, folder).string()}, {"run", header.run}, {"step", header.step}, {"sha256", sha256OfFile(modelFile)}, {"trained_context", shapeOf(header).context},
        {"trained_with", config::toJson(config::resolvedScheme(header.spec.scheme, shapeOf(header)))}, {"runs_with", config::toJson(config::resolvedScheme(spec.scheme, shape))}};
}

Json continuationFromRun(const std::string& from, const config::RunSpec& spec, const fs::path& folder)
{
    if (from.empty())
        return nullptr;
    const auto newest = RunDirectory(folder.parent_path() / from).newestCheckpoint();
    const fs::path modelFile = newest ? newest->folder / "model.safetensors" : fs::path();
    const auto header = newest ? readCheckpointHeader(interop::SafetensorsFile::open(modelFile)) : std::nullopt;
    if (!header || header->step < config::totalSteps(header->spec))
        throw Error(ErrorKind::Usage, folder.filename().string() + ": goes on from " + from + ", which is " + (newest ? "at step " + std::to_string(newest->step) : "not there") + "; allowed: that run finished first.",
            {folder.string(), "from", newest ? "step " + std::to_string(newest->step) : "no checkpoint", "a finished run"});
    return continuationOf(modelFile, *header, spec, folder);
}

ladder::ModelShape shapeOf(const CheckpointHeader& header) { return config::modelShape(header.model(), header.spec.seed); }

ladder::Scheme schemeFor(const CheckpointHeader& header, const std::string& text)
{
    if (text.empty())
        return header.spec.scheme;
    const ladder::ModelShape shape = shapeOf(header);
    return config::schemeForWeights(config::parseScheme(text), {header.spec.scheme, shape}, shape);
}

}  // namespace holo::run
