#include "core/eval/passkey.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/eval/evaluator.h"
#include "core/eval/needle_summary.h"
#include "core/eval/needle_task.h"
#include "core/eval/output_score.h"
#include "core/eval/result_files.h"

namespace holo::eval {

namespace {

constexpr int kGenerated = 10;  // tokens

// Wording of the protocol (epfml/landmark-attention, llama/run_test.py), kept so that figures compare.
constexpr std::string_view kTask = "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. I will quiz you about the important information there.";
constexpr std::string_view kFiller = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";
constexpr std::string_view kQuestion = "What is the pass key? The pass key is";

std::string fillerOf(std::size_t characters)
{
    std::string text;
    while (text.size() < characters) {
        if (!text.empty())
            text += ' ';
        text += kFiller;
    }
    text.resize(characters);
    return text;
}

}  // namespace

PasskeyPrompt passkeyPrompt(std::int64_t characters, std::uint64_t seed, std::uint64_t corpus, std::int64_t length, std::int64_t trial)
{
    RandomStream random(seed, "passkey", {corpus, std::uint64_t(length), std::uint64_t(trial)});
    // The place is a share of the filler, so that it does not depend on how much of it fits.
    const double share = random.uniform();
    PasskeyPrompt prompt;
    prompt.key = std::to_string(1 + random.below(50000));
    const auto before = std::min(std::size_t(share * double(characters + 1)), std::size_t(characters));
    prompt.text = kTask;
    prompt.text += '\n';
    prompt.text += fillerOf(before);
    prompt.text += '\n';
    prompt.infoAt = prompt.text.size();
    for (const std::string_view piece : {std::string_view("The pass key is "), std::string_view(prompt.key), std::string_view(". Remember it. "),
                                         std::string_view(prompt.key), std::string_view(" is the pass key.\n")})
        prompt.text += piece;
    prompt.text += fillerOf(std::size_t(characters) - before);
    prompt.text += '\n';
    prompt.text += kQuestion;
    prompt.share = characters > 0 ? double(before) / double(characters) : 0;
    return prompt;
}

std::string passkeyAnswer(std::string_view generated)
{
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto begin = std::find_if(generated.begin(), generated.end(), isDigit);
    const auto end = std::find_if_not(begin, generated.end(), isDigit);
    const std::string digits(begin, end);
    const std::size_t leading = std::min(digits.find_first_not_of('0'), digits.size());
    return digits.substr(digits.empty() ? 0 : std::min(leading, digits.size() - 1));
}

Json passkey(LanguageModel& model, const data::Corpus& corpus, const Options& options)
{
    if (corpus.isSynthetic())
        throw Error(ErrorKind::Unsupported, "The passkey protocol needs text; the synthetic corpus has no words for it, use the needle protocol.",
                    {.field = "protocol", .found = "passkey", .allowed = "needle, perplexity"});
    const std::uint64_t seed = std::uint64_t(options.spec.seed);
    const std::uint64_t corpusId = corpusKey(corpus);
    const auto tokensOf = [&](std::int64_t characters, std::int64_t length, std::int64_t trial) {
        return std::int64_t(corpus.encode(passkeyPrompt(characters, seed, corpusId, length, trial).text).size());
    };
    const auto isTooShort = [&](std::int64_t length) { return tokensOf(0, length, 0) + kGenerated > length; };
    const std::vector<std::int64_t>& lengths = options.spec.lengths;
    if (std::all_of(lengths.begin(), lengths.end(), isTooShort)) {
        const std::int64_t smallest = tokensOf(0, 0, 0) + kGenerated;
        const std::string found = lengths.empty() ? "none" : std::to_string(*std::max_element(lengths.begin(), lengths.end()));
        throw Error(ErrorKind::Usage, "A passkey prompt with room for its answer needs at least " + std::to_string(smallest) + " tokens; eval.lengths asks for " + found + ".",
                    {.field = "eval.lengths", .found = found, .allowed = std::to_string(smallest) + " or more"});
    }

    Json rows = Json::array();
    std::string trials;
    std::vector<std::string> hashes;
    double sum = 0;
    std::int64_t run = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::int64_t length = lengths[i];
        Json row{{"length", length}};
        Tally tally;
        std::int64_t exact = 0;
        std::int64_t contains = 0;
        std::int64_t agree = 0;  // trials on which generated and teacher-forced answer tokens are right or wrong together
        std::int64_t promptTokens = 0;
        const std::int64_t count = isTooShort(length) ? 0 : options.spec.trials;
        for (std::int64_t trial = 0; trial < count; ++trial) {
            // The most filler characters whose prompt leaves room for the answer.
            std::int64_t low = 0;
            std::int64_t high = 128;
            while (tokensOf(high, length, trial) + kGenerated <= length)
                high *= 2;
            while (high - low > 1) {
                const std::int64_t middle = (low + high) / 2;
                (tokensOf(middle, length, trial) + kGenerated <= length ? low : high) = middle;
            }
            const PasskeyPrompt drawn = passkeyPrompt(low, seed, corpusId, length, trial);
            const std::vector<std::int32_t> ids = corpus.encode(drawn.text);
            NeedlePrompt prompt;
            prompt.answerBegin = std::int64_t(ids.size());
            prompt.tokens = corpus.encode(drawn.text + " " + drawn.key);
            if (prompt.answerTokens() < 1 || !std::equal(ids.begin(), ids.end(), prompt.tokens.begin()))
                throw Error(ErrorKind::Unsupported, "The tokenizer joins the passkey's question and answer, so the answer has no tokens of its own.",
                            {.field = "protocol", .found = "passkey", .allowed = "a tokenizer that cuts between words"});
            if (prompt.answerTokens() > kGenerated)
                throw Error::at(ErrorKind::Usage, {.field = "passkey answer", .found = std::to_string(prompt.answerTokens()) + " tokens", .allowed = "at most " + std::to_string(kGenerated)});
            prompt.key = drawn.key;
            prompt.questionIndex = std::int64_t(corpus.encode(drawn.text.substr(0, drawn.text.size() - kQuestion.size())).size());
            prompt.needleIndex = std::int64_t(corpus.encode(drawn.text.substr(0, drawn.infoAt)).size());
            prompt.needleTokens = std::int64_t(corpus.encode(drawn.text.substr(0, drawn.text.find('\n', drawn.infoAt))).size()) - prompt.needleIndex;
            prompt.keyIndex = prompt.needleIndex;
            prompt.depthReal = realDepth(prompt.needleIndex, prompt.questionIndex, prompt.needleTokens);

            const auto scored = model.score({{prompt.tokens, prompt.answerBegin, std::int64_t(prompt.tokens.size())}});
            const AnswerScore score = answerScore(scored.front(), false);
            const std::vector<std::int32_t> continuation = model.generate({ids}, kGenerated).front();
            const std::string generated = corpus.decode(continuation);
            // Greedy generation goes the teacher-forced way as long as it is right, so both must call the same answers right.
            const bool reproduced = std::int64_t(continuation.size()) >= prompt.answerTokens() &&
                                    std::equal(prompt.tokens.begin() + prompt.answerBegin, prompt.tokens.end(), continuation.begin());
            agree += reproduced == score.exact;
            const bool parsed = passkeyAnswer(generated) == drawn.key;
            const bool contained = scoreOutput(generated, {drawn.key}).contains > 0;
            tally.add(score);
            exact += parsed;
            contains += contained;
            promptTokens += prompt.answerBegin;
            hashes.push_back(hashOfTokens(prompt.tokens.data(), std::size_t(prompt.answerBegin)));
            Json record = trialRecord({length, drawn.share, trial}, prompt, hashes.back(), score, options.dumpPrompts);
            record["generated"] = isUtf8(generated) ? Json(generated) : Json(nullptr);
            record["generated_exact"] = parsed;
            record["generated_tokens_exact"] = reproduced;
            record["generated_contains"] = contained;
            trials += dumpLine(record) + "\n";
            report(options, (double(i) + double(trial + 1) / double(count)) / double(lengths.size()));
        }
        tally.write(row);
        row["outside_training"] = length > model.context();
        if (count > 0) {
            row["generated_exact"] = number(double(exact) / double(count));
            row["generated_contains"] = number(double(contains) / double(count));
            row["generated_agrees"] = number(double(agree) / double(count));
            row["prompt_tokens"] = number(double(promptTokens) / double(count));
            sum += tally.exact();
            ++run;
        } else {
            row["not_run"] = "the prompt and its answer do not fit";
        }
        rows.push_back(std::move(row));
    }
    Json json = documentHead("passkey", corpus, options);
    json["trials_file_hash"] = sha256(join(hashes, "\n"));
    json["chance"] = number(1.0 / 50000);
    json["generated_tokens"] = kGenerated;
    json["bos"] = Json{{"added", false}, {"by", "nobody: training windows begin anywhere in the text"}};
    json["cells_not_run"] = std::int64_t(lengths.size()) - run;
    json["rows"] = std::move(rows);
    json["mean"] = number(sum / double(run));
    writeResult(json, trials, options);
    return json;
}

}  // namespace holo::eval
