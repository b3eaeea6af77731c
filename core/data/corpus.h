#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/specs.h"

namespace holo::data {

enum class Split { Train, Validation };

inline constexpr std::int32_t kIgnore = -1;  // a target that is not scored (padding after a short document under packing "document")

// `length` inputs and the target of each (the next token, or kIgnore).
struct Window {
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> targets;
    std::int64_t scored = 0;  // targets that count
};

// Read-only token source behind training and evaluation: synthetic, or prepared from text or shards in a data folder named by its hash.
class Corpus {
public:
    virtual ~Corpus() = default;
    virtual int vocabulary() const = 0;
    virtual std::string hash() const = 0;         // of source and settings
    virtual Json describe() const = 0;            // tokenizer, documents, tokens{train,val}, notes
    // Windows of `length` inputs in a split; disjoint but for the last target of one being the first input of the next.
    virtual std::int64_t windows(Split split, std::int64_t length) const = 0;
    // Throws Error (malformed) if a file shrank meanwhile.
    virtual Window window(Split split, std::int64_t length, std::int64_t index) const = 0;
    virtual std::string decode(std::span<const std::int32_t> tokens) const = 0;          // text, for people
    virtual std::vector<std::int32_t> encode(const std::string& text) const = 0;         // synthetic: its own words, see core/data/synthetic.h
    virtual int endOfDocument() const = 0;        // −1: none
    virtual bool isSynthetic() const { return false; }
};

// Opens the corpus of a spec. Text is prepared under `cacheFolder`/<hash> when it is not there yet (atomic; progress in 0…1).
// Relative sources are taken from `baseFolder`. Throws Error (malformed) for missing, unreadable or empty sources.
std::unique_ptr<Corpus> openCorpus(const config::DataSpec& spec, std::int64_t context, const std::filesystem::path& baseFolder,
                                   const std::filesystem::path& cacheFolder, const std::function<void(double)>& progress = {});

// Sees whether the sources of a spec are there, can be read and are not empty, without preparing them. Throws Error as openCorpus does.
// Returns the vocabulary where it is known without reading them (synthetic).
std::optional<int> checkSources(const config::DataSpec& spec, const std::filesystem::path& baseFolder);

// Which window is used when: position k of a run's stream is window π_epoch(k mod windows), epoch = k div windows. A pure function of
// (seed, k) by a keyed bijection, so resuming needs no replay.
class Sampler {
public:
    Sampler(std::int64_t windows, std::uint64_t seed);
    std::int64_t at(std::int64_t position) const;
    std::int64_t epoch(std::int64_t position) const { return position / m_windows; }

private:
    std::int64_t m_windows;
    std::uint64_t m_seed;
};

}  // namespace holo::data
