#include "core/store/file_system.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sys/vfs.h>

namespace holo::store {

bool isSharedFileSystem(const std::filesystem::path& folder)
{
    // Magic numbers of statfs(2): NFS, CIFS, SMB, SMB2, FUSE, AFS, Lustre, GPFS, Ceph, BeeGFS, 9P, Coda.
    constexpr std::array<std::uint32_t, 12> kShared = {
        0x6969, 0xff534d42, 0x517b, 0xfe534d42, 0x65735546, 0x5346414f, 0x0bd00bd0, 0x47504653, 0x00c36400, 0x19830326, 0x01021997, 0x73757245,
    };
    struct statfs info = {};
    const std::string name = folder.empty() ? "." : folder.string();
    if (::statfs(name.c_str(), &info) != 0)
        return false;
    return std::find(kShared.begin(), kShared.end(), static_cast<std::uint32_t>(info.f_type)) != kShared.end();
}

}  // namespace holo::store
