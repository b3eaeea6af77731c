#include "core/interop/hf_model.h"

#include <set>

#include "core/base/error.h"
#include "core/interop/stored_frequencies.h"
#include "core/interop/tensor_values.h"
#include "core/ladder/plan.h"

namespace holo::interop {

namespace fs = std::filesystem;

namespace {

constexpr const char* kIndex = "model.safetensors.index.json";

fs::path configBeside(const fs::path& path)
{
    std::error_code ec;
    return (fs::is_directory(path, ec) ? path : path.parent_path()) / "config.json";
}

std::string commonType(const std::vector<RowGather>& plan, const TensorSet& tensors)
{
    std::set<std::string> types;
    for (const RowGather& gather : plan)
        for (const RowGather::Part& part : gather.parts)
            types.insert(tensors.find(part.source)->info->dtype);
    return types.size() == 1 ? *types.begin() : std::string();
}

void useFrequencies(HfModel& model, StoredFrequencies choice)
{
    if (model.report.frequencies.empty() || model.config.rotaryDim == 0)
        return;
    const ladder::Plan plan = ladder::resolve(model.config.rope, shapeOf(model.config));
    const std::vector<double>& thetas = plan.ladders.front().theta;
    if (choice == StoredFrequencies::Refuse)
        refuseOtherFrequencies(model.tensors, thetas);
    std::size_t agreeing = 0;
    for (const std::string& name : model.report.frequencies) {
        const auto conflict = compareFrequencies(model.tensors, name, thetas);
        if (!conflict) {
            ++agreeing;
            continue;
        }
        if (choice == StoredFrequencies::TakeFile) {
            ladder::Scheme stored;
            stored.kind = ladder::Kind::Custom;
            stored.parameters["theta"] = readDoubles(*model.tensors.find(name));
            model.config.rope = stored;
            model.notes.push_back(name + " replaces the ladder of the config: " + conflict->found + " instead of " + conflict->expected);
            return;
        }
        model.notes.push_back(name + " is ignored: " + conflict->found + " where the config says " + conflict->expected);
    }
    if (agreeing > 0)
        model.notes.push_back(std::to_string(agreeing) + " stored tables of frequencies agree with the config; they are not needed");
}

}  // namespace

bool isHfModel(const fs::path& path)
{
    std::error_code ec;
    if (!fs::is_regular_file(configBeside(path), ec))
        return false;
    if (!fs::is_directory(path, ec))
        return true;
    for (const char* name : {"model.safetensors", kIndex, "pytorch_model.bin", "pytorch_model.bin.index.json"})
        if (fs::exists(path / name, ec))
            return true;
    return false;
}

HfModel openHfModel(const fs::path& path, StoredFrequencies frequencies)
{
    HfModel model;
    model.configFile = configBeside(path);
    model.tensors = TensorSet::open(path);
    model.config = readHfConfig(model.configFile);
    requireSupported(model.config, model.configFile.string());
    model.plan = importPlan(model.config);
    model.report = checkTensors(model.plan, model.config, model.tensors);
    model.dtype = commonType(model.plan, model.tensors);
    model.notes = model.config.notes;
    model.notes.insert(model.notes.end(), model.tensors.notes().begin(), model.tensors.notes().end());
    model.notes.insert(model.notes.end(), model.report.notes.begin(), model.report.notes.end());
    if (model.dtype.empty())
        model.notes.push_back("the weights have several types; they are kept in F32");
    else if (model.dtype != "F32")
        model.notes.push_back("the weights are " + model.dtype + "; they are kept in F32" + (model.dtype == "F64" ? ", rounded" : ", exactly"));
    useFrequencies(model, frequencies);
    return model;
}

}  // namespace holo::interop
