#include <chrono>
#include <optional>

#include <CLI/CLI.hpp>

#include "app/cli/data_synth.h"
#include "app/cli/options.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/data_info.h"
#include "core/data/prepare.h"
#include "core/data/shard_export.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

std::string plainText(const Json& value) { return value.is_string() ? value.get<std::string>() : dumpLine(value); }

std::string describe(const Json& document)
{
    TextTable table({"field", "value"});
    for (const auto& [key, value] : document.items())
        if (key != "shards" && key != "notes" && key != "format")
            table.add({key, plainText(value)});
    std::string text = table.text();
    if (document.contains("shards") && !document["shards"].empty()) {
        std::vector<std::string> header;
        for (const auto& [key, value] : document["shards"].front().items())
            header.push_back(key);
        TextTable shards(header);
        for (const Json& shard : document["shards"]) {
            std::vector<std::string> row;
            for (const std::string& key : header)
                row.push_back(shard.contains(key) ? plainText(shard[key]) : "");
            shards.add(std::move(row));
        }
        text += "\n" + shards.text();
    }
    if (document.contains("notes"))
        for (const Json& note : document["notes"])
            text += plainText(note) + "\n";
    return text;
}

struct PrepareVerb {
    std::vector<fs::path> sources;
    fs::path out;
    std::string tokenizer = "bytes";
    double valShare = 0.05;
    std::int64_t vocabulary = 0;
    std::int64_t seed = 0;
    std::string type = "auto";
    std::string invalid = "refuse";
    std::string jsonField = "text";
    bool normalizeLines = false;
};

std::string durationText(double seconds)
{
    const auto whole = std::int64_t(seconds + 0.5);
    if (whole < 60)
        return std::to_string(whole) + " s";
    return whole < 3600 ? std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s" : std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

// "encoding [####....] 43.1 % 38 MB/s, 2 min 30 s left"
class PrepareLine {
public:
    explicit PrepareLine(bool enabled)
        : m_line(enabled)
    {
    }

    void show(const data::PrepareProgress& p)
    {
        const auto now = std::chrono::steady_clock::now();
        if (!m_phase || *m_phase != p.phase) {
            m_phase = p.phase;
            m_begin = now;
            m_firstByte = p.bytes;
        }
        const char* const names[] = {"hashing", "training the tokenizer", "skipping what is finished", "encoding", "checking the shards"};
        const double seconds = std::chrono::duration<double>(now - m_begin).count();
        const double rate = seconds > 1 ? double(p.bytes - m_firstByte) / seconds : 0;
        m_line.show(names[int(p.phase)], p.totalBytes > 0 ? double(p.bytes) / double(p.totalBytes) : 0,
                    rate > 0 && p.bytes < p.totalBytes ? formatFixed(rate / 1e6, 0) + " MB/s, " + durationText(double(p.totalBytes - p.bytes) / rate) + " left" : "");
    }
    void end() { m_line.end(); }

private:
    ProgressLine m_line;
    std::optional<data::PreparePhase> m_phase;
    std::chrono::steady_clock::time_point m_begin;
    std::uint64_t m_firstByte = 0;
};

Output prepare(const PrepareVerb& verb, const Context& context)
{
    data::PrepareOptions options;
    options.sources = verb.sources;
    options.tokenizer = verb.tokenizer;
    options.validationShare = verb.valShare;
    if (!(verb.valShare >= 0 && verb.valShare <= 0.9))
        throw Error::at(ErrorKind::Usage, {"", "--val-share", dumpLine(verb.valShare), "a number from 0 to 0.9"});
    options.seed = std::uint64_t(verb.seed);
    options.vocabulary = std::uint64_t(verb.vocabulary);
    options.type = verb.type == "auto" ? data::TokenType::Auto : data::tokenTypeFromName(verb.type);
    options.text.invalidBytes = verb.invalid == "replace" ? data::InvalidBytes::Replace : data::InvalidBytes::Refuse;
    options.text.lineEnds = verb.normalizeLines ? data::LineEnds::Normalize : data::LineEnds::Keep;
    options.text.jsonField = verb.jsonField;
    PrepareLine line(!context.quiet);
    options.progress = [&line](const data::PrepareProgress& p) { line.show(p); };
    const data::PreparedData prepared = data::prepareInto(options, verb.out);
    line.end();
    Json document = prepared.description();
    document["folder"] = verb.out.string();
    std::string text = describe(document);
    return {std::move(document), std::move(text)};
}

struct InfoVerb {
    std::vector<fs::path> what;
    std::int64_t batch = 1;
    std::int64_t length = 0;
    std::string type = "auto";
};

Output info(const InfoVerb& verb)
{
    const data::TokenType type = verb.type == "auto" ? data::TokenType::Auto : data::tokenTypeFromName(verb.type);
    const std::uint64_t windows = verb.length > 0 ? std::uint64_t(verb.batch) : 0;
    Json document = data::dataInfo(verb.what, type, windows, std::uint64_t(verb.length));
    if (!document.contains("format"))
        document["format"] = 1;
    std::string text = describe(document);
    return {std::move(document), std::move(text)};
}

struct SampleVerb {
    fs::path folder;
    std::string type = "auto";
    std::int64_t at = 0;
    std::int64_t count = 64;
};

Output sample(const SampleVerb& verb)
{
    Json document = data::dataSample(verb.folder, std::uint64_t(verb.at), std::uint64_t(verb.count), verb.type == "auto" ? data::TokenType::Auto : data::tokenTypeFromName(verb.type));
    document["format"] = 1;
    document["at"] = verb.at;
    std::string text = (document["text"].is_string() ? document["text"].get<std::string>() : dumpLine(document["tokens"])) + "\n";
    return {std::move(document), std::move(text)};
}

struct WriteVerb {
    data::ShardExport what;
    std::string type = "auto";
    std::int64_t sequence = 0;
};

Output write(const WriteVerb& verb)
{
    data::ShardExport what = verb.what;
    what.type = verb.type == "auto" ? data::TokenType::Auto : data::tokenTypeFromName(verb.type);
    what.sequence = std::uint64_t(verb.sequence);
    Json document = data::exportShards(what);
    std::string text = dumpLine(document["tokens"]) + " tokens of " + dumpLine(document["width"]) + " bytes written to";
    for (const Json& file : document["files"])
        text += " " + file.get<std::string>();
    return {std::move(document), text + "\n"};
}

void addWrite(CLI::App& data, Context& context)
{
    const auto options = std::make_shared<WriteVerb>();
    CLI::App* verb = addVerb(data, context, "write", "prepared data or a shard as another program's training file", "holonomy data write books-data --as megatron --out books_text_document.bin", [options] { return write(*options); });
    verb->add_option("SOURCE", options->what.source, "data folder, or a token shard")->required();
    verb->add_option("--as", options->what.format, "llm.c, nanogpt, megatron (GPT-NeoX, Pythia) or olmo")->required()->check(CLI::IsMember({"llm.c", "nanogpt", "megatron", "olmo"}));
    verb->add_option("--out", options->what.destination, "file to write")->required();
    verb->add_option("--part", options->what.part, "of a data folder: train or val")->check(CLI::IsMember({"train", "val"}))->capture_default_str();
    verb->add_option("--type", options->type, "token type of a headerless shard")->check(CLI::IsMember({"auto", "u16", "u32"}));
    addInteger(verb, "--sequence", options->sequence, "megatron: tokens of a sequence (default: one a document)", 1);
}

void addPrepare(CLI::App& data, Context& context)
{
    const auto options = std::make_shared<PrepareVerb>();
    CLI::App* verb = addVerb(data, context, "prepare", "text or token shards into a data folder; what was killed goes on where it was", "holonomy data prepare books/ --out books-data --tokenizer sentencepiece:8000", [options, &context] { return prepare(*options, context); });
    verb->add_option("SOURCE", options->sources, "text files, JSON Lines, folders of them, or token shards")->required();
    verb->add_option("--out", options->out, "folder to make")->required();
    verb->add_option("--tokenizer", options->tokenizer, "bytes, sentencepiece:V or a tokenizer file")->capture_default_str();
    addNumber(verb, "--val-share", options->valShare, "share of documents held out");
    addInteger(verb, "--vocab", options->vocabulary, "vocabulary to check ids against", 1);
    addInteger(verb, "--seed", options->seed, "seed of the split");
    verb->add_option("--type", options->type, "token type of headerless shards")->check(CLI::IsMember({"auto", "u16", "u32"}));
    verb->add_option("--invalid-utf8", options->invalid, "broken bytes: refuse or replace")->check(CLI::IsMember({"refuse", "replace"}));
    verb->add_option("--json-field", options->jsonField, "field of JSON Lines that holds the text")->capture_default_str();
    verb->add_flag("--normalize-lines", options->normalizeLines, "CR LF becomes LF");
}

void addInfo(CLI::App& data, Context& context)
{
    const auto options = std::make_shared<InfoVerb>();
    CLI::App* verb = addVerb(data, context, "info", "what a data folder or token shards hold", "holonomy data info train.bin --batch 8 --length 1024", [options] { return info(*options); });
    verb->add_option("DIR", options->what, "data folder, or token shards")->required();
    addInteger(verb, "--batch", options->batch, "windows of a batch", 1);
    addInteger(verb, "--length", options->length, "tokens of a window", 1);
    verb->add_option("--type", options->type, "token type of headerless shards")->check(CLI::IsMember({"auto", "u16", "u32"}));
}

void addSample(CLI::App& data, Context& context)
{
    const auto options = std::make_shared<SampleVerb>();
    CLI::App* verb = addVerb(data, context, "sample", "a stretch of the training part", "holonomy data sample books-data --at 1000 --count 40", [options] { return sample(*options); });
    verb->add_option("DIR", options->folder, "data folder, or a token shard")->required();
    verb->add_option("--type", options->type, "token type of a headerless shard")->check(CLI::IsMember({"auto", "u16", "u32"}));
    addInteger(verb, "--at", options->at, "first token");
    addInteger(verb, "--count", options->count, "tokens", 1);
}

}  // namespace

void addDataVerb(CLI::App& app, Context& context)
{
    CLI::App* data = addVerb(app, context, "data", "corpora: prepare, info, sample, write, synth", "holonomy data prepare book.txt --out book-data", nullptr);
    data->require_subcommand(1);
    addPrepare(*data, context);
    addInfo(*data, context);
    addSample(*data, context);
    addWrite(*data, context);
    addDataSynth(*data, context);
}

}  // namespace holo::cli
