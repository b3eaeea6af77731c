#pragma once

#include <filesystem>

namespace holo::store {

// True on file systems that several machines may write (NFS, CIFS, FUSE, Lustre, …), where SQLite's shared memory does not hold.
bool isSharedFileSystem(const std::filesystem::path& folder);

}  // namespace holo::store
