#include "core/train/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/fault.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/interop/safetensors_writer.h"
#include "core/interop/tensor_values.h"
#include "core/run/run_directory.h"

namespace holo::train {

namespace fs = std::filesystem;

namespace {

constexpr int kStateFormat = 1;

const char* dtypeName(const at::Tensor& tensor) { return tensor.scalar_type() == at::kDouble ? "F64" : "F32"; }

bool finite(const at::Tensor& tensor) { return at::isfinite(tensor).all().item<bool>(); }

// A parameter's part of a flat tensor in the arena's layout.
at::Tensor partOf(const at::Tensor& flat, const at::Tensor& parameter) { return flat.narrow(0, parameter.storage_offset(), parameter.numel()).view(parameter.sizes()); }

void addTensor(interop::SafetensorsWriter& writer, std::vector<at::Tensor>& alive, const std::string& name, const at::Tensor& tensor)
{
    alive.push_back(tensor.detach().cpu().contiguous());
    writer.add(name, dtypeName(alive.back()), alive.back().sizes().vec(), alive.back().const_data_ptr());
}

interop::WrittenFile writeModel(const fs::path& file, const nn::Transformer& model, const run::CheckpointHeader& header)
{
    interop::SafetensorsWriter writer;
    writer.setMetadata("format", "pt");
    writer.setMetadata(run::kHeaderKey, dumpLine(header.toJson()));
    std::vector<at::Tensor> alive;
    for (const auto& [name, parameter] : model.parameters())
        addTensor(writer, alive, name, parameter);
    for (const auto& [name, tensor] : model.schemeTensors())
        addTensor(writer, alive, name, tensor);
    return writer.write(file);
}

interop::WrittenFile writeOptimizer(const fs::path& file, const nn::Transformer& model, const AdamW& optimizer)
{
    interop::SafetensorsWriter writer;
    writer.setMetadata("updates", std::to_string(optimizer.updates()));
    std::vector<at::Tensor> alive;
    for (const auto& [name, parameter] : model.parameters()) {
        addTensor(writer, alive, "first." + name, partOf(optimizer.firstMoments(), parameter));
        addTensor(writer, alive, "second." + name, partOf(optimizer.secondMoments(), parameter));
    }
    return writer.write(file);
}

Json manifestEntry(const interop::WrittenFile& written) { return {{"bytes", written.bytes}, {"sha256", written.sha256}}; }

void readInto(const interop::SafetensorsFile& file, const std::string& name, const at::Tensor& destination)
{
    const interop::TensorInfo& info = file.get(name);
    if (info.shape != destination.sizes().vec())
        throw Error::at(ErrorKind::Malformed, {file.path().string(), "shape of tensor " + name, interop::shapeText(info.shape), interop::shapeText(destination.sizes().vec()) + ", as the model has it"});
    const at::NoGradGuard guard;
    at::Tensor host = destination.is_cpu() ? destination.detach() : at::empty(destination.sizes(), at::TensorOptions().dtype(at::kFloat));
    interop::readFloats(file, info, host.mutable_data_ptr<float>());
    if (!destination.is_cpu())
        destination.detach().copy_(host);
}

// Deletes so that a kill in between leaves something that counts as a leftover, not as a damaged checkpoint.
void removeCheckpoint(const fs::path& folder)
{
    const fs::path aside = folder.parent_path() / ("." + folder.filename().string() + ".old.tmp");
    fs::remove_all(aside);
    fs::rename(folder, aside);
    fs::remove_all(aside);
}

void keepNewest(const fs::path& checkpointsFolder, int keep)
{
    const auto complete = run::RunDirectory(checkpointsFolder.parent_path()).checkpoints();
    for (std::size_t i = 0; i + std::size_t(std::max(keep, 1)) < complete.size(); ++i)
        removeCheckpoint(complete[i].folder);
}

}  // namespace

Json TrainingState::toJson() const
{
    return {{"format", kStateFormat}, {"step", step}, {"tokens", tokens}, {"updates", updates}, {"skipped", skipped}, {"skipped_in_row", skippedInRow},
        {"active_seconds", number(activeSeconds)}, {"precision", precision}, {"threads", threads}, {"loss", number(lastLoss)}};
}

TrainingState TrainingState::fromJson(const Json& json, const std::string& source)
{
    try {
        TrainingState state;
        if (json.at("format").get<int>() != kStateFormat)
            throw Error::at(ErrorKind::Unsupported, {source, "format", json.at("format").dump(), std::to_string(kStateFormat)});
        state.step = json.at("step").get<std::int64_t>();
        state.tokens = json.at("tokens").get<std::int64_t>();
        state.updates = json.at("updates").get<std::int64_t>();
        state.skipped = json.at("skipped").get<std::int64_t>();
        state.skippedInRow = json.at("skipped_in_row").get<std::int64_t>();
        state.activeSeconds = toDouble(json.at("active_seconds"), "active_seconds");
        state.precision = json.at("precision").get<std::string>();
        state.threads = json.at("threads").get<int>();
        state.lastLoss = toDouble(json.at("loss"), "loss");
        return state;
    } catch (const Json::exception& problem) {
        throw Error(ErrorKind::Malformed, source + ": is not the state of a training run (" + problem.what() + ").", {source, "", "", ""});
    }
}

SavedCheckpoint saveCheckpoint(const fs::path& checkpointsFolder, const nn::Transformer& model, const AdamW& optimizer, const TrainingState& state,
    const run::CheckpointHeader& header, int keep)
{
    const std::string name = "step-" + std::to_string(state.step);
    const fs::path target = checkpointsFolder / name;
    if (run::isCompleteCheckpoint(target, true)) {
        const Json manifest = readJsonFile(target / "manifest.json");
        return {target, manifest.at("files").at("model.safetensors").value("sha256", "")};
    }
    for (const auto& [parameterName, parameter] : model.parameters())
        if (!finite(parameter.detach()))
            throw Error(ErrorKind::Numeric, "step " + std::to_string(state.step) + ": weights of " + parameterName + " are not finite; no checkpoint is written.");
    if (!finite(optimizer.firstMoments()) || !finite(optimizer.secondMoments()))
        throw Error(ErrorKind::Numeric, "step " + std::to_string(state.step) + ": moments of the optimiser are not finite; no checkpoint is written.");

    const fs::path aside = checkpointsFolder / ("." + name + ".tmp");
    try {
        fs::create_directories(checkpointsFolder);
        fs::remove_all(aside);
        fs::create_directory(aside);
        const auto modelFile = writeModel(aside / "model.safetensors", model, header);
        if (fault::hit("checkpoint", "kill"))
            ::kill(::getpid(), SIGKILL);
        const auto optimizerFile = writeOptimizer(aside / "optimizer.safetensors", model, optimizer);
        const std::string stateText = dumpPretty(state.toJson());
        writeFileAtomic(aside / "state.json", stateText);
        const Json manifest = {{"format", 1}, {"step", state.step},
            {"files", {{"model.safetensors", manifestEntry(modelFile)}, {"optimizer.safetensors", manifestEntry(optimizerFile)},
                          {"state.json", {{"bytes", stateText.size()}, {"sha256", sha256(stateText)}}}}}};
        writeFileAtomic(aside / "manifest.json", dumpPretty(manifest));
        fsyncFolder(aside);
        if (fs::exists(target))
            removeCheckpoint(target);
        fs::rename(aside, target);
        fsyncFolder(checkpointsFolder);
        keepNewest(checkpointsFolder, keep);
        return {target, modelFile.sha256};
    } catch (const Error&) {
        std::error_code ec;
        fs::remove_all(aside, ec);  // a full disk gets its space back
        throw;
    } catch (const fs::filesystem_error& problem) {
        throw Error(ErrorKind::Resource, target.string() + ": cannot be written (" + problem.code().message() + ").", {target.string(), "", problem.code().message(), "a writable place with free space"});
    }
}

TrainingState loadCheckpoint(const fs::path& folder, nn::Transformer& model, AdamW& optimizer)
{
    const TrainingState state = TrainingState::fromJson(readJsonFile(folder / "state.json"), (folder / "state.json").string());
    const auto weights = interop::SafetensorsFile::open(folder / "model.safetensors");
    loadWeights(weights, model);
    checkSeries(weights, model);
    const auto moments = interop::SafetensorsFile::open(folder / "optimizer.safetensors");
    for (const auto& [name, parameter] : model.parameters()) {
        readInto(moments, "first." + name, partOf(optimizer.firstMoments(), parameter));
        readInto(moments, "second." + name, partOf(optimizer.secondMoments(), parameter));
    }
    optimizer.setUpdates(state.updates);
    return state;
}

void loadWeights(const interop::SafetensorsFile& file, nn::Transformer& model)
{
    std::set<std::string> known;
    for (const auto& [name, parameter] : model.parameters()) {
        readInto(file, name, parameter);
        known.insert(name);
    }
    for (const interop::TensorInfo& info : file.tensors())
        if (!known.contains(info.name) && !info.name.starts_with("scheme."))
            throw Error(ErrorKind::Malformed, file.path().string() + ": tensor " + info.name + " is not one of the model's.", {file.path().string(), info.name, "", ""});
}

void checkSeries(const interop::SafetensorsFile& file, const nn::Transformer& model)
{
    constexpr double kRounding = 1e-6;
    for (const auto& [name, tensor] : model.schemeTensors()) {
        const interop::TensorInfo* info = file.find(name);
        if (!info)
            continue;
        const std::string field = "tensor \"" + name + "\"";
        if (info->shape != tensor.sizes().vec())
            throw Error::at(ErrorKind::Unsupported, {file.path().string(), field, interop::shapeText(info->shape), interop::shapeText(tensor.sizes().vec()) + " by its scheme"});
        const std::vector<double> stored = interop::readDoubles({&file, info});
        const double* made = tensor.const_data_ptr<double>();
        for (std::size_t i = 0; i < stored.size(); ++i)
            if (!(std::abs(stored[i] - made[i]) <= kRounding * std::max(1.0, std::abs(made[i]))))
                throw Error::at(ErrorKind::Unsupported, {file.path().string(), field + ", element " + std::to_string(i), formatDouble(stored[i]), formatDouble(made[i]) + " by its scheme"});
    }
}

std::vector<std::string> removeLeftovers(const fs::path& checkpointsFolder)
{
    std::vector<std::string> notes;
    std::error_code ec;
    std::vector<fs::path> leftovers;
    for (const auto& item : fs::directory_iterator(checkpointsFolder, ec))
        if (item.path().filename().string().starts_with("."))
            leftovers.push_back(item.path());
    for (const fs::path& leftover : leftovers) {
        fs::remove_all(leftover, ec);
        notes.push_back("checkpoints/" + leftover.filename().string() + " was never finished and is removed.");
    }
    return notes;
}

void checkFreeSpace(const fs::path& folder, std::int64_t checkpointBytes, int keep)
{
    std::error_code ec;
    const auto space = fs::space(folder, ec);
    if (ec)
        return;
    const auto needed = std::uint64_t(checkpointBytes) * (std::uint64_t(keep) + 1);
    if (space.available < needed)
        throw Error(ErrorKind::Resource, folder.string() + ": has " + std::to_string(space.available) + " bytes free; " + std::to_string(keep) + " checkpoints and the one being written need "
                + std::to_string(needed) + ".",
            {folder.string(), "free space", std::to_string(space.available), std::to_string(needed)});
}

}  // namespace holo::train
