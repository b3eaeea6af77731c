#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/data/synthetic.h"
#include "core/eval/evaluator.h"

// Models whose every probability is known, and a scorer in plain loops: the reference for protocols and for the real language model.
namespace planted {

using Tokens = std::vector<std::int32_t>;

class Model : public holo::eval::LanguageModel {
public:
    using Rule = std::function<std::vector<double>(std::span<const std::int32_t>)>;  // log-probabilities of the next token after a prefix

    Model(int vocabulary, std::int64_t context, Rule rule)
        : m_vocabulary(vocabulary)
        , m_context(context)
        , m_rule(std::move(rule))
    {
    }

    int vocabulary() const override { return m_vocabulary; }
    std::int64_t context() const override { return m_context; }

    std::vector<std::vector<holo::eval::ScoredToken>> score(const std::vector<Request>& requests) override
    {
        std::vector<std::vector<holo::eval::ScoredToken>> result;
        for (const Request& request : requests) {
            result.emplace_back();
            for (auto t = request.begin; t < request.end; ++t)
                result.back().push_back(scored(m_rule({request.tokens.data(), std::size_t(t)}), request.tokens[std::size_t(t)], request.among));
        }
        ++calls;
        return result;
    }

    std::vector<Tokens> generate(const std::vector<Tokens>& prompts, int count) override
    {
        std::vector<Tokens> result;
        for (const Tokens& prompt : prompts) {
            Tokens tokens = prompt;
            for (int i = 0; i < count; ++i) {
                const auto logs = m_rule(tokens);
                tokens.push_back(std::int32_t(std::max_element(logs.begin(), logs.end()) - logs.begin()));
            }
            result.emplace_back(tokens.begin() + std::ptrdiff_t(prompt.size()), tokens.end());
        }
        return result;
    }

    static holo::eval::ScoredToken scored(const std::vector<double>& logs, std::int32_t target, const Tokens& among)
    {
        const double own = logs[std::size_t(target)];
        const auto rankIn = [&](const auto& others) {
            double above = 0;
            double equal = 0;
            for (const double other : others) {
                above += other > own;
                equal += other == own;
            }
            return above + (equal + 1) / 2;
        };
        holo::eval::ScoredToken token;
        token.logProbability = own;
        token.rank = rankIn(logs);
        token.isArgmax = token.rank == 1;
        if (std::find(among.begin(), among.end(), target) != among.end()) {
            std::vector<double> others;
            for (const auto candidate : among)
                others.push_back(logs[std::size_t(candidate)]);
            token.rankAmong = rankIn(others);
        }
        return token;
    }

    int calls = 0;

private:
    int m_vocabulary;
    std::int64_t m_context;
    Rule m_rule;
};

// Probability `p` on one token, the rest even.
inline std::vector<double> peaked(int vocabulary, std::int32_t token, double p)
{
    std::vector<double> logs(std::size_t(vocabulary), std::log((1 - p) / (vocabulary - 1)));
    logs[std::size_t(token)] = std::log(p);
    return logs;
}

// next token = token + 1 mod V
inline Model successor(int vocabulary, std::int64_t context = 256)
{
    return Model(vocabulary, context, [vocabulary](std::span<const std::int32_t> prefix) { return peaked(vocabulary, (prefix.back() + 1) % vocabulary, .9); });
}

// After REC, name: the value that this name has earlier in the prompt, if it has one; even everywhere else.
inline Model factsOracle(const holo::data::SyntheticCorpus& corpus)
{
    const int vocabulary = corpus.vocabulary();
    return Model(vocabulary, 256, [vocabulary](std::span<const std::int32_t> prefix) {
        const std::size_t n = prefix.size();
        if (n >= 2 && prefix[n - 2] == 1)
            for (std::size_t i = n - 2; i-- > 0;)
                if (prefix[i] == 1 && prefix[i + 1] == prefix[n - 1])
                    return peaked(vocabulary, prefix[i + 2], .8);
        return std::vector<double>(std::size_t(vocabulary), -std::log(vocabulary));
    });
}

// Knows that a value must follow, not which.
inline Model factsGuesser(const holo::data::SyntheticCorpus& corpus)
{
    const auto v = corpus.generator().vocabulary();
    return Model(v.size(), 256, [v](std::span<const std::int32_t> prefix) {
        std::uint64_t h = 0;
        for (const auto token : prefix)
            h = h * 1099511628211ull + std::uint64_t(token) + 1;
        holo::RandomStream random(h, "guess");
        return peaked(v.size(), v.token(holo::data::FactsKind::Value, int(random.below(std::uint64_t(v.values())))), .9);
    });
}

}  // namespace planted
