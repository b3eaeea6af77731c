#include "app/settings/settings.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace holo::settings {

namespace {

constexpr qint64 kLargest = 4 << 20;
constexpr int kMostRecent = 8;

// Something that QSettings' INI reader can have written: small text with a section line first.
bool isReadable(const QString& file)
{
    QFile in(file);
    if (in.size() > kLargest || !in.open(QIODevice::ReadOnly))
        return false;
    const QByteArray bytes = in.readAll();
    if (bytes.isEmpty())
        return true;
    if (bytes.contains('\0') || !bytes.trimmed().startsWith('['))
        return false;
    for (const QByteArray& line : bytes.split('\n')) {
        const QByteArray t = line.trimmed();
        if (!t.isEmpty() && !t.startsWith('[') && !t.startsWith(';') && !t.contains('='))
            return false;
    }
    return true;
}

}  // namespace

QString Settings::defaultFile()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/holonomy/holonomy.ini";
}

Settings::Settings(const QString& file)
{
    const QFileInfo info(file);
    if (info.exists() && (info.isDir() || !isReadable(file))) {
        QFile::remove(file + ".bad");
        const bool moved = QFile::rename(file, file + ".bad");
        m_note = moved ? QCoreApplication::translate("Settings", "The preferences in %1 could not be read; defaults apply, the old file is %1.bad.").arg(file)
                       : QCoreApplication::translate("Settings", "The preferences in %1 could not be read; defaults apply.").arg(file);
    }
    m_settings = std::make_unique<QSettings>(file, QSettings::IniFormat);  // written aside and renamed by Qt
    m_settings->setAtomicSyncRequired(true);
}

QByteArray Settings::value(const QString& key) const { return m_settings->value(key).toByteArray(); }

widgets::ThemeMode Settings::theme() const
{
    const QString name = m_settings->value("view/theme").toString();
    return name == "dark" ? widgets::ThemeMode::Dark : name == "light" ? widgets::ThemeMode::Light : widgets::ThemeMode::System;
}

void Settings::setTheme(widgets::ThemeMode mode)
{
    m_settings->setValue("view/theme", mode == widgets::ThemeMode::Dark ? "dark" : mode == widgets::ThemeMode::Light ? "light" : "system");
    m_settings->sync();
}

QStringList Settings::recent() const
{
    QStringList folders;
    for (const QString& folder : m_settings->value("recent/folders").toStringList())
        if (QFileInfo::exists(folder + "/project.json"))
            folders << folder;
    return folders;
}

void Settings::addRecent(const QString& folder)
{
    QStringList folders = m_settings->value("recent/folders").toStringList();
    folders.removeAll(folder);
    folders.prepend(folder);
    m_settings->setValue("recent/folders", QStringList(folders.mid(0, kMostRecent)));
    m_settings->sync();
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& layout)
{
    m_settings->setValue("window/geometry", geometry);
    m_settings->setValue("window/layout", layout);
    m_settings->sync();
}

void Settings::resetLayout()
{
    m_settings->remove("window");
    m_settings->sync();
}

int Settings::page() const { return m_settings->value("window/page", 0).toInt(); }
void Settings::setPage(int page) { m_settings->setValue("window/page", page); }

bool Settings::stopRunsWithWindow() const { return m_settings->value("runs/stop_with_window", false).toBool(); }
void Settings::setStopRunsWithWindow(bool stop) { m_settings->setValue("runs/stop_with_window", stop); }

}  // namespace holo::settings
