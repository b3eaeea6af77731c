#pragma once

#include <QByteArray>
#include <QObject>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <memory>

#include "widgets/common/theme.h"

namespace holo::settings {

// The user's preferences; nothing that a project needs. A file that cannot be read is put aside as NAME.bad, defaults apply, and `note()`
// says so once.
class Settings {
public:
    explicit Settings(const QString& file = defaultFile());
    static QString defaultFile();

    const QString& note() const { return m_note; }

    widgets::ThemeMode theme() const;
    void setTheme(widgets::ThemeMode mode);
    QStringList recent() const;
    void addRecent(const QString& folder);
    QByteArray geometry() const { return value("window/geometry"); }
    QByteArray layout() const { return value("window/layout"); }
    void setWindow(const QByteArray& geometry, const QByteArray& layout);
    void resetLayout();
    int page() const;
    void setPage(int page);
    bool stopRunsWithWindow() const;
    void setStopRunsWithWindow(bool stop);

private:
    QByteArray value(const QString& key) const;

    std::unique_ptr<QSettings> m_settings;
    QString m_note;
};

}  // namespace holo::settings
