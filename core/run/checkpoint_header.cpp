#include "core/run/checkpoint_header.h"

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/run/run_directory.h"

namespace holo::run {

namespace fs = std::filesystem;

namespace {

constexpr int kHeaderFormat = 1;

}  // namespace

Json CheckpointHeader::toJson() const
{
    Json notes = Json::array();
    for (const LadderNote& ladder : ladders)
        notes.push_back({{"name", ladder.name}, {"parameters", ladder.parameters}, {"hash", ladder.hash}});
    Json json = {{"format", kHeaderFormat}, {"run", run}, {"step", step}, {"tokens", tokens}, {"vocab", vocab}, {"data_hash", dataHash}, {"ladders", notes},
        {"spec", config::toJson(spec)}};
    if (!initial.is_null())
        json["initial"] = initial;
    if (!imported.is_null())
        json["imported"] = imported;
    return json;
}

std::optional<CheckpointHeader> readCheckpointHeader(const interop::SafetensorsFile& file)
{
    const std::string* text = file.metadataValue(kHeaderKey);
    if (!text)
        return std::nullopt;
    const std::string source = file.path().string() + " (metadata " + kHeaderKey + ")";
    const Json json = parseJson(*text, source);
    try {
        CheckpointHeader header;
        if (const auto format = json.at("format").get<int>(); format != kHeaderFormat)
            throw Error::at(ErrorKind::Unsupported, {source, "format", std::to_string(format), std::to_string(kHeaderFormat)});
        header.run = json.at("run").get<std::string>();
        header.step = json.at("step").get<std::int64_t>();
        header.tokens = json.at("tokens").get<std::int64_t>();
        header.vocab = json.at("vocab").get<int>();
        header.dataHash = json.at("data_hash").get<std::string>();
        for (const Json& ladder : json.at("ladders"))
            header.ladders.push_back({ladder.at("name").get<std::string>(), ladder.at("parameters").get<std::string>(), ladder.at("hash").get<std::string>()});
        header.spec = config::runSpecFromJson(json.at("spec"), source);
        if (json.contains("initial"))
            header.initial = json.at("initial");
        if (json.contains("imported"))
            header.imported = json.at("imported");
        return header;
    } catch (const Json::exception& problem) {
        throw Error(ErrorKind::Malformed, source + ": is not a checkpoint header (" + problem.what() + ").", {source, "", "", ""});
    }
}

std::optional<fs::path> modelFileOf(const fs::path& checkpoint)
{
    std::error_code ec;
    if (fs::is_regular_file(checkpoint, ec))
        return checkpoint;
    if (fs::is_regular_file(checkpoint / "model.safetensors", ec) && fs::is_regular_file(checkpoint / "manifest.json", ec))
        return checkpoint / "model.safetensors";
    const RunDirectory run(checkpoint);
    if (!fs::is_directory(run.checkpointsFolder(), ec) && !fs::is_regular_file(run.runFile(), ec))
        return std::nullopt;
    std::vector<std::string> skipped;
    const auto newest = run.newestCheckpoint(false, &skipped);
    if (!newest) {
        std::string why = skipped.empty() ? "there is none yet" : skipped.front();
        throw Error(ErrorKind::Malformed, checkpoint.string() + ": has no complete checkpoint (" + why + ").", {checkpoint.string(), "checkpoints", why, "a complete step-N folder"});
    }
    for (const std::string& note : skipped)
        logWarning("run", checkpoint.string() + ": " + note + " and passed over.");
    return newest->folder / "model.safetensors";
}

std::optional<fs::path> runFolderOf(const fs::path& modelFile)
{
    const fs::path checkpoints = fs::absolute(modelFile).lexically_normal().parent_path().parent_path();
    std::error_code ec;
    if (checkpoints.filename() == "checkpoints" && fs::is_regular_file(checkpoints.parent_path() / "run.json", ec))
        return checkpoints.parent_path();
    return std::nullopt;
}

}  // namespace holo::run
