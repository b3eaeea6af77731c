#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/specs.h"
#include "core/data/corpus.h"

namespace holo::eval {

// One trial of a sweep. Its prompt depends on these, the seed of the prompts and the corpus alone.
struct TrialPlace {
    std::int64_t length = 0;  // tokens of prompt and answer together, at most
    double depth = 0;         // 0: needle first, 1: directly before the question
    std::int64_t trial = 0;   // from 0 in each cell
};

// What the needle's place holds, and how the filler stands.
enum class Haystack { Needle, NoNeedle, ShuffledFiller, OtherKey };

// A prompt and its answer as ids; every index counts tokens from the start.
struct NeedlePrompt {
    std::vector<std::int32_t> tokens;  // prompt, then answer
    std::int64_t answerBegin = 0;      // = tokens of the prompt
    std::int64_t needleIndex = -1;
    std::int64_t needleTokens = 0;
    std::int64_t questionIndex = 0;
    std::int64_t keyIndex = -1;        // first token of the key inside the needle
    double depthReal = 0;              // needleIndex / (questionIndex − needleTokens)
    bool moved = false;                // far from the wished place
    std::string key;
    int redraws = 0;                   // of prompts in which the key or the noun stood twice, or whose text encodes to other ids

    std::int64_t answerTokens() const { return std::int64_t(tokens.size()) - answerBegin; }
    std::int64_t distance() const { return answerBegin - keyIndex; }  // from the first token of the answer back to the key's
};

// Real depth of a needle of `needleTokens` at `needleIndex`; 1 where there is no room to move.
double realDepth(std::int64_t needleIndex, std::int64_t questionIndex, std::int64_t needleTokens);

// A recipe of single-needle prompts. The haystack of a trial is the same at all depths of a length, so its beginnings are shared.
class NeedleTask {
public:
    virtual ~NeedleTask() = default;

    virtual std::int64_t smallestLength() const = 0;
    // Throws Error (usage) below smallestLength(), (malformed) if no valid prompt can be drawn from the corpus.
    virtual NeedlePrompt prompt(const TrialPlace& place, Haystack haystack) const = 0;
    virtual double chance() const = 0;                       // of guessing the answer among all that can be asked for
    virtual std::vector<std::int32_t> candidates() const = 0;  // the answers that can be asked for, where each is one token; else empty
    virtual Json describe() const = 0;                       // wording, key, BOS
};

// Facts for the synthetic corpus, the template (built in, or EvalSpec::templateFile from `baseFolder`) for text.
std::unique_ptr<NeedleTask> needleTask(const data::Corpus& corpus, const config::EvalSpec& spec, const std::filesystem::path& baseFolder);

// Key of the prompt streams: the first 64 bits of the corpus' hash.
std::uint64_t corpusKey(const data::Corpus& corpus);
// A depth as an index of a stream.
std::uint64_t depthKey(double depth);

// SHA-256 of the ids as little-endian 32-bit words.
std::string hashOfTokens(const std::int32_t* tokens, std::size_t count);

}  // namespace holo::eval
