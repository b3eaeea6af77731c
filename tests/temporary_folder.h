#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <QTemporaryDir>

namespace holo::test {

// A folder of a test's own, gone with it.
class TemporaryFolder {
protected:
    std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    std::filesystem::path path(const std::string& name) const { return folder() / name; }

    std::filesystem::path write(const std::string& name, const std::string& bytes) const
    {
        std::filesystem::create_directories(path(name).parent_path());
        std::ofstream(path(name), std::ios::binary | std::ios::trunc).write(bytes.data(), std::streamsize(bytes.size()));
        return path(name);
    }

private:
    QTemporaryDir m_folder;
};

}  // namespace holo::test
