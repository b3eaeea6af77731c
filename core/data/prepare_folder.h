#pragma once

#include <filesystem>
#include <string>

#include "core/base/files.h"
#include "core/base/json.h"

namespace holo::data {

// The folder beside its target in which data is prepared: `.NAME.preparing`, renamed when all is there. A process that is killed leaves it, with
// a journal of what was finished; the next one for the same hash goes on from there. After an Error nothing is left. Where another process is
// at work in it, a folder of the process's own is taken, which nobody goes on with.
class PrepareFolder {
public:
    // Throws Error (resource) for a place that cannot be written.
    PrepareFolder(const std::filesystem::path& target, const std::string& hash);
    ~PrepareFolder();
    PrepareFolder(const PrepareFolder&) = delete;
    PrepareFolder& operator=(const PrepareFolder&) = delete;

    const std::filesystem::path& path() const { return m_folder; }
    // What was written last for this hash; null: nothing.
    const Json& journal() const { return m_journal; }
    // Everything the journal tells of has to be on the disk by now.
    void write(Json journal);
    // Forgets the journal and all files.
    void startOver();
    // False if somebody else was first.
    bool commit();

private:
    void takeShared(const std::filesystem::path& folder);
    void takeOwn(const std::filesystem::path& folder);

    std::filesystem::path m_target;
    std::string m_hash;
    std::filesystem::path m_folder;
    FileLock m_lock;
    Json m_journal;
};

}  // namespace holo::data
