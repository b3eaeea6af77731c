#include "core/run/folder_aside.h"

#include "core/base/error.h"
#include "core/base/files.h"

namespace holo::run {

namespace fs = std::filesystem;

void requireFree(const fs::path& target)
{
    std::error_code ec;
    if (fs::exists(target, ec) && !(fs::is_directory(target, ec) && fs::is_empty(target, ec)))
        throw Error::at(ErrorKind::Usage, {target.string(), "DEST", "there already", "a folder that is new or empty"});
}

FolderAside::FolderAside(const fs::path& target)
    : m_target(fs::absolute(target).lexically_normal())
{
    std::error_code ec;
    if (!m_target.has_filename())
        m_target = m_target.parent_path();
    requireFree(target);
    m_aside = m_target.parent_path() / ("." + m_target.filename().string() + ".tmp");
    fs::remove_all(m_aside, ec);
    fs::create_directories(m_aside, ec);
    if (ec)
        throw Error::at(ErrorKind::Resource, {target.string(), "DEST", ec.message(), "a folder that can be made"});
}

FolderAside::~FolderAside()
{
    std::error_code ec;
    if (!m_aside.empty())
        fs::remove_all(m_aside, ec);
}

void FolderAside::finish()
{
    fsyncFolder(m_aside);
    std::error_code ec;
    fs::remove(m_target, ec);
    fs::rename(m_aside, m_target, ec);
    if (ec)
        throw Error::at(ErrorKind::Resource, {m_target.string(), "DEST", ec.message(), "a folder that can be written"});
    m_aside.clear();
    fsyncFolder(m_target.parent_path());
}

}  // namespace holo::run
