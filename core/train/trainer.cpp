#include "core/train/trainer.h"

#include <cmath>
#include <limits>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "core/base/error.h"
#include "core/base/fault.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/train/adamw.h"
#include "core/train/precision.h"

namespace holo::train {

namespace {

struct Batch {
    at::Tensor tokens, targets;  // int64 [windows, length]
    std::int64_t scored = 0;
};

void copyRow(const std::vector<std::int32_t>& from, at::Tensor& to, std::int64_t row)
{
    std::int64_t* destination = to.mutable_data_ptr<std::int64_t>() + row * to.size(1);
    std::copy(from.begin(), from.end(), destination);
}

// One element turned non-finite where a test asks for it.
void injectFault(const at::Tensor& gradients, std::int64_t step)
{
    const auto set = [&](const char* action, float value) {
        if (!fault::at("grad", action, step))
            return;
        RandomStream random(fault::seed("grad", action), "fault", {std::uint64_t(step)});
        gradients.select(0, std::int64_t(random.below(std::uint64_t(gradients.numel())))).fill_(value);
    };
    set("nan", std::numeric_limits<float>::quiet_NaN());
    set("inf", std::numeric_limits<float>::infinity());
    set("-inf", -std::numeric_limits<float>::infinity());
}

}  // namespace

struct Trainer::Impl {
    config::RunSpec spec;
    nn::Transformer& model;
    const data::Corpus& corpus;
    data::Sampler sampler;
    AdamW optimizer;
    TrainingState state;
    std::int64_t total = 0;

    std::int64_t windowsPerStep() const { return std::int64_t(spec.train.batch) * spec.train.accumulate; }

    Batch read(std::int64_t position, std::int64_t windows) const
    {
        const std::int64_t length = model.spec().context;
        const auto options = at::TensorOptions().dtype(at::kLong);
        Batch batch{at::empty({windows, length}, options), at::empty({windows, length}, options)};
        for (std::int64_t w = 0; w < windows; ++w) {
            const data::Window window = corpus.window(data::Split::Train, length, sampler.at(position + w));
            copyRow(window.inputs, batch.tokens, w);
            copyRow(window.targets, batch.targets, w);
            batch.scored += window.scored;
        }
        return batch;
    }

    // Mean loss of the step; gradients of it are left in the optimiser.
    double accumulate(std::int64_t position, std::int64_t& scored)
    {
        std::vector<Batch> batches;
        for (int a = 0; a < spec.train.accumulate; ++a) {
            batches.push_back(read(position + std::int64_t(a) * spec.train.batch, spec.train.batch));
            scored += batches.back().scored;
        }
        if (scored == 0)
            return 0;
        optimizer.zeroGradients();
        const auto device = model.arena().device();
        double sum = 0;
        std::int64_t key = position;
        for (Batch& batch : batches) {
            if (batch.scored > 0) {
                const at::Tensor loss = model.lossSum(batch.tokens.to(device), batch.targets.to(device), std::uint64_t(key));
                (loss / double(scored)).backward();
                sum += loss.item<double>();
            }
            key += spec.train.batch;
        }
        return sum / double(scored);
    }
};

Trainer::Trainer(const config::RunSpec& spec, nn::Transformer& model, const data::Corpus& corpus)
{
    const std::int64_t windows = corpus.windows(data::Split::Train, model.spec().context);
    if (windows < 1)
        throw Error(ErrorKind::Usage, "data: the training part holds no window of " + std::to_string(model.spec().context) + " tokens.",
            {"", "model.context", std::to_string(model.spec().context), "a length that the training part can fill"});
    m.reset(new Impl{spec, model, corpus, data::Sampler(windows, std::uint64_t(spec.seed)), AdamW(model, spec.train), {}, config::totalSteps(spec)});
    m->state.threads = at::get_num_threads();
}

Trainer::~Trainer() = default;

std::string Trainer::setPrecision(const std::string& precision)
{
    std::string chosen = precision;
    std::string words = "Precision " + precision + ".";
    if (precision == "auto") {
        const Batch batch = m->read(0, m->spec.train.batch);
        const auto device = m->model.arena().device();
        const PrecisionProbe probe = probePrecision(m->model, batch.tokens.to(device), batch.targets.to(device));
        chosen = probe.chosen;
        words = "Precision " + chosen + ": a forward and backward pass takes " + formatFixed(probe.fp32Seconds * 1e3, 2) + " ms in fp32 and "
            + formatFixed(probe.bf16Seconds * 1e3, 2) + " ms in bf16.";
    }
    m->state.precision = chosen;
    m->model.setComputeType(computeType(chosen));
    return words;
}

std::int64_t Trainer::totalSteps() const { return m->total; }
const TrainingState& Trainer::state() const { return m->state; }
void Trainer::addActiveSeconds(double seconds) { m->state.activeSeconds += seconds; }

StepResult Trainer::step()
{
    const config::TrainSpec& train = m->spec.train;
    TrainingState next = m->state;
    ++next.step;
    next.tokens += m->windowsPerStep() * m->model.spec().context;
    StepResult result;
    result.step = next.step;
    result.tokens = next.tokens;
    result.learningRate = config::learningRate(train, m->total, next.step);

    std::int64_t scored = 0;
    result.loss = m->accumulate((next.step - 1) * m->windowsPerStep(), scored);
    if (scored == 0) {
        result.skipped = "nothing to score";
        m->state = next;
        return result;
    }
    if (fault::at("loss", "nan", next.step))
        result.loss = std::numeric_limits<double>::quiet_NaN();
    injectFault(m->optimizer.gradients(), next.step);
    result.gradNorm = m->optimizer.gradientNorm();

    const bool badGradient = !std::isfinite(result.gradNorm);
    if (badGradient || !std::isfinite(result.loss)) {
        const std::string parameter = badGradient ? m->optimizer.firstNonFinite() : std::string();
        const std::string what = "step " + std::to_string(next.step) + ": "
            + (badGradient ? "gradient of " + parameter + " is not finite (norm " + formatDouble(result.gradNorm) + ", loss " + formatDouble(result.loss) + ")"
                           : "loss is " + formatDouble(result.loss));
        ++next.skipped;
        ++next.skippedInRow;
        if (train.nonfinite == "stop" || next.skippedInRow > train.maxSkips)
            throw Error(ErrorKind::Numeric, what + (train.nonfinite == "stop" ? "" : ", for the " + std::to_string(next.skippedInRow) + "th time in a row") + "; weights are those after step "
                    + std::to_string(m->state.step) + ".",
                {"", badGradient ? parameter : "loss", formatDouble(badGradient ? result.gradNorm : result.loss), "a finite value"});
        result.skipped = badGradient ? "gradient of " + parameter + " is not finite" : "loss is not finite";
        m->state = next;
        return result;
    }
    if (train.clip > 0 && result.gradNorm > train.clip)
        m->optimizer.scaleGradients(train.clip / result.gradNorm);
    m->optimizer.update(result.learningRate);
    next.updates = m->optimizer.updates();
    next.skippedInRow = 0;
    next.lastLoss = result.loss;
    m->state = next;
    return result;
}

SavedCheckpoint Trainer::save(const std::filesystem::path& checkpointsFolder, run::CheckpointHeader header)
{
    header.step = m->state.step;
    header.tokens = m->state.tokens;
    return saveCheckpoint(checkpointsFolder, m->model, m->optimizer, m->state, header, m->spec.train.keep);
}

void Trainer::restore(const std::filesystem::path& stepFolder)
{
    const int threads = m->state.threads;
    m->state = loadCheckpoint(stepFolder, m->model, m->optimizer);
    m->state.threads = threads;
    m->model.setComputeType(computeType(m->state.precision));
}

}  // namespace holo::train
