#include <algorithm>
#include <string>

#include <ATen/TensorOperators.h>

#include "core/bench/bench.h"
#include "core/bench/bench_model.h"
#include "core/bench/eager_model.h"
#include "core/bench/environment.h"
#include "core/bench/matrix_products.h"
#include "core/bench/timing.h"
#include "core/eval/evaluator.h"

namespace holo::bench {

namespace {

using eval::LanguageModel;
using Requests = std::vector<LanguageModel::Request>;

constexpr std::int64_t kAnswer = 5;   // tokens
constexpr std::int64_t kNeedle = 12;  // tokens
constexpr int kDepths = 11;

LanguageModel::Request request(std::vector<std::int32_t> tokens)
{
    const auto end = std::int64_t(tokens.size());
    return {std::move(tokens), end - kAnswer, end};
}

Requests independentTrials(int count, std::int64_t length, int vocabulary)
{
    Requests requests;
    for (int i = 0; i < count; ++i)
        requests.push_back(request(randomTokens(length, vocabulary, std::uint64_t(100 + i))));
    return requests;
}

// One haystack with the needle at eleven depths: prompts that begin alike up to their needle.
Requests sharedTrials(std::int64_t length, int vocabulary)
{
    const auto haystack = randomTokens(length - kNeedle, vocabulary, 1);
    const auto needle = randomTokens(kNeedle, vocabulary, 2);
    Requests requests;
    for (int d = 0; d < kDepths; ++d) {
        auto tokens = haystack;
        const auto room = length - kNeedle - kAnswer;
        tokens.insert(tokens.begin() + std::ptrdiff_t(room * d / (kDepths - 1)), needle.begin(), needle.end());
        requests.push_back(request(std::move(tokens)));
    }
    return requests;
}

}  // namespace

std::vector<Row> benchEval(const BenchOptions& options)
{
    std::vector<Row> rows;
    const ModelSize& size = kOneMillion;
    const config::RunSpec run = runOf(size);
    nn::Transformer transformer = transformerOf(run);
    const auto model = eval::languageModel(transformer);
    const EagerModel eager(transformer, EagerModel::Precision::Fp32);

    const int trials = std::max(2, 16 / options.share);
    const Requests independent = independentTrials(trials, size.context, size.vocab);
    const Requests depths = sharedTrials(size.context, size.vocab);
    const Requests others = independentTrials(kDepths, size.context, size.vocab);
    std::vector<std::int32_t> prompts;
    for (const auto& r : independent)
        prompts.insert(prompts.end(), r.tokens.begin(), r.tokens.end() - kAnswer);
    const at::Tensor promptTensor = tokenTensor(prompts, trials);
    MatrixProducts products(run.model, size.context - 1, kAnswer, false);

    const auto samples = interleave(
        {{"teacher-forced score of the answers", [&] { model->score(independent); }, 1},
         {"greedy decoding with a cache, one batch", [&] { eager.greedy(promptTensor, kAnswer); }, 1},
         {"greedy decoding with a cache, one by one", [&] {
              for (std::int64_t i = 0; i < trials; ++i)
                  eager.greedy(promptTensor.narrow(0, i, 1), kAnswer);
          }, 1},
         {"one haystack at 11 depths", [&] { model->score(depths); }, 1},
         {"11 haystacks", [&] { model->score(others); }, 1},
         {"matrix products of projections and answers", [&] {
              for (int i = 0; i < trials; ++i)
                  products.forward();
          }, 1}},
        options.rounds, options.clock);
    const std::string device = cpuDevice();
    const std::string variant = size.name + " fp32, prompts of " + std::to_string(size.context) + " tokens, answers of " + std::to_string(kAnswer);
    const Samples& greedy = samples[1].median() < samples[2].median() ? samples[1] : samples[2];
    rows.push_back(speedRow("E1 teacher-forced ÷ greedy trials", variant, trials, samples[0], greedy, "trials/s", atLeast(2), device));
    rows.push_back(speedRow("E2 shared beginnings ÷ independent trials", variant, kDepths, samples[3], samples[4], "trials/s", atLeast(1.6), device));
    rows.push_back(timeRow("E3 evaluation ÷ matrix products", variant, samples[0], samples[5], atMost(1.4), device));
    return rows;
}

}  // namespace holo::bench
