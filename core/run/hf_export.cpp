#include "core/run/hf_export.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/scheme_json.h"
#include "core/interop/dtype.h"
#include "core/interop/gather_reader.h"
#include "core/interop/hf_custom.h"
#include "core/interop/hf_spec.h"
#include "core/interop/hf_weights.h"
#include "core/interop/safetensors_writer.h"
#include "core/run/checkpoint_damage.h"
#include "core/run/continuation.h"
#include "core/run/checkpoint_header.h"
#include "core/run/folder_aside.h"
#include "core/run/hf_import.h"

namespace holo::run {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSchemePrefix = "scheme.";

// What is exported: our checkpoint on the scheme that it shall run with.
struct Source {
    fs::path file;
    CheckpointHeader header;
    config::ModelSpec model;
    ladder::Scheme scheme;
    ladder::Plan plan;
    interop::TensorSet tensors;
    bool swapped = false;
    std::string dtype;
    std::vector<std::string> notes;
};

std::string typeFor(const ExportOptions& options, const CheckpointHeader& header)
{
    static const std::set<std::string> kTypes = {"F32", "F16", "BF16"};
    if (!options.dtype.empty()) {
        if (!kTypes.contains(options.dtype))
            throw Error::at(ErrorKind::Usage, {"", "--dtype", options.dtype, "F32, F16, BF16"});
        return options.dtype;
    }
    const std::string imported = header.imported.is_object() && header.step == 0 ? header.imported.value("dtype", "") : "";
    return kTypes.contains(imported) ? imported : "F32";
}

Source openSource(const fs::path& checkpoint, const ExportOptions& options)
{
    std::error_code ec;
    if (!fs::exists(checkpoint, ec))
        throw Error::at(ErrorKind::Malformed, {checkpoint.string(), "CHECKPOINT", "missing", "a run folder, a step-N folder or a model file"});
    const auto file = modelFileOf(checkpoint);
    if (!file)
        throw Error::at(ErrorKind::Unsupported, {checkpoint.string(), "CHECKPOINT", "no checkpoint of ours", "a run folder, a step-N folder or a model file; other models after import"});
    Source source;
    source.file = *file;
    source.tensors = interop::TensorSet::open(*file);
    refuseDamaged(*file);
    const auto header = readCheckpointHeader(source.tensors.files().front());
    if (!header)
        throw Error::at(ErrorKind::Unsupported, {file->string(), "__metadata__", std::string("without ") + kHeaderKey, "a checkpoint of ours; other models after import"});
    source.header = *header;
    locateTokenizer(source.header, source.file);
    source.model = header->model();
    source.scheme = schemeFor(*header, options.scheme);
    const ladder::ModelShape shape = config::modelShape(source.model, header->spec.seed);
    source.plan = ladder::resolve(source.scheme, shape);
    source.swapped = config::toJson(config::resolvedScheme(source.scheme, shape)) != config::toJson(config::resolvedScheme(header->spec.scheme, shape));
    source.dtype = typeFor(options, *header);
    if (source.swapped)
        source.notes.push_back("trained with " + config::shortForm(header->spec.scheme) + ", exported to run with " + config::shortForm(source.scheme));
    return source;
}

// Every weight of ours as it is.
std::vector<interop::RowGather> ownPlan(const Source& source)
{
    std::vector<interop::RowGather> plan;
    for (const interop::TensorSet::Entry& entry : source.tensors.entries())
        if (!entry.info->name.starts_with(kSchemePrefix))
            plan.push_back({entry.info->name, entry.info->shape, {{entry.info->name, entry.info->shape, {}}}});
    return plan;
}

// Gathers one tensor at a time and hands it out in the wanted type.
class GatheredBytes {
public:
    GatheredBytes(const std::vector<interop::RowGather>& plan, const interop::TensorSet& tensors, const std::string& dtype)
        : m_plan(plan)
        , m_reader(tensors)
        , m_dtype(dtype)
    {
    }

    void fill(std::size_t index, std::uint64_t offset, std::span<std::byte> chunk)
    {
        if (m_current != index)
            load(index);
        std::memcpy(chunk.data(), m_bytes.data() + offset, chunk.size());
    }

private:
    void load(std::size_t index)
    {
        std::int64_t count = 1;
        for (const std::int64_t n : m_plan[index].shape)
            count *= n;
        std::vector<float> values(static_cast<std::size_t>(count));
        m_reader.read(m_plan[index], values.data());
        if (m_dtype == "F32") {
            m_bytes.resize(values.size() * sizeof(float));
            std::memcpy(m_bytes.data(), values.data(), m_bytes.size());
        } else {
            m_bytes.resize(values.size() * sizeof(std::uint16_t));
            for (std::size_t i = 0; i < values.size(); ++i) {
                const std::uint16_t narrow = m_dtype == "F16" ? interop::floatToHalf(values[i]) : interop::floatToBfloat16(values[i]);
                if (m_dtype == "F16" && !std::isfinite(interop::halfToFloat(narrow)))
                    throw Error::at(ErrorKind::Usage, {"", "--dtype", "F16, while tensor \"" + m_plan[index].target + "\" holds " + formatDouble(double(values[i])), "F32 or BF16; F16 ends at 65504"});
                std::memcpy(m_bytes.data() + i * sizeof narrow, &narrow, sizeof narrow);
            }
        }
        m_current = index;
    }

    const std::vector<interop::RowGather>& m_plan;
    interop::GatherReader m_reader;
    std::string m_dtype;
    std::size_t m_current = std::numeric_limits<std::size_t>::max();
    std::vector<std::byte> m_bytes;
};

interop::WrittenFile writeTensors(interop::SafetensorsWriter& writer, const fs::path& file, std::vector<interop::RowGather> plan, const Source& source)
{
    std::sort(plan.begin(), plan.end(), [](const interop::RowGather& a, const interop::RowGather& b) { return a.target < b.target; });
    GatheredBytes bytes(plan, source.tensors, source.dtype);
    for (std::size_t i = 0; i < plan.size(); ++i)
        writer.add(plan[i].target, source.dtype, plan[i].shape, [&bytes, i](std::uint64_t offset, std::span<std::byte> chunk) { bytes.fill(i, offset, chunk); });
    return writer.write(file);
}

// The coefficients of the scheme's series, in double whatever the weights are.
void addSeries(interop::SafetensorsWriter& writer, const Source& source)
{
    for (const interop::TensorSet::Entry& entry : source.tensors.entries())
        if (entry.info->name.starts_with(kSchemePrefix))
            writer.add(entry.info->name, entry.info->dtype, entry.info->shape,
                       [entry](std::uint64_t offset, std::span<std::byte> chunk) { entry.file->read(*entry.info, offset, chunk.size(), chunk.data()); });
}

// What is known of the weights, as strings: a file then carries its ladder when everything around it is lost.
void addFacts(interop::SafetensorsWriter& writer, const Source& source, const ExportOptions& options)
{
    const Json plan = config::toJson(source.plan);
    Json ladders = Json::array();
    for (const ladder::Ladder& ladder : source.plan.ladders)
        ladders.push_back({{"name", ladder.name}, {"theta", ladder.theta}, {"hash", ladder.hash}});
    writer.setMetadata("trained_with", dumpLine(config::toJson(source.header.spec.scheme)));
    writer.setMetadata("runs_with", dumpLine(config::toJson(source.scheme)));
    writer.setMetadata("ladders", dumpLine(ladders));
    writer.setMetadata("heads", dumpLine(plan.at("plan")));
    writer.setMetadata("context", std::to_string(source.model.context));
    writer.setMetadata("seed", std::to_string(source.header.spec.seed));
    writer.setMetadata("step", std::to_string(source.header.step));
    writer.setMetadata("run", source.header.run);
    if (!options.build.empty())
        writer.setMetadata("build", options.build);
}

const char* torchName(const std::string& dtype) { return dtype == "F16" ? "float16" : dtype == "BF16" ? "bfloat16" : "float32"; }

std::string readme(const Source& source, const std::string& reason)
{
    return "# " + source.header.run + "\n\nA checkpoint of Holonomy (step " + std::to_string(source.header.step) + ") for transformers. It needs the modelling file in this folder, because no stock\n"
           "architecture holds it: " + reason + "\n\n```python\nfrom transformers import AutoModelForCausalLM\nmodel = AutoModelForCausalLM.from_pretrained(\"this folder\", trust_remote_code=True)\n```\n\n"
           "Positional scheme: `" + config::shortForm(source.scheme) + "`" + (source.swapped ? " (trained with `" + config::shortForm(source.header.spec.scheme) + "`)" : std::string()) + ".\n"
           "`positions` in config.json lists its ladders in radians per token, and which of them each head uses. Generation keeps a cache of keys and values.\n";
}

// The folder's config, from a stock family where there is one.
struct Target {
    Json config;
    std::vector<interop::RowGather> plan;
    std::string family;
    std::string reason;  // why the modelling file is needed; empty: it is not
};

Target targetOf(const Source& source, bool customCode)
{
    Target target;
    try {
        if (customCode)
            throw Error(ErrorKind::Unsupported, "it was asked for, since it keeps angles in float64.");
        const interop::HfConfig config = interop::hfConfigOf(source.model, source.plan);
        target.config = interop::hfConfigJson(config, source.model, source.plan);
        target.plan = interop::exportPlan(config, source.plan.shape.pairing);
        target.family = config.family;
        return target;
    } catch (const Error& problem) {
        if (problem.kind() != ErrorKind::Unsupported)
            throw;
        target.reason = problem.what();
    }
    target.config = interop::customConfigJson(source.model, source.plan);
    target.plan = ownPlan(source);
    target.family = "holonomy";
    return target;
}

// The stock classes multiply positions by frequencies in float32, so that fast planes lose digits far from the start.
std::string angleNote(const ladder::Ladder& ladder, std::int64_t context)
{
    const double fastest = ladder.theta.empty() ? 0 : *std::max_element(ladder.theta.begin(), ladder.theta.end());
    const double turned = fastest * double(context - 1);
    const double off = turned * 0x1p-23;  // half a unit of the frequency and half a unit of the product
    if (off < 1e-6)
        return {};
    return "transformers computes angles in float32: the fastest plane turns by " + formatDouble(std::round(turned)) + " rad up to position " + std::to_string(context - 1) + ", off by up to "
           + formatDouble(std::round(off * 1e7) / 1e7) + " rad; --custom-code keeps them in float64";
}

}  // namespace

Json exportHf(const fs::path& checkpoint, const fs::path& destination, const ExportOptions& options)
{
    const Source source = openSource(checkpoint, options);
    Target target = targetOf(source, options.customCode);
    for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"})
        if (source.header.imported.is_object() && source.header.imported.contains(key))
            target.config[key] = source.header.imported[key];
    target.config["torch_dtype"] = torchName(source.dtype);
    target.config["holonomy"] = {{"scheme", config::toJson(config::resolvedScheme(source.scheme, source.plan.shape))}, {"trained_with", config::toJson(source.header.spec.scheme)},
                                 {"run", source.header.run}, {"step", source.header.step}, {"seed", source.header.spec.seed}};

    Json files = {"config.json", "model.safetensors"};
    Json notes = source.notes;
    if (!target.reason.empty()) {
        files.push_back(interop::kModellingFile);
        files.push_back("README.md");
        notes.push_back("needs trust_remote_code: " + target.reason);
    }
    const fs::path tokenizer = source.header.spec.data.tokenizer;
    if (tokenizer.is_absolute())
        files.push_back(tokenizer.filename().string());
    if (target.config.contains("rope_parameters")) {
        const ladder::Ladder& ladder = source.plan.ladders[std::size_t(source.plan.heads.front().front().ladder)];
        if (target.config["rope_parameters"]["rope_type"] == "longrope" && ladder.kind != ladder::Kind::LongRope)
            notes.push_back("the ladder " + ladder.name + " is written as longrope divisors, which give its frequencies exactly");
        if (const std::string note = angleNote(ladder, source.model.context); !note.empty())
            notes.push_back(note);
    }
    Json document = {{"format", 1}, {"destination", destination.string()}, {"family", target.family}, {"scheme", config::toJson(source.scheme)},
                     {"trained_with", config::toJson(source.header.spec.scheme)}, {"custom_code", !target.reason.empty()}, {"files", files}, {"dtype", source.dtype}, {"dry_run", options.dryRun}, {"notes", notes}};
    if (options.dryRun) {
        requireFree(destination);
        return document;
    }

    FolderAside aside(destination);
    interop::SafetensorsWriter writer;
    writer.setMetadata("format", "pt");
    // A model that only passed through goes out as it came in, byte for byte.
    const bool untouched = source.header.imported.is_object() && source.header.step == 0 && !source.swapped;
    if (!untouched)
        addFacts(writer, source, options);
    const interop::WrittenFile written = writeTensors(writer, aside.folder() / "model.safetensors", target.plan, source);
    writeFileAtomic(aside.folder() / "config.json", dumpPretty(target.config));
    if (!target.reason.empty()) {
        writeFileAtomic(aside.folder() / interop::kModellingFile, interop::modellingSource());
        writeFileAtomic(aside.folder() / "README.md", readme(source, target.reason));
    }
    if (tokenizer.is_absolute())
        writeFileAtomic(aside.folder() / tokenizer.filename(), readFile(tokenizer, 256u << 20));
    aside.finish();
    document["sha256"] = written.sha256;
    return document;
}

Json exportSafetensors(const fs::path& checkpoint, const fs::path& destination, const ExportOptions& options)
{
    Source source = openSource(checkpoint, options);
    std::error_code ec;
    const fs::path file = destination.extension() == ".safetensors" ? destination : destination / "model.safetensors";
    if (fs::exists(file, ec))
        throw Error::at(ErrorKind::Usage, {file.string(), "DEST", "there already", "a new file"});
    if (source.dtype != "F32" && options.dtype.empty())
        source.dtype = "F32";
    if (source.dtype != "F32")
        source.notes.push_back("the weights are rounded to " + source.dtype + "; loading widens them to F32 again");
    interop::SafetensorsWriter writer;
    writer.setMetadata("format", "pt");
    writer.setMetadata(kHeaderKey, dumpLine(source.header.toJson()));
    addFacts(writer, source, options);
    const std::vector<interop::RowGather> plan = ownPlan(source);
    addSeries(writer, source);
    Json document = {{"format", 1}, {"destination", file.string()}, {"tensors", writer.tensors() + plan.size()}, {"dtype", source.dtype}, {"dry_run", options.dryRun}, {"notes", source.notes}};
    if (options.dryRun)
        return document;
    if (!file.parent_path().empty())
        fs::create_directories(file.parent_path(), ec);
    const interop::WrittenFile written = writeTensors(writer, file, plan, source);
    document["bytes"] = written.bytes;
    document["sha256"] = written.sha256;
    return document;
}

}  // namespace holo::run
