#pragma once

#include <filesystem>

namespace holo::run {

// Throws Error (usage) if `target` holds something already.
void requireFree(const std::filesystem::path& target);

// A new folder that is filled aside and then takes its name; gone again if filling fails.
class FolderAside {
public:
    // Throws Error: usage if `target` holds something, resource if the folder cannot be made.
    explicit FolderAside(const std::filesystem::path& target);
    ~FolderAside();
    FolderAside(const FolderAside&) = delete;
    FolderAside& operator=(const FolderAside&) = delete;

    const std::filesystem::path& folder() const { return m_aside; }
    void finish();  // syncs and renames; throws Error (resource)

private:
    std::filesystem::path m_target;
    std::filesystem::path m_aside;
};

}  // namespace holo::run
