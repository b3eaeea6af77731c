#include "core/data/prepare_folder.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <vector>

#include <unistd.h>

#include "core/base/error.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLock = ".lock";
constexpr const char* kJournal = ".journal.json";

// What processes of this host left when they were killed in folders of their own.
void removeFoldersOfTheDead(const fs::path& parent, const std::string& start)
{
    std::error_code ec;
    for (fs::directory_iterator it(parent, ec), end; !ec && it != end; it.increment(ec)) {
        const std::string name = it->path().filename().string();
        pid_t pid = 0;
        if (name.starts_with(start) && std::from_chars(name.data() + start.size(), name.data() + name.size(), pid).ec == std::errc() && ::kill(pid, 0) != 0 && errno == ESRCH)
            fs::remove_all(it->path(), ec);
    }
}

// The lock, the journal, and files that a killed process had not finished.
void removeHidden(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code ec;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
        if (it->path().filename().string().starts_with('.'))
            found.push_back(it->path());
    for (const fs::path& file : found)
        fs::remove(file, ec);
}

}  // namespace

PrepareFolder::PrepareFolder(const fs::path& target, const std::string& hash)
    : m_target(target)
    , m_hash(hash)
{
    const fs::path parent = target.parent_path().empty() ? fs::path(".") : target.parent_path();
    std::error_code ec;
    fs::create_directories(parent, ec);
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string shared = "." + target.filename().string() + ".preparing";
    const std::string own = shared + "-" + host.data() + "-";
    removeFoldersOfTheDead(parent, own);
    takeShared(parent / shared);
    if (m_folder.empty())
        takeOwn(parent / (own + std::to_string(::getpid())));
}

PrepareFolder::~PrepareFolder()
{
    std::error_code ec;
    if (!m_folder.empty())
        fs::remove_all(m_folder, ec);
}

void PrepareFolder::takeShared(const fs::path& folder)
{
    std::error_code ec;
    fs::create_directory(folder, ec);
    try {
        m_lock = FileLock::acquire(folder / kLock);
    } catch (const Error&) {
        return;
    }
    if (!fs::exists(folder / kLock, ec))
        return;  // renamed by its owner since it was opened
    m_folder = folder;
    try {
        if (fs::exists(folder / kJournal, ec))
            m_journal = readJsonFile(folder / kJournal);
    } catch (const Error&) {
        m_journal = nullptr;
    }
    if (!m_journal.is_object() || m_journal.value("hash", "") != m_hash)
        startOver();
}

void PrepareFolder::takeOwn(const fs::path& folder)
{
    std::error_code ec;
    fs::remove_all(folder, ec);
    if (!fs::create_directory(folder, ec))
        throw Error(ErrorKind::Resource, folder.string() + ": the folder cannot be made (" + ec.message() + ").", {folder.string(), "", ec.message(), "a writable place"});
    m_folder = folder;
}

void PrepareFolder::write(Json journal)
{
    journal["hash"] = m_hash;
    writeFileAtomic(m_folder / kJournal, dumpLine(journal));
    m_journal = std::move(journal);
}

void PrepareFolder::startOver()
{
    m_journal = nullptr;
    std::error_code ec;
    for (fs::directory_iterator it(m_folder, ec), end; !ec && it != end; it.increment(ec))
        if (it->path().filename() != kLock)
            fs::remove_all(it->path(), ec);
}

bool PrepareFolder::commit()
{
    fsyncFolder(m_folder);
    if (::rename(m_folder.c_str(), m_target.c_str()) != 0) {
        if (errno == ENOTEMPTY || errno == EEXIST)
            return false;
        const std::string why = std::strerror(errno);
        throw Error(ErrorKind::Resource, m_target.string() + ": cannot be written (" + why + ").", {m_target.string(), "", why, "a writable place"});
    }
    m_folder.clear();
    removeHidden(m_target);
    fsyncFolder(m_target.parent_path());
    return true;
}

}  // namespace holo::data
