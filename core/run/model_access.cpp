#include "core/run/model_access.h"

#include <map>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "core/base/error.h"
#include "core/interop/gather_reader.h"
#include "core/interop/pickle.h"
#include "core/nn/initialise.h"
#include "core/run/checkpoint_damage.h"
#include "core/run/continuation.h"
#include "core/run/hf_import.h"
#include "core/run/load_transformer.h"
#include "core/run/machine.h"
#include "core/train/checkpoint.h"

namespace holo::run {

namespace {

void checkRange(const std::string& what, const std::vector<std::int64_t>& values, std::int64_t end)
{
    for (const std::int64_t value : values)
        if (value < 0 || value >= end)
            throw Error(ErrorKind::Usage, what + " holds " + std::to_string(value) + "; allowed: 0 to " + std::to_string(end - 1) + ".", {"", what, std::to_string(value), "0 to " + std::to_string(end - 1)});
}

at::Tensor asTensor(const std::vector<std::int64_t>& values)
{
    at::Tensor tensor = at::empty({std::int64_t(values.size())}, at::TensorOptions().dtype(at::kLong));
    std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
    return tensor;
}

class LoadedModel : public OpenModel {
public:
    LoadedModel(const std::filesystem::path& checkpoint, const ModelOptions& options)
        : m_loaded(loadTransformer(checkpoint, options.scheme))
    {
        at::set_num_threads(threadsFor(options.threads));
        m_loaded.model.setComputeType(options.precision == "bf16" ? at::kBFloat16 : at::kFloat);
    }

    const CheckpointHeader& header() const override { return m_loaded.header; }

    std::vector<std::vector<float>> logits(const std::vector<std::int64_t>& tokens, const std::vector<std::int64_t>& positions) override
    {
        if (tokens.empty())
            throw Error(ErrorKind::Usage, "there are no tokens; allowed: at least one.", {"", "tokens", "none", "at least one"});
        checkRange("tokens", tokens, m_loaded.model.spec().vocab);
        checkRange("positions", positions, std::int64_t(tokens.size()));
        const at::Tensor hidden = m_loaded.model.hidden(asTensor(tokens).unsqueeze(0));
        const at::Tensor logits = m_loaded.model.logits(hidden, asTensor(positions)).contiguous();
        std::vector<std::vector<float>> rows;
        const float* values = logits.const_data_ptr<float>();
        for (std::size_t i = 0; i < positions.size(); ++i, values += logits.size(1))
            rows.emplace_back(values, values + logits.size(1));
        return rows;
    }

private:
    LoadedTransformer m_loaded;
};

// A Hugging Face model, read straight into place.
LoadedTransformer loadForeign(const std::filesystem::path& path, const std::string& scheme, at::Device device)
{
    const HfCheckpoint foreign = openHfCheckpoint(path);
    const config::ModelSpec model = foreign.header.model();
    const ladder::Scheme schemeRun = schemeFor(foreign.header, scheme);
    nn::Transformer transformer(model, ladder::resolve(foreign.header.spec.scheme, shapeOf(foreign.header)), nn::kFromFile, device);
    LoadedTransformer loaded{foreign.header, foreign.model.tensors.files().front().path(), schemeRun, std::move(transformer)};
    std::map<std::string, at::Tensor> parameters;
    for (const auto& [name, parameter] : loaded.model.parameters())
        parameters[name] = parameter.detach();
    interop::GatherReader reader(foreign.model.tensors);
    for (const interop::RowGather& gather : foreign.model.plan) {
        const at::Tensor& parameter = parameters.at(gather.target);
        if (parameter.sizes().vec() != gather.shape)
            throw Error(ErrorKind::Internal, "the plan of " + gather.target + " does not fit the model.");
        const at::Tensor host = parameter.is_cpu() ? parameter : at::empty(parameter.sizes(), at::TensorOptions().dtype(at::kFloat));
        reader.read(gather, host.mutable_data_ptr<float>());
        if (!parameter.is_cpu())
            parameter.copy_(host);
    }
    if (!scheme.empty())
        loaded.model.setPlan(ladder::resolve(schemeRun, shapeOf(foreign.header)));
    return loaded;
}

}  // namespace

LoadedTransformer loadTransformer(const std::filesystem::path& checkpoint, const std::string& scheme, at::Device device)
{
    std::error_code ec;
    if (!std::filesystem::exists(checkpoint, ec))
        throw Error(ErrorKind::Malformed, checkpoint.string() + ": does not exist.", {checkpoint.string(), "CHECKPOINT", "nothing", "a run folder, a step-N folder or a model file"});
    const auto modelFile = modelFileOf(checkpoint);
    if (!modelFile && interop::isHfModel(checkpoint))
        return loadForeign(checkpoint, scheme, device);
    if (!modelFile)
        throw Error(ErrorKind::Unsupported, checkpoint.string() + ": is no checkpoint.", {checkpoint.string(), "CHECKPOINT", "", "a run folder, a step-N folder, a model file or a Hugging Face folder"});
    interop::refusePickle(*modelFile);
    const auto file = interop::SafetensorsFile::open(*modelFile);
    auto header = readCheckpointHeader(file);
    refuseDamaged(*modelFile);
    if (!header && interop::isHfModel(*modelFile))
        return loadForeign(*modelFile, scheme, device);
    if (!header)
        throw Error(ErrorKind::Unsupported, modelFile->string() + ": does not say how it was made; import it first.", {modelFile->string(), kHeaderKey, "nothing", "a checkpoint of ours"});
    locateTokenizer(*header, *modelFile);
    const config::ModelSpec model = header->model();
    const ladder::Scheme schemeRun = schemeFor(*header, scheme);
    nn::Transformer transformer(model, ladder::resolve(header->spec.scheme, shapeOf(*header)), nn::kFromFile, device);
    LoadedTransformer loaded{*header, *modelFile, schemeRun, std::move(transformer)};
    train::loadWeights(file, loaded.model);
    if (scheme.empty())
        train::checkSeries(file, loaded.model);
    else
        loaded.model.setPlan(ladder::resolve(schemeRun, shapeOf(*header)));
    return loaded;
}

std::unique_ptr<OpenModel> openModel(const std::filesystem::path& checkpoint, const ModelOptions& options) { return std::make_unique<LoadedModel>(checkpoint, options); }

}  // namespace holo::run
