#pragma once

#include <filesystem>

#include "core/base/json.h"

namespace holo::interop {

// What a checkpoint is, without loading it into a model:
// {format, path, family, config, pairing, scheme, ladder, trained_with, runs_with, conflicts: [{fields, found, message}], tensors, parameters,
//  files: [{file, bytes}], metadata, notes}.
// `family` is model_type of the config beside the weights, "holonomy" for our own files, null for weights without either. `ladder` holds kind,
// base, theta (rad/token), table_scale and hash. `tensors` is their number, or with `listTensors` [{name, dtype, shape, bytes, sha256, nonfinite}].
// Conflicts are settings of the config that contradict each other and stored frequencies that are not the config's; they are listed, not thrown.
// `path` is a .safetensors file, an index, or a folder with either. Throws Error: malformed for broken files, unsupported for pickles and for
// architectures and rope types we do not know.
Json inspectCheckpoint(const std::filesystem::path& path, bool listTensors = false);

}  // namespace holo::interop
