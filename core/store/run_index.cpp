#include "core/store/run_index.h"

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/store/schema.h"

namespace holo::store {

namespace fs = std::filesystem;

namespace {

fs::path indexFile(const fs::path& project) { return project / "index.sqlite"; }

void removeIndex(const fs::path& file)
{
    std::error_code ec;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
        fs::remove(fs::path(file.string() + suffix), ec);
}

void setAside(const fs::path& file)
{
    std::error_code ec;
    int n = 1;
    while (fs::exists(file.string() + ".old-" + std::to_string(n), ec))
        ++n;
    fs::rename(file, file.string() + ".old-" + std::to_string(n), ec);
    removeIndex(file);
    logWarning("store", file.string() + ": damaged or written by a newer version; set aside and built anew from the run folders.");
}

// Nothing if the file is damaged or newer than this program.
std::unique_ptr<Database> tryOpen(const fs::path& file)
{
    try {
        auto database = std::make_unique<Database>(Database::open(file));
        if (upgradeSchema(*database) == SchemaState::Newer)
            return nullptr;
        Statement check(*database, "PRAGMA quick_check(1)");
        return check.step() && check.text(0) == "ok" ? std::move(database) : nullptr;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Malformed || error.kind() == ErrorKind::Internal)
            return nullptr;
        throw;
    }
}

}  // namespace

RunIndex::RunIndex(Database database, FileLock lock, const fs::path& project)
    : m_database(std::make_unique<Database>(std::move(database)))
    , m_lock(std::move(lock))
    , m_writer(std::make_unique<IndexWriter>(*m_database, project))
    , m_queries(std::make_unique<Queries>(*m_database))
{
}

RunIndex RunIndex::openFile(const fs::path& project)
{
    FileLock lock = FileLock::acquire(project / "index.lock");
    const fs::path file = indexFile(project);
    auto database = tryOpen(file);
    if (!database) {
        setAside(file);
        database = tryOpen(file);
        if (!database)
            throw Error(ErrorKind::Resource, file.string() + ": the index cannot be built.", {file.string(), "", "", ""});
    }
    return RunIndex(std::move(*database), std::move(lock), project);
}

RunIndex RunIndex::openMemory(const fs::path& project)
{
    Database database = Database::inMemory();
    upgradeSchema(database);
    return RunIndex(std::move(database), FileLock(), project);
}

RunIndex RunIndex::openBest(const fs::path& project, std::string& note)
{
    try {
        return openFile(project);
    } catch (const Error& error) {
        note = error.what();
        return openMemory(project);
    }
}

Counts rebuildIndex(const fs::path& project)
{
    {
        const FileLock lock = FileLock::acquire(project / "index.lock");
        removeIndex(indexFile(project));
    }
    RunIndex index = RunIndex::openFile(project);
    index.update();
    return index.queries().counts();
}

}  // namespace holo::store
