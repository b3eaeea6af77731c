#include "app/bridge/engine.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace holo::bridge {

QString enginePath()
{
    const QString given = qEnvironmentVariable("HOLONOMY_ENGINE");
    return given.isEmpty() ? QCoreApplication::applicationDirPath() + "/holonomy-engine" : given;
}

bool engineExists() { return QFileInfo(enginePath()).isExecutable(); }

QString shellCommand(const QStringList& arguments)
{
    static const QRegularExpression plain("^[\\w@%+=:,./~\\-]+$");
    QStringList words{"holonomy"};
    for (QString word : arguments)
        words << (plain.match(word).hasMatch() ? word : '\'' + word.replace('\'', "'\\''") + '\'');
    return words.join(' ');
}

QStringList localDevices()
{
    QStringList devices;
    for (const QString& name : QDir("/dev").entryList({"nvidia[0-9]*"}, QDir::System))
        devices << "cuda:" + name.mid(6);
    return devices.isEmpty() ? QStringList{"cpu"} : devices;
}

}  // namespace holo::bridge
