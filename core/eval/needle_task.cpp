#include "core/eval/needle_task.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/synthetic.h"
#include "core/eval/facts_needle.h"
#include "core/eval/text_needle.h"

namespace holo::eval {

double realDepth(std::int64_t needleIndex, std::int64_t questionIndex, std::int64_t needleTokens)
{
    return questionIndex > needleTokens ? double(needleIndex) / double(questionIndex - needleTokens) : 1.0;
}

std::uint64_t corpusKey(const data::Corpus& corpus)
{
    const std::string digest = sha256(corpus.hash());
    std::uint64_t key = 0;
    std::from_chars(digest.data(), digest.data() + 16, key, 16);
    return key;
}

std::uint64_t depthKey(double depth)
{
    return std::uint64_t(std::llround(depth * 1e9));
}

std::string hashOfTokens(const std::int32_t* tokens, std::size_t count)
{
    std::string bytes;
    bytes.reserve(4 * count);
    for (std::size_t i = 0; i < count; ++i)
        for (int shift = 0; shift < 32; shift += 8)
            bytes += char(std::uint32_t(tokens[i]) >> shift & 255u);
    return sha256(bytes);
}

std::unique_ptr<NeedleTask> needleTask(const data::Corpus& corpus, const config::EvalSpec& spec, const std::filesystem::path& baseFolder)
{
    if (const auto* facts = dynamic_cast<const data::SyntheticCorpus*>(&corpus)) {
        if (!spec.templateFile.empty())
            throw Error::at(ErrorKind::Usage, {.field = "eval.template", .found = "\"" + spec.templateFile + "\"", .allowed = "none, since the synthetic corpus has prompts of its own"});
        return std::make_unique<FactsNeedle>(*facts, std::uint64_t(spec.seed));
    }
    const NeedleTemplate wording = spec.templateFile.empty() ? NeedleTemplate{} : readNeedleTemplate(baseFolder / spec.templateFile);
    return std::make_unique<TextNeedle>(corpus, wording, std::uint64_t(spec.seed));
}

}  // namespace holo::eval
