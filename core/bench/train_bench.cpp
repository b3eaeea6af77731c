#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

#include "core/bench/bench.h"
#include "core/bench/bench_model.h"
#include "core/bench/copy_bandwidth.h"
#include "core/bench/cuda_bench.h"
#include "core/bench/eager_model.h"
#include "core/bench/environment.h"
#include "core/bench/matrix_products.h"
#include "core/bench/memory.h"
#include "core/bench/timing.h"
#include "core/nn/attention_layers.h"
#include "core/ops/rotary.h"
#include "core/train/adamw.h"
#include "core/train/trainer.h"

namespace holo::bench {

namespace {

constexpr int kFaultSteps = 5;
constexpr double kFlopsPerToken124M = 860e6;
constexpr double kPeakFlopsH200 = 989e12;

ModelSize shared(ModelSize size, const BenchOptions& options)
{
    size.batch = std::max(1, size.batch / options.share);
    return size;
}

// Rotary of every layer, forward and backward, on projections as large as the step's.
class RotaryOfAStep {
public:
    RotaryOfAStep(const nn::Transformer& model, std::int64_t batch, bool bf16)
        : m_layers(nn::attentionLayers(model.plan(), model.spec().context, 0, at::kCPU, false))
        , m_packed(at::full({batch, model.spec().context, m_layers.front()->rowWidth()}, 0.5, at::TensorOptions().dtype(bf16 ? at::kBFloat16 : at::kFloat)))
    {
    }
    void run() const
    {
        for (const bool backward : {false, true})
            for (const auto& layer : m_layers)
                ops::rotatePacked_(m_packed, *layer, backward);
    }

private:
    std::vector<ops::AttentionLayerPtr> m_layers;
    at::Tensor m_packed;
};

void addSteps(std::vector<Row>& rows, const ModelSize& size, const std::string& precision, const BenchOptions& options)
{
    const config::RunSpec run = runOf(size);
    const auto corpus = randomCorpus(size.vocab);
    nn::Transformer model = transformerOf(run);
    train::Trainer trainer(run, model, *corpus);
    trainer.setPrecision(precision);
    const bool bf16 = precision == "bf16";
    EagerModel eager(model, bf16 ? EagerModel::Precision::Bf16 : EagerModel::Precision::Fp32);
    const std::int64_t rowsOfAStep = std::int64_t(size.batch) * size.context;
    MatrixProducts products(run.model, rowsOfAStep, rowsOfAStep, bf16);
    const RotaryOfAStep rotary(model, size.batch, bf16);
    const at::Tensor tokens = tokenTensor(randomTokens(rowsOfAStep, size.vocab, 1), size.batch);
    const at::Tensor targets = tokenTensor(randomTokens(rowsOfAStep, size.vocab, 2), size.batch);
    const auto samples = interleave({{"step", [&] { trainer.step(); }, 1},
                                     {"the same model in stock eager LibTorch", [&] { eager.step(tokens, targets, 1e-4); }, 1},
                                     {"matrix products of projections and head", [&] { products.forwardAndBackward(); }, 1},
                                     {"rotary of all layers, forward and backward", [&] { rotary.run(); }}},
        options.rounds, options.clock);
    const std::string device = cpuDevice();
    const std::string variant = size.name + " " + precision + " " + size.text();
    Row speed = speedRow("T3a training ÷ stock eager LibTorch", variant, double(rowsOfAStep), samples[0], samples[1], "tok/s", atLeast(1.5), device);
    speed.note += "; both under this program's allocator";
    rows.push_back(std::move(speed));
    rows.push_back(timeRow("T1 step ÷ matrix products", variant, samples[0], samples[2], atMost(1.6), device));
    rows.push_back(timeRow("T9 rotary share of the step", variant, samples[3], samples[0], atMost(0.02), device));

    const std::int64_t before = minorFaults();
    for (int i = 0; i < kFaultSteps; ++i)
        trainer.step();
    rows.push_back(valueRow("T4 page faults of a steady step", variant, double(minorFaults() - before) / kFaultSteps, "faults", atMost(100), device));
}

// The precision that a run of this size would choose by itself.
std::string probed(const ModelSize& size)
{
    const config::RunSpec run = runOf(size);
    const auto corpus = randomCorpus(size.vocab);
    nn::Transformer model = transformerOf(run);
    train::Trainer trainer(run, model, *corpus);
    trainer.setPrecision("auto");
    return trainer.state().precision;
}

void addOptimizer(std::vector<Row>& rows, const BenchOptions& options)
{
    const config::RunSpec run = runOf(kTwelveMillion);
    nn::Transformer model = transformerOf(run);
    train::AdamW optimizer(model, run.train);
    optimizer.gradients().fill_(1e-3);
    std::vector<at::Tensor> parameters, gradients, first, second, counts;
    for (const auto& [name, parameter] : model.parameters()) {
        parameters.push_back(parameter.detach().clone());
        gradients.push_back(at::full(parameter.sizes(), 1e-3, at::TensorOptions().dtype(at::kFloat)));
        first.push_back(at::zeros_like(parameters.back()));
        second.push_back(at::zeros_like(parameters.back()));
        counts.push_back(at::full({}, 1.0, at::TensorOptions().dtype(at::kFloat)));
    }
    // Reads weight, gradient and two moments, writes all but the gradient: 28 bytes a parameter, as a copy of 14.
    const std::int64_t copied = 14 * optimizer.gradients().numel();
    const at::Tensor from = at::full({copied}, 1, at::TensorOptions().dtype(at::kByte));
    const at::Tensor to = at::full({copied}, 0, at::TensorOptions().dtype(at::kByte));
    const auto samples = interleave({{"AdamW", [&] { optimizer.update(1e-4); }},
                                     {"_fused_adamw_ over all tensors", [&] {
                                          const at::NoGradGuard guard;
                                          at::_fused_adamw_(parameters, gradients, first, second, {}, counts, 1e-4, 0.9, 0.95, 0.1, 1e-8, false, false);
                                      }},
                                     {"memcpy", [&] { copyBytes(to.mutable_data_ptr(), from.const_data_ptr(), copied); }}},
        options.rounds, options.clock);
    const std::string variant = kTwelveMillion.name + " parameters, fp32";
    rows.push_back(speedRow("T5 AdamW ÷ copy", variant, 2e-9 * double(copied), samples[0], samples[2], "GB/s", atLeast(0.8), cpuDevice()));
    rows.push_back(timeRow("T5 AdamW ÷ fused AdamW of LibTorch", variant, samples[0], samples[1], atMost(1.0), cpuDevice()));
}

// A model that is hardly more than its head, on `windows` windows of 256 tokens.
class HeadProblem {
public:
    explicit HeadProblem(int windows)
        : m_size{"head", 1, 64, 1, 256, windows, 50304}
        , m_run(runOf(m_size))
        , m_model(transformerOf(m_run))
        , m_optimizer(m_model, m_run.train)  // gives the parameters their gradients' memory
        , m_tokens(tokenTensor(randomTokens(rows(), m_size.vocab, 1), windows))
        , m_targets(tokenTensor(randomTokens(rows(), m_size.vocab, 2), windows))
    {
    }

    std::int64_t rows() const { return std::int64_t(m_size.batch) * m_size.context; }
    double logitsBytes() const { return 4.0 * double(rows()) * m_size.vocab; }
    std::string variant() const { return "fp32 " + std::to_string(rows()) + " rows, width 64, V50304, forward and backward"; }
    const nn::Transformer& model() const { return m_model; }
    void ours() { m_model.lossSum(m_tokens, m_targets).backward(); }
    void stock(const EagerModel& eager) const { eager.loss(m_tokens, m_targets).backward(); }

private:
    ModelSize m_size;
    config::RunSpec m_run;
    nn::Transformer m_model;
    train::AdamW m_optimizer;
    at::Tensor m_tokens, m_targets;
};

void addLoss(std::vector<Row>& rows, const BenchOptions& options)
{
    HeadProblem large(std::max(1, 16 / options.share));
    const double extra = double(tensorMemory([&] { large.ours(); }).peak) - 4.0 * double(large.model().arena().numel());
    rows.push_back(ratioRow("T6 memory of the loss ÷ full logits", large.variant(), extra, large.logitsBytes(), "bytes", atMost(0.15), cpuDevice(),
        "most tensor memory held at once, without the weights' gradients, ÷ fp32 logits of all rows"));
    HeadProblem small(std::max(1, 4 / options.share));
    const EagerModel eager(small.model(), EagerModel::Precision::Fp32);
    const auto samples = interleave({{"loss and its gradients", [&] { small.ours(); }, 1}, {"linear and cross_entropy of LibTorch", [&] { small.stock(eager); }, 1}},
        options.rounds, options.clock);
    rows.push_back(timeRow("T6 time of the loss ÷ unfused", small.variant(), samples[0], samples[1], atMost(1.0), cpuDevice()));
}

void addCuda(std::vector<Row>& rows, const BenchOptions& options)
{
    const ModelSize size = shared(kGpt2Small, options);
    const std::string name = "T7 GPU share of peak FLOP/s";
    const std::string variant = size.name + " bf16 " + size.text();
    if (cudaDevice().empty()) {
        rows.push_back(skipped(name, variant, "cuda", "no device"));
        return;
    }
    try {
        const config::RunSpec run = runOf(size);
        const auto corpus = randomCorpus(size.vocab);
        nn::Transformer model = transformerOf(run, at::Device(at::kCUDA, 0));
        train::Trainer trainer(run, model, *corpus);
        trainer.setPrecision("bf16");
        const auto samples = interleave({{"step", [&] { trainer.step(); }}}, options.rounds, cudaSeconds);
        const double tokens = double(size.batch) * double(size.context) / samples[0].median();
        Row row = valueRow(name, variant, tokens * kFlopsPerToken124M / kPeakFlopsH200, "of 989 TFLOP/s", atLeast(0.35), cudaDevice());
        row.details["tok_s"] = tokens;
        row.details["seconds"] = samples[0].spread();
        rows.push_back(std::move(row));
    } catch (const std::exception& error) {
        Row row = skipped(name, variant, cudaDevice(), "");
        row.pass = false;
        row.note = error.what();
        rows.push_back(std::move(row));
    }
}

// Steps by themselves, one size after the other; `make` gives the call of one step.
template <class Make>
std::vector<Row> stepRows(const std::string& name, const BenchOptions& options, const Make& make)
{
    std::vector<Row> rows;
    for (const ModelSize& full : {kOneMillion, kTwelveMillion}) {
        const ModelSize size = shared(full, options);
        const config::RunSpec run = runOf(size);
        const auto corpus = randomCorpus(size.vocab);
        nn::Transformer model = transformerOf(run);
        const auto samples = interleave({{"step", make(size, run, model, *corpus), 1}}, options.rounds, options.clock);
        const double tokens = double(size.batch) * double(size.context);
        Row row = valueRow(name, size.name + " fp32 " + size.text(), tokens / samples[0].median(), "tok/s", {}, cpuDevice());
        row.details["seconds"] = samples[0].spread();
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

std::vector<Row> benchTrain(const BenchOptions& options)
{
    std::vector<Row> rows;
    for (const ModelSize& full : {kOneMillion, kTwelveMillion}) {
        const ModelSize size = shared(full, options);
        for (const std::string& precision : std::set<std::string>{"fp32", probed(size)})
            addSteps(rows, size, precision, options);
    }
    addOptimizer(rows, options);
    addLoss(rows, options);
    addCuda(rows, options);
    return rows;
}

std::vector<Row> benchStep(const BenchOptions& options)
{
    return stepRows("training step", options, [](const ModelSize&, const config::RunSpec& run, nn::Transformer& model, const data::Corpus& corpus) {
        const auto trainer = std::make_shared<train::Trainer>(run, model, corpus);
        trainer->setPrecision("fp32");
        return [trainer] { trainer->step(); };
    });
}

std::vector<Row> benchEagerStep(const BenchOptions& options)
{
    return stepRows("training step in stock eager LibTorch", options, [](const ModelSize& size, const config::RunSpec&, nn::Transformer& model, const data::Corpus&) {
        const auto eager = std::make_shared<EagerModel>(model, EagerModel::Precision::Fp32);
        const std::int64_t count = std::int64_t(size.batch) * size.context;
        const at::Tensor tokens = tokenTensor(randomTokens(count, size.vocab, 1), size.batch);
        const at::Tensor targets = tokenTensor(randomTokens(count, size.vocab, 2), size.batch);
        return [eager, tokens, targets] { eager->step(tokens, targets, 1e-4); };
    });
}

}  // namespace holo::bench
