#include "core/run/hf_import.h"

#include <cstring>
#include <limits>
#include <memory>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/scheme_json.h"
#include "core/data/tokenizer.h"
#include "core/interop/gather_reader.h"
#include "core/interop/hf_spec.h"
#include "core/interop/safetensors_writer.h"
#include "core/run/folder_aside.h"
#include "core/run/run_directory.h"
#include "core/run/run_record.h"

namespace holo::run {

namespace {

constexpr const char* kTokenizerFiles[] = {"tokenizer.json", "tokenizer.model"};

std::string folderName(const fs::path& path)
{
    const fs::path absolute = fs::absolute(path).lexically_normal();
    std::error_code ec;
    const fs::path folder = fs::is_directory(absolute, ec) ? absolute : absolute.parent_path();
    return folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
}

// A tokenizer that we read, for the settings; what is wrong with one that we do not read is a note, since the weights are whole without it.
void useTokenizer(HfCheckpoint& out, const fs::path& folder)
{
    std::error_code ec;
    for (const char* name : kTokenizerFiles) {
        const fs::path file = fs::absolute(folder / name).lexically_normal();
        if (!fs::is_regular_file(file, ec))
            continue;
        try {
            const auto tokenizer = data::loadTokenizer(file.string());
            const auto notes = interop::checkVocabulary(tokenizer->vocabularySize(), out.model.config, file.string());
            out.notes.insert(out.notes.end(), notes.begin(), notes.end());
            out.header.spec.data.tokenizer = file.string();
            return;
        } catch (const Error& problem) {
            if (problem.kind() != ErrorKind::Unsupported)
                throw;
            out.notes.push_back(std::string("the tokenizer is not used: ") + problem.what());
        }
    }
}

// Feeds a writer with gathered tensors, one at a time in memory.
class GatherSource {
public:
    explicit GatherSource(const interop::HfModel& model)
        : m_plan(model.plan)
        , m_reader(model.tensors)
    {
    }

    void fill(std::size_t index, std::uint64_t offset, std::span<std::byte> chunk)
    {
        if (m_current != index) {
            std::int64_t count = 1;
            for (const std::int64_t n : m_plan[index].shape)
                count *= n;
            m_values.resize(std::size_t(count));
            m_reader.read(m_plan[index], m_values.data());
            m_current = index;
        }
        std::memcpy(chunk.data(), reinterpret_cast<const std::byte*>(m_values.data()) + offset, chunk.size());
    }

private:
    const std::vector<interop::RowGather>& m_plan;
    interop::GatherReader m_reader;
    std::size_t m_current = std::numeric_limits<std::size_t>::max();
    std::vector<float> m_values;
};

interop::WrittenFile writeModel(const fs::path& file, const HfCheckpoint& checkpoint)
{
    interop::SafetensorsWriter writer;
    writer.setMetadata("format", "pt");
    writer.setMetadata(kHeaderKey, dumpLine(checkpoint.header.toJson()));
    GatherSource source(checkpoint.model);
    for (std::size_t i = 0; i < checkpoint.model.plan.size(); ++i)
        writer.add(checkpoint.model.plan[i].target, "F32", checkpoint.model.plan[i].shape,
                   [&source, i](std::uint64_t offset, std::span<std::byte> chunk) { source.fill(i, offset, chunk); });
    return writer.write(file);
}

}  // namespace

HfCheckpoint openHfCheckpoint(const fs::path& path, interop::StoredFrequencies frequencies)
{
    HfCheckpoint out;
    out.model = interop::openHfModel(path, frequencies);
    out.notes = out.model.notes;
    const config::ModelSpec spec = interop::modelSpecOf(out.model.config, out.model.configFile.string());
    CheckpointHeader& header = out.header;
    header.run = folderName(path);
    header.vocab = spec.vocab;
    header.spec.arm = header.run;
    header.spec.model = spec;
    header.spec.seed = out.model.config.seed;
    header.spec.scheme = out.model.config.rope;
    header.spec.data.source.clear();
    header.spec.eval.protocols.clear();
    header.imported = {{"family", out.model.config.family}, {"dtype", out.model.dtype}};
    const Json config = readJsonFile(out.model.configFile, {.bytes = 16u << 20, .depth = 32});
    for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"})
        if (const auto id = config.find(key); id != config.end() && !id->is_null())
            header.imported[key] = *id;
    const ladder::Plan plan = ladder::resolve(header.spec.scheme, config::modelShape(spec, header.spec.seed));
    for (const ladder::Ladder& ladder : plan.ladders)
        header.ladders.push_back({ladder.name, ladder.parameters, ladder.hash});
    useTokenizer(out, out.model.configFile.parent_path());
    return out;
}

Json importHf(const fs::path& source, const fs::path& destination, interop::StoredFrequencies frequencies, bool dryRun)
{
    HfCheckpoint checkpoint = openHfCheckpoint(source, frequencies);
    const config::ModelSpec model = checkpoint.header.model();
    Json record = preparedRunJson(checkpoint.header.run, checkpoint.header.spec, Json());
    Json document = {{"format", 1}, {"destination", destination.string()}, {"checkpoint", (destination / "checkpoints" / "step-0").string()}, {"family", checkpoint.model.config.family},
                     {"scheme", config::toJson(checkpoint.header.spec.scheme)}, {"model", record["spec"]["model"]}, {"parameters", config::parameterCount(model)},
                     {"tensors", {{"used", checkpoint.model.report.used}, {"total", checkpoint.model.report.total}}}, {"dtype", checkpoint.model.dtype.empty() ? Json() : Json(checkpoint.model.dtype)},
                     {"dry_run", dryRun}, {"notes", checkpoint.notes}};
    if (dryRun) {
        requireFree(destination);
        return document;
    }
    FolderAside aside(destination);
    const fs::path folder = aside.folder();
    const fs::path step = folder / "checkpoints" / "step-0";
    fs::create_directories(step);
    if (const fs::path tokenizer = checkpoint.header.spec.data.tokenizer; tokenizer.is_absolute()) {
        writeFileAtomic(folder / tokenizer.filename(), readFile(tokenizer, 256u << 20));
        checkpoint.header.spec.data.tokenizer = tokenizer.filename().string();
    }
    const interop::WrittenFile written = writeModel(step / "model.safetensors", checkpoint);
    writeFileAtomic(step / "manifest.json", dumpPretty({{"format", 1}, {"step", 0}, {"files", {{"model.safetensors", {{"bytes", written.bytes}, {"sha256", written.sha256}}}}}}));

    record = preparedRunJson(checkpoint.header.run, checkpoint.header.spec, Json());  // the tokenizer's file has moved
    record["parameters"] = config::parameterCount(model);
    record["plan"] = config::toJson(ladder::resolve(checkpoint.header.spec.scheme, config::modelShape(model, checkpoint.header.spec.seed)));
    record["imported"] = checkpoint.header.imported;
    record["imported"]["from"] = checkpoint.header.run;
    record["imported"]["notes"] = checkpoint.notes;
    writeFileAtomic(folder / "run.json", dumpPretty(record));
    RunDirectory(folder).writeExit({0, std::string(className(0)), "imported, not trained here", 0, 0});
    aside.finish();

    document["sha256"] = written.sha256;
    return document;
}

void locateTokenizer(CheckpointHeader& header, const fs::path& modelFile)
{
    const auto run = runFolderOf(modelFile);
    const fs::path name = header.spec.data.tokenizer;
    std::error_code ec;
    if (run && name.has_filename() && !name.has_parent_path() && fs::is_regular_file(*run / name, ec))
        header.spec.data.tokenizer = (*run / name).string();
}

}  // namespace holo::run
