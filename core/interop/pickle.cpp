#include "core/interop/pickle.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/input_file.h"

namespace holo::interop {

namespace {

constexpr std::uint64_t kInspectedBytes = 4096;

bool looksLikePickle(std::string_view start)
{
    using namespace std::string_view_literals;
    // Protocols 2 to 5 open with PROTO and their number; the magic number of old torch.save files comes right behind it.
    if (start.size() >= 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5)
        return true;
    // Protocols 0 and 1 have no mark of their own; GLOBAL and REDUCE of the first object give them away.
    if (start.starts_with("ctorch"sv) || start.starts_with("c__builtin__"sv) || start.starts_with("(dp"sv) || start.starts_with("(lp"sv) || start.starts_with("cos\n"sv) || start.starts_with("cposix\n"sv) || start.starts_with("cnumpy"sv))
        return true;
    // torch.save since 1.6 writes a zip with data.pkl in it.
    return start.starts_with("PK\3\4"sv);
}

}  // namespace

void refusePickle(const std::filesystem::path& path)
{
    static constexpr std::array<std::string_view, 8> kNames{".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib", ".tar"};
    const InputFile file(path);
    std::string start(std::size_t(std::min(kInspectedBytes, file.size())), '\0');
    file.read(0, start.size(), start.data());
    const std::string extension = path.extension().string();
    const bool byName = std::find(kNames.begin(), kNames.end(), extension) != kNames.end();
    if (!looksLikePickle(start) && !byName)
        return;
    throw Error::at(ErrorKind::Unsupported, {path.string(), "kind of the file", "a pickle, which runs code when it is loaded",
                                             "safetensors; convert it where you trust it, with save_file of the package safetensors"});
}

}  // namespace holo::interop
