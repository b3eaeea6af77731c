#include "core/data/corpus.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/data/facts_vocabulary.h"
#include "core/data/prepare.h"
#include "core/data/prepared_corpus.h"
#include "core/data/synthetic.h"
#include "core/data/text_sources.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

// Throws Error (usage) for a spec without a source, or one that mixes the synthetic corpus with files.
bool isSynthetic(const config::DataSpec& spec)
{
    if (spec.source.empty())
        throw Error::at(ErrorKind::Usage, {.field = "data.source", .found = "none", .allowed = "\"synthetic\" or paths; for a model that brings none, name them with --data"});
    if (std::find(spec.source.begin(), spec.source.end(), "synthetic") == spec.source.end())
        return false;
    if (spec.source.size() > 1)
        throw Error::at(ErrorKind::Usage, {.field = "data.source", .found = "\"synthetic\" beside paths", .allowed = "either of them alone"});
    return true;
}

}  // namespace

std::unique_ptr<Corpus> openCorpus(const config::DataSpec& spec, std::int64_t context, const fs::path& baseFolder, const fs::path& cacheFolder, const std::function<void(double)>& progress)
{
    if (isSynthetic(spec))
        return std::make_unique<SyntheticCorpus>(spec.synthetic, context);
    std::error_code ec;
    const fs::path first = baseFolder / spec.source.front();
    if (spec.source.size() == 1 && fs::is_regular_file(first / "data.json", ec))
        return std::make_unique<PreparedCorpus>(PreparedData::open(first), spec.packing);

    PrepareOptions options;
    for (const std::string& source : spec.source)
        options.sources.push_back(baseFolder / source);
    // A tokenizer file is a path like the sources; "bytes" and "sentencepiece:V" are not.
    options.tokenizer = spec.tokenizer == "bytes" || spec.tokenizer.starts_with("sentencepiece:") ? spec.tokenizer : (baseFolder / spec.tokenizer).string();
    options.validationShare = spec.valShare;
    options.seed = std::uint64_t(spec.seed);
    options.text.invalidBytes = spec.invalidUtf8 == "refuse" ? InvalidBytes::Refuse : InvalidBytes::Replace;
    options.type = spec.type == "u16" ? TokenType::U16 : spec.type == "u32" ? TokenType::U32 : TokenType::Auto;
    if (progress)
        options.progress = [&progress](const PrepareProgress& p) {
            if (p.phase == PreparePhase::Encoding && p.totalBytes > 0)
                progress(double(p.bytes) / double(p.totalBytes));
        };
    return std::make_unique<PreparedCorpus>(prepare(options, cacheFolder), spec.packing);
}

std::optional<int> checkSources(const config::DataSpec& spec, const fs::path& baseFolder)
{
    if (isSynthetic(spec))
        return FactsVocabulary(spec.synthetic).size();
    std::vector<fs::path> paths;
    for (const std::string& source : spec.source)
        paths.push_back(baseFolder / source);
    std::error_code ec;
    if (paths.size() > 1 || !fs::is_regular_file(paths.front() / "data.json", ec))
        listTextSources(paths);
    return std::nullopt;
}

}  // namespace holo::data
