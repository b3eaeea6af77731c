#include "app/cli/data_synth.h"

#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/project.h"
#include "core/data/synthetic.h"
#include "core/data/token_shard_writer.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

struct SynthVerb {
    std::string spec;
    fs::path out;
    std::int64_t length = 256;
};

// SPEC: "facts", "facts:names=20,values=64", inline JSON, or a JSON file with the fields of data.synthetic.
config::SyntheticSpec specOf(const std::string& text)
{
    std::vector<config::Parameter> parameters;
    std::error_code ec;
    const std::string kind = text.substr(0, text.find(':'));
    if (text.starts_with('{') || fs::is_regular_file(text, ec) || text.ends_with(".json")) {
        parameters.emplace_back("data.synthetic", text.starts_with('{') ? parseJson(text, "SPEC") : readJsonFile(text));
    } else if (kind == "facts") {
        if (kind.size() < text.size())
            for (const std::string& item : split(text.substr(kind.size() + 1), ','))
                parameters.push_back(config::parseParameter("data.synthetic." + item));
    } else {
        throw Error(ErrorKind::Usage, "There is no synthetic corpus \"" + kind + "\"; known is facts.", {"", "SPEC", text, "facts[:key=value,…], inline JSON or a JSON file"});
    }
    return config::withParameters(config::projectTemplate("tiny"), parameters).data.synthetic;
}

Json writePart(const fs::path& file, const char* part, const data::SyntheticCorpus& corpus, data::Split split, std::int64_t documents, std::int64_t length, std::uint32_t& largest)
{
    const int width = data::widthForVocabulary(std::uint64_t(corpus.vocabulary()));
    data::TokenShardWriter writer(file, width);
    for (std::int64_t i = 0; i < documents; ++i) {
        const std::vector<std::int32_t> tokens = corpus.generator().document(split, i, length);
        writer.append(std::vector<std::uint32_t>(tokens.begin(), tokens.end()));
    }
    const std::uint64_t tokens = writer.tokens();
    largest = std::max(largest, writer.largestId());
    writer.finish();
    return {{"file", file.filename().string()}, {"part", part}, {"tokens", tokens}, {"bytes", fs::file_size(file)}, {"sha256", sha256OfFile(file)}};
}

Output synth(const SynthVerb& verb)
{
    const config::SyntheticSpec spec = specOf(verb.spec);
    const data::SyntheticCorpus corpus(spec, verb.length);
    if (std::uint64_t(spec.documents) * std::uint64_t(verb.length) > data::TokenShardWriter::kMaxTokens)
        throw Error::at(ErrorKind::Usage, {"", "documents × --length", std::to_string(spec.documents) + " × " + std::to_string(verb.length), "at most " + std::to_string(data::TokenShardWriter::kMaxTokens) + " tokens"});
    std::error_code ec;
    if (fs::exists(verb.out, ec) && !fs::is_empty(verb.out, ec))
        throw Error::at(ErrorKind::Usage, {verb.out.string(), "--out", "a folder with something in it", "a new or empty folder"});
    fs::create_directories(verb.out, ec);
    if (ec)
        throw Error::at(ErrorKind::Resource, {verb.out.string(), "--out", ec.message(), "a folder that can be written"});
    Json shards = Json::array();
    std::uint32_t largest = 0;
    shards.push_back(writePart(verb.out / "train_000000.bin", "train", corpus, data::Split::Train, spec.documents, verb.length, largest));
    shards.push_back(writePart(verb.out / "val_000000.bin", "val", corpus, data::Split::Validation, spec.valDocuments, verb.length, largest));
    std::string words;
    for (int id = 0; id < corpus.vocabulary(); ++id)
        words += corpus.generator().vocabulary().text(id) + "\n";
    writeFileAtomic(verb.out / "vocabulary.txt", words);
    const std::uint64_t train = shards[0]["tokens"], val = shards[1]["tokens"];
    Json document = {{"format", 1}, {"hash", corpus.hash()}, {"tokenizer", "facts"}, {"vocab", corpus.vocabulary()}, {"documents", spec.documents + spec.valDocuments},
                     {"tokens", {{"train", train}, {"val", val}}}, {"bytes", shards[0]["bytes"].get<std::uint64_t>() + shards[1]["bytes"].get<std::uint64_t>()},
                     {"width", data::widthForVocabulary(std::uint64_t(corpus.vocabulary()))}, {"largest_id", largest}, {"shards", std::move(shards)}, {"folder", verb.out.string()}};
    return {document, verb.out.string() + ": " + std::to_string(train) + " training tokens, " + std::to_string(val) + " validation tokens, vocabulary " + std::to_string(corpus.vocabulary()) + "\n"};
}

}  // namespace

void addDataSynth(CLI::App& data, Context& context)
{
    const auto options = std::make_shared<SynthVerb>();
    CLI::App* verb = addVerb(data, context, "synth", "the synthetic corpus as token shards, with its vocabulary", "holonomy data synth facts:names=24,values=48 --out facts-data", [options] { return synth(*options); });
    verb->add_option("SPEC", options->spec, "facts[:key=value,…], inline JSON or a JSON file with the fields of data.synthetic")->required();
    verb->add_option("--out", options->out, "folder to make")->required();
    addInteger(verb, "--length", options->length, "tokens of a document", 2);
}

}  // namespace holo::cli
