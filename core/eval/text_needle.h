#pragma once

#include <optional>

#include "core/base/random.h"
#include "core/eval/filler_text.h"
#include "core/eval/needle_task.h"
#include "core/eval/needle_template.h"
#include "core/eval/prompt_layout.h"

namespace holo::eval {

// Needle prompts in text: filler words from the validation part (or the template's haystack), needle and question from a template. The prompt is assembled as text and
// encoded in one piece together with its answer, so it never holds ids that the tokenizer would not give. Lengths are tokens: as many filler
// words as fit, so that prompt and answer fall short of the nominal length by less than one word. The answer occurs once in the prompt (in the
// needle), the noun only in needle and question; its ids decode to its text; prompt and prompt + answer encode to the same beginning; else it
// is drawn again. All answers have the same number of tokens. A unit (word, needle, question) begins with the first token that holds its first
// character, so a needle ends where the next unit begins.
class TextNeedle : public NeedleTask {
public:
    // Throws Error (unsupported) if the corpus cannot encode text.
    TextNeedle(const data::Corpus& corpus, NeedleTemplate wording, std::uint64_t seed);

    std::int64_t smallestLength() const override { return m_smallest; }
    NeedlePrompt prompt(const TrialPlace& place, Haystack haystack) const override;
    double chance() const override;
    std::vector<std::int32_t> candidates() const override { return {}; }
    Json describe() const override;

private:
    struct Filler {
        std::int64_t length = 0;
        std::int64_t trial = -1;
        int draw = 0;
        std::vector<TextUnit> units;
    };
    // All that a draw decides, before it is cut to length.
    struct Draft {
        std::vector<TextUnit> filler;
        std::vector<PlacedUnit> others;  // distractors and further asked needles, in order of place
        std::optional<TextUnit> needle;
        TextUnit question;
        std::vector<std::string> asked;         // nouns
        std::vector<std::string> keys;          // right answers, one each needle asked for
        std::vector<std::string> askedNeedles;  // the sentences that state them
        std::string stated;                     // what the needle says: the first key, or another one
    };
    struct Fit {
        PromptLayout layout;
        std::string answer;
        std::vector<std::int32_t> ids;  // of both
    };
    TextUnit unit(std::string text) const { return textUnit(m_corpus, std::move(text)); }
    std::int64_t count(const std::string& text) const { return std::int64_t(m_corpus.encode(text).size()); }
    std::string answer(const std::string& key) const { return m_wording.blankBeforeKey() ? " " + key : key; }
    std::string answer(const std::vector<std::string>& keys) const;
    std::vector<std::string> nouns() const;
    std::string keyOf(std::uint64_t cell, std::int64_t trial, int draw) const;
    const std::vector<TextUnit>& filler(std::int64_t length, std::int64_t trial, int draw) const;
    std::vector<TextUnit> needleFiller(std::int64_t tokens, RandomStream& random) const;
    Draft draft(const TrialPlace& place, Haystack haystack, int draw) const;
    std::optional<Fit> fitted(const Draft& draft, const TrialPlace& place) const;
    bool isUnambiguous(const Draft& draft, const std::string& text, bool statesKeys) const;
    std::optional<NeedlePrompt> attempt(const TrialPlace& place, Haystack haystack, int draw) const;

    const data::Corpus& m_corpus;
    NeedleTemplate m_wording;
    KeySource m_keys;
    std::uint64_t m_seed;
    std::uint64_t m_corpusKey;
    std::int64_t m_keyTokens = 0;     // of one key after the question
    std::int64_t m_answerTokens = 0;  // of all asked keys together
    std::int64_t m_smallest = 0;
    mutable Filler m_filler;  // the last one, used by all depths of a trial
};

}  // namespace holo::eval
