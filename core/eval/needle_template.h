#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace holo::eval {

// Wording of a needle prompt in text. {noun} is what is asked for, {key} the answer; the question ends right before the key.
struct NeedleTemplate {
    std::string needle = "note: the code for {noun} is {key}.";
    std::string question = "question: the code for {noun} is";
    std::string keyKind = "digits";  // digits | words | uuid
    int keyLength = 5;               // digits, or words; a UUID has its own
    int distractors = 0;             // further needles with other nouns and keys
    int values = 1;                  // needles with the asked noun, each with its own key; the answer lists them as they stand in the prompt
    int queries = 1;                 // nouns asked for, each with a needle; the answer lists their keys as asked. Not with values > 1
    std::string spread = "random";   // where asked needles after the first stand: random, or even from the first to the question
    std::string haystack = "text";   // text (validation part) | noise (one line repeated) | needles (distractors alone)
    std::filesystem::path file;      // text to fill with in place of the validation part; empty: none

    int asked() const { return values > queries ? values : queries; }

    // The answer as it follows the question: with the blank that stands before {key} in the needle, if one does.
    bool blankBeforeKey() const;
};

// {"needle": "… {noun} … {key} …", "question": "… {noun} …", "key": {"kind": "digits", "length": 5}, "distractors": 0, "values": 1,
// "queries": 1, "spread": "random", "haystack": "text" | "noise" | "needles" | {"file": PATH beside the template}}; what is left out is as above. Throws Error: (malformed) if the file is missing or not JSON, (usage) for unknown keys, values out of range, wording without its places.
NeedleTemplate readNeedleTemplate(const std::filesystem::path& file);
Json toJson(const NeedleTemplate& wording);

// The wording with its places filled in.
std::string filled(std::string_view wording, const std::string& noun, const std::string& key);

// Keys of one kind. Different trials of a cell get different keys as long as there are enough: the trial walks a keyed bijection of all keys.
class KeySource {
public:
    KeySource(std::string kind, int length);

    double count() const;  // of different keys
    // `draw` counts redraws of a trial.
    std::string key(std::uint64_t cell, std::int64_t trial, int draw) const;

private:
    std::string m_kind;
    int m_length;
};

// Words that keys are made of.
const std::vector<std::string>& needleKeyWords();

// Nouns to ask for, none a word of a key.
const std::vector<std::string>& needleNouns();

}  // namespace holo::eval
