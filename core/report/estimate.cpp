#include "core/report/estimate.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/byte_tokenizer.h"
#include "core/data/facts_vocabulary.h"
#include "core/data/tokenizer.h"
#include "core/model/run_events.h"
#include "core/run/run_directory.h"

namespace holo::report {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSentencePiece = "sentencepiece:";
constexpr std::streamoff kTailBytes = 16384;

// Rate of the last step that the file holds.
double lastRate(const fs::path& events)
{
    std::ifstream in(events, std::ios::binary | std::ios::ate);
    if (!in)
        return 0;
    const std::streamoff size = in.tellg();
    in.seekg(std::max<std::streamoff>(0, size - kTailBytes));
    double rate = 0;
    for (std::string line; std::getline(in, line);)
        if (const auto event = model::parseEvent(line); event && event->type == model::EventType::Step && event->step.tokensPerSecond > 0)
            rate = event->step.tokensPerSecond;
    return rate;
}

struct Measured {
    double tokensPerSecond = 0;
    std::string run;
};

Measured measuredRate(const config::RunSpec& spec, const fs::path& project)
{
    const Json model = config::toJson(spec)["model"];
    Measured newest;
    fs::file_time_type newestTime{};
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(project / "runs", ec)) {
        const run::RunDirectory run(entry.path());
        const auto time = fs::last_write_time(run.eventsFile(), ec);
        if (ec || (!newest.run.empty() && time <= newestTime))
            continue;
        try {
            const Json record = run.readRun();
            const auto stored = record.find("spec");
            if (stored == record.end() || !stored->is_object() || stored->value("model", Json()) != model)
                continue;
        } catch (const Error&) {
            continue;  // a broken run says nothing about speed
        }
        if (const double rate = lastRate(run.eventsFile()); rate > 0) {
            newest = {rate, run.id()};
            newestTime = time;
        }
    }
    return newest;
}

}  // namespace

std::optional<int> plannedVocabulary(const config::RunSpec& spec, const fs::path& project)
{
    if (spec.model.vocab > 0)
        return spec.model.vocab;
    if (spec.data.source == std::vector<std::string>{"synthetic"})
        return data::FactsVocabulary(spec.data.synthetic).size();
    const std::string& tokenizer = spec.data.tokenizer;
    for (const std::string& source : spec.data.source) {
        const std::string extension = fs::path(source).extension().string();
        if (extension == ".bin" || extension == ".npy")
            return std::nullopt;
    }
    if (tokenizer == "bytes")
        return int(data::ByteTokenizer::kVocabulary);
    if (tokenizer.starts_with(kSentencePiece)) {
        const auto size = parseInt(std::string_view(tokenizer).substr(kSentencePiece.size()));
        return size ? std::optional(int(*size)) : std::nullopt;
    }
    try {
        return int(data::loadTokenizer((project / tokenizer).string())->vocabularySize());
    } catch (const Error&) {
        return std::nullopt;
    }
}

Json estimate(const config::RunSpec& spec, const fs::path& project)
{
    const auto vocabulary = plannedVocabulary(spec, project);
    const std::int64_t steps = config::totalSteps(spec);
    const std::int64_t tokens = steps * spec.train.batch * spec.train.accumulate * spec.model.context;
    Json json = {{"vocab", vocabulary ? Json(*vocabulary) : Json()}, {"parameters", Json()}, {"parameters_without_embedding", Json()}, {"steps", steps}, {"tokens", tokens},
                 {"checkpoint_bytes", Json()}, {"memory_bytes", Json()}, {"flops", Json()}};
    if (vocabulary) {
        config::RunSpec full = spec;
        full.model = config::resolved(spec.model, *vocabulary);
        json["parameters"] = config::parameterCount(full.model);
        json["parameters_without_embedding"] = config::nonEmbeddingParameterCount(full.model);
        json["checkpoint_bytes"] = config::checkpointBytes(full.model);
        json["memory_bytes"] = config::peakMemoryBytes(full);
        json["flops"] = config::flopsPerToken(full.model) * double(tokens);
    }
    const Measured measured = measuredRate(spec, project);
    const bool known = measured.tokensPerSecond > 0;
    json["tok_s"] = known ? number(measured.tokensPerSecond) : Json();
    json["seconds"] = known ? number(double(tokens) / measured.tokensPerSecond) : Json();
    json["seconds_basis"] = known ? "the last rate of " + measured.run : std::string("no run of this model has been measured yet");
    return json;
}

}  // namespace holo::report
