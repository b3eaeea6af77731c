#include "core/interop/inspect.h"

#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/interop/hf_config.h"
#include "core/interop/hf_weights.h"
#include "core/interop/json_fields.h"
#include "core/interop/stored_frequencies.h"
#include "core/interop/tensor_values.h"

namespace holo::interop {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOwnHeader = "holonomy";
constexpr std::size_t kLongestValue = 4096;

const char* pairingName(ladder::Pairing pairing) { return pairing == ladder::Pairing::HalfSplit ? "half" : "interleaved"; }

Json describe(const ladder::Ladder& ladder)
{
    Json theta = Json::array();
    for (const double value : ladder.theta)
        theta.push_back(number(value));
    return {{"kind", ladder.name}, {"context", ladder.context}, {"base", number(ladder.base)}, {"theta", theta}, {"table_scale", number(ladder.tableScale)},
            {"parameters", ladder.parameters}, {"hash", ladder.hash}};
}

Json describe(const HfConfig& c)
{
    return {{"style", c.style}, {"layers", c.layers}, {"hidden", c.hidden}, {"heads", c.heads}, {"kv_heads", c.kvHeads}, {"head_dim", c.headDim}, {"mlp", c.mlp}, {"vocab", c.vocab},
            {"context", c.context}, {"rotary_pct", number(c.rotaryPct)}, {"rotary_dim", c.rotaryDim}, {"norm", c.norm}, {"norm_eps", number(c.normEps)}, {"activation", c.activation},
            {"parallel_residual", c.parallelResidual}, {"qkv_bias", c.qkvBias}, {"output_bias", c.outputBias}, {"mlp_bias", c.mlpBias}, {"tied", c.tied}, {"window", c.window},
            {"unsupported", c.unsupported}};
}

class Inspector {
public:
    explicit Inspector(const fs::path& path)
        : m_path(path)
        , m_tensors(TensorSet::open(path))
    {
        m_out = {{"format", 1}, {"path", path.string()}, {"family", nullptr}, {"config", nullptr}, {"pairing", nullptr}, {"scheme", nullptr}, {"ladder", nullptr},
                 {"trained_with", nullptr}, {"runs_with", nullptr}, {"conflicts", Json::array()}};
    }

    Json run(bool listTensors)
    {
        const fs::path config = configFile();
        if (const std::string* header = metadata(kOwnHeader))
            readOwnHeader(*header);
        else if (!config.empty())
            readConfig(config);
        readMetadata();
        listWeights(listTensors);
        m_out["notes"] = m_notes;
        for (const std::string& note : m_tensors.notes())
            m_out["notes"].push_back(note);
        return std::move(m_out);
    }

private:
    fs::path configFile() const
    {
        std::error_code ec;
        const fs::path folder = fs::is_directory(m_path, ec) ? m_path : m_path.parent_path();
        return fs::exists(folder / "config.json", ec) ? folder / "config.json" : fs::path();
    }

    const std::string* metadata(std::string_view key) const
    {
        for (const SafetensorsFile& file : m_tensors.files())
            if (const std::string* value = file.metadataValue(key))
                return value;
        return nullptr;
    }

    void conflict(const std::string& fields, const std::string& found, const std::string& message)
    {
        m_out["conflicts"].push_back({{"fields", fields}, {"found", found}, {"message", message}});
    }

    void readConfig(const fs::path& file)
    {
        const Json json = readJsonFile(file, {.bytes = 16u << 20, .depth = 32});
        try {
            const HfConfig config = parseHfConfig(json, file.string());
            m_out["family"] = config.family;
            m_out["config"] = describe(config);
            m_out["pairing"] = pairingName(config.pairing);
            m_notes.insert(m_notes.end(), config.notes.begin(), config.notes.end());
            useScheme(config.rope, shapeOf(config));
            checkFrequencies();
            try {
                auto plan = importPlan(config);
                const ImportReport report = checkTensors(plan, config, m_tensors);
                m_notes.insert(m_notes.end(), report.notes.begin(), report.notes.end());
            } catch (const Error& problem) {
                conflict(problem.place().field, problem.place().found, problem.what());
            }
        } catch (const Contradiction& problem) {
            m_out["family"] = json.value("model_type", Json(nullptr));
            m_out["config"] = json;
            conflict(problem.place().field, problem.place().found, problem.what());
        }
    }

    void useScheme(const ladder::Scheme& scheme, const ladder::ModelShape& shape)
    {
        m_out["scheme"] = config::toJson(scheme);
        m_out["trained_with"] = m_out["scheme"];
        m_out["runs_with"] = m_out["scheme"];
        try {
            m_plan = ladder::resolve(scheme, shape);
        } catch (const Error& problem) {
            m_notes.push_back(std::string("the ladder cannot be built: ") + problem.what());
            return;
        }
        if (m_plan->ladders.size() == 1) {
            m_out["ladder"] = describe(m_plan->ladders.front());
        } else {
            m_out["ladder"] = Json::array();
            for (const ladder::Ladder& ladder : m_plan->ladders)
                m_out["ladder"].push_back(describe(ladder));
        }
    }

    void checkFrequencies()
    {
        if (!m_plan || m_plan->ladders.size() != 1)
            return;
        for (const std::string& name : frequencyTensors(m_tensors)) {
            if (const auto found = compareFrequencies(m_tensors, name, m_plan->ladders.front().theta))
                conflict("config, " + name, found->expected + ", " + found->found, "tensor \"" + name + "\" holds " + found->found + ", the config says " + found->expected);
            else
                m_notes.push_back(name + " agrees with the config; it is not needed");
        }
    }

    void readOwnHeader(const std::string& text)
    {
        const std::string source = m_path.string() + " (metadata " + kOwnHeader + ")";
        const Json header = parseJson(text, source);
        const auto wrong = [&](const std::string& field) { throw Error::at(ErrorKind::Malformed, {source, field, "missing or of another type", "what a checkpoint of ours says"}); };
        if (!header.is_object() || !header.contains("spec") || !header.contains("vocab") || !header["vocab"].is_number_integer())
            wrong("spec, vocab");
        const auto vocab = header["vocab"].get<std::int64_t>();
        if (vocab < 1 || vocab > (1 << 30))
            wrong("vocab");
        const auto [spec, model] = readSpec(header["spec"], source, int(vocab));
        m_out["family"] = "holonomy";
        m_out["config"] = {{"style", model.style}, {"layers", model.layers}, {"hidden", model.hidden}, {"heads", model.heads}, {"kv_heads", model.kvHeads}, {"head_dim", model.headDim},
                           {"mlp", model.mlp}, {"vocab", vocab}, {"context", model.context}, {"rotary_pct", number(model.rotaryPct)}, {"qk_norm", model.qkNorm}, {"norm_eps", number(model.normEps)}, {"tied", model.tied}};
        m_out["pairing"] = model.pairing;
        for (const char* key : {"run", "step", "tokens"})
            if (header.contains(key))
                m_out[key] = header[key];
        useScheme(spec.scheme, config::modelShape(model, spec.seed));
        if (header.contains("initial"))
            m_out["initial"] = header["initial"];
        if (!m_plan || !header.contains("ladders") || !header["ladders"].is_array())
            return;
        const Json& recorded = header["ladders"];
        if (recorded.size() != m_plan->ladders.size())
            conflict("ladders", std::to_string(recorded.size()), "the file records " + std::to_string(recorded.size()) + " ladders, its scheme gives " + std::to_string(m_plan->ladders.size()));
        for (std::size_t i = 0; i < std::min(recorded.size(), m_plan->ladders.size()); ++i)
            if (const ladder::Ladder& ladder = m_plan->ladders[i]; !recorded[i].is_object() || recorded[i].value("hash", Json(nullptr)) != ladder.hash)
                conflict("ladders." + std::to_string(i) + ".hash", dumpLine(recorded[i].is_object() ? recorded[i].value("hash", Json(nullptr)) : recorded[i]),
                         "the recorded hash of ladder " + ladder.name + " is not that of its scheme, " + ladder.hash);
    }

    // A wrong setting is a user's mistake in a project, but a broken file here.
    static std::pair<config::RunSpec, config::ModelSpec> readSpec(const Json& json, const std::string& source, int vocab)
    {
        try {
            const config::RunSpec spec = config::runSpecFromJson(json, source);
            return {spec, config::resolved(spec.model, vocab)};
        } catch (const Error& problem) {
            if (problem.kind() != ErrorKind::Usage)
                throw;
            throw Error(ErrorKind::Malformed, problem.what(), problem.place());
        }
    }

    // What our own exports say of themselves, and the rest of the metadata as it stands.
    void readMetadata()
    {
        Json all = Json::object();
        for (const SafetensorsFile& file : m_tensors.files())
            for (const auto& [key, value] : file.metadata())
                if (key != kOwnHeader && !all.contains(key))
                    all[key] = value.size() > kLongestValue ? value.substr(0, kLongestValue) + "…" : value;
        m_out["metadata"] = all;
        for (const char* key : {"trained_with", "runs_with"})
            if (const std::string* value = metadata(key)) {
                try {
                    m_out[key] = parseJson(*value, key);
                } catch (const Error&) {
                    m_out[key] = *value;
                }
            }
    }

    void listWeights(bool listTensors)
    {
        std::int64_t parameters = 0;
        Json list = Json::array();
        for (const TensorSet::Entry& entry : m_tensors.entries()) {
            const TensorInfo& info = *entry.info;
            const bool isBuffer = info.name.ends_with("inv_freq") || info.name.ends_with(".attention.bias") || info.name.ends_with(".masked_bias") || info.name.starts_with("scheme.");
            if (!isBuffer)
                parameters += info.elements();
            if (!listTensors)
                continue;
            const TensorSummary summary = summarize(entry);
            list.push_back({{"name", info.name}, {"dtype", info.dtype}, {"shape", info.shape}, {"bytes", info.bytes()}, {"sha256", summary.sha256},
                            {"nonfinite", summary.nonfinite < 0 ? Json(nullptr) : Json(summary.nonfinite)}});
        }
        m_out["tensors"] = listTensors ? list : Json(m_tensors.entries().size());
        m_out["parameters"] = parameters;
        m_out["files"] = Json::array();
        for (const SafetensorsFile& file : m_tensors.files())
            m_out["files"].push_back({{"file", file.path().filename().string()}, {"bytes", file.fileBytes()}});
    }

    fs::path m_path;
    TensorSet m_tensors;
    Json m_out;
    std::optional<ladder::Plan> m_plan;
    std::vector<std::string> m_notes;
};

}  // namespace

Json inspectCheckpoint(const fs::path& path, bool listTensors) { return Inspector(path).run(listTensors); }

}  // namespace holo::interop
