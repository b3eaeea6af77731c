#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/model/run_row.h"
#include "core/store/database.h"
#include "core/store/index_queries.h"
#include "core/store/index_writer.h"

namespace holo::store {

// Index of a project's run directories: <project>/index.sqlite with one writer, or the same in memory where another process writes it or
// the folder is not writable. Belongs to one thread.
class RunIndex {
public:
    // Takes the writer's lock. Throws Error: busy if another process has it, resource if the folder cannot be written. A damaged or
    // newer index is set aside as index.sqlite.old-N and built anew from the files.
    static RunIndex openFile(const std::filesystem::path& project);
    static RunIndex openMemory(const std::filesystem::path& project);
    // The first that works; `note` says in one sentence why it is not the file.
    static RunIndex openBest(const std::filesystem::path& project, std::string& note);

    // Brings the index up to date with the files and says what changed.
    Changes update() { return m_writer->update(); }
    const Queries& queries() const { return *m_queries; }
    Database& database() { return *m_database; }
    bool isOnDisk() const { return m_lock.isHeld(); }

private:
    RunIndex(Database database, FileLock lock, const std::filesystem::path& project);

    std::unique_ptr<Database> m_database;
    FileLock m_lock;
    std::unique_ptr<IndexWriter> m_writer;
    std::unique_ptr<Queries> m_queries;
};

// Deletes the index of a project and builds it from the run directories. Throws as RunIndex::openFile.
Counts rebuildIndex(const std::filesystem::path& project);

}  // namespace holo::store
