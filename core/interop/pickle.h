#pragma once

#include <filesystem>

namespace holo::interop {

// Throws Error (unsupported), with advice, if the file is a pickle or a container of one (torch.save's zip, .pkl, .npy of objects), told by its
// content or, where that says nothing, by its name. Opens and reads the first bytes only; nothing is ever unpickled.
void refusePickle(const std::filesystem::path& file);

}  // namespace holo::interop
