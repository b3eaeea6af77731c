#include "core/bench/bench_model.h"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "core/base/random.h"
#include "core/config/scheme_json.h"

namespace holo::bench {

namespace {

class RandomCorpus : public data::Corpus {
public:
    explicit RandomCorpus(int vocabulary) : m_vocabulary(vocabulary) {}

    int vocabulary() const override { return m_vocabulary; }
    std::string hash() const override { return "random"; }
    Json describe() const override { return {{"source", "random"}}; }
    std::int64_t windows(data::Split, std::int64_t) const override { return 1 << 20; }
    data::Window window(data::Split, std::int64_t length, std::int64_t index) const override
    {
        const auto tokens = randomTokens(length + 1, m_vocabulary, std::uint64_t(index));
        return {{tokens.begin(), tokens.end() - 1}, {tokens.begin() + 1, tokens.end()}, length};
    }
    std::string decode(std::span<const std::int32_t>) const override { return {}; }
    std::vector<std::int32_t> encode(const std::string&) const override { return {}; }
    int endOfDocument() const override { return -1; }

private:
    int m_vocabulary;
};

}  // namespace

std::string ModelSize::text() const
{
    return std::to_string(layers) + "×" + std::to_string(hidden) + ", " + std::to_string(heads) + " heads, T" + std::to_string(context) + ", B" + std::to_string(batch) + ", V"
        + std::to_string(vocab);
}

config::RunSpec runOf(const ModelSize& size)
{
    config::RunSpec run;
    run.seed = 1;
    run.scheme = config::parseScheme("standard");
    run.model.layers = size.layers;
    run.model.hidden = size.hidden;
    run.model.heads = size.heads;
    run.model.context = size.context;
    run.model = config::resolved(run.model, size.vocab);
    run.train.batch = size.batch;
    run.train.steps = std::int64_t(1) << 40;
    run.train.lr = 1e-4;
    run.train.warmup = 0;
    run.train.schedule = "constant";
    run.train.clip = 1;
    return run;
}

nn::Transformer transformerOf(const config::RunSpec& run, at::Device device)
{
    return nn::Transformer(run.model, ladder::resolve(run.scheme, config::modelShape(run.model, run.seed)), std::uint64_t(run.seed), device);
}

std::unique_ptr<data::Corpus> randomCorpus(int vocabulary) { return std::make_unique<RandomCorpus>(vocabulary); }

std::vector<std::int32_t> randomTokens(std::int64_t count, int vocabulary, std::uint64_t seed)
{
    RandomStream random(seed, "bench.tokens");
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
    for (std::int32_t& token : tokens)
        token = std::int32_t(random.below(std::uint64_t(vocabulary)));
    return tokens;
}

at::Tensor tokenTensor(const std::vector<std::int32_t>& tokens, std::int64_t rows)
{
    at::Tensor tensor = at::empty({rows, std::int64_t(tokens.size()) / rows}, at::TensorOptions().dtype(at::kLong));
    std::copy(tokens.begin(), tokens.end(), tensor.mutable_data_ptr<std::int64_t>());
    return tensor;
}

}  // namespace holo::bench
