#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>

#include "core/base/json.h"
#include "test_paths.h"

namespace holo::test {

struct Outcome {
    int code = -1;  // 128 + signal if it was killed by one
    QByteArray out;
    QByteArray err;

    // The one document on standard output.
    Json document() const { return parseJson(std::string(out.constData(), std::size_t(out.size())), "standard output"); }
};

// Runs the built engine in a bare environment with what `environment` adds.
inline Outcome engine(const QStringList& arguments, const QStringList& environment = {}, const QString& folder = {})
{
    QProcess process;
    QProcessEnvironment variables;
    variables.insert("PATH", qEnvironmentVariable("PATH"));
    for (const QString& entry : environment)
        variables.insert(entry.section('=', 0, 0), entry.section('=', 1));
    process.setProcessEnvironment(variables);
    if (!folder.isEmpty())
        process.setWorkingDirectory(folder);
    process.start(QString(HOLO_BIN_DIR) + "/holonomy-engine", arguments);
    process.closeWriteChannel();
    process.waitForFinished(240'000);
    Outcome outcome;
    outcome.out = process.readAllStandardOutput();
    outcome.err = process.readAllStandardError();
    outcome.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : 128 + process.exitCode();
    return outcome;
}

// Writes `project` as DIR/project.json and trains all its runs.
inline Outcome trainProject(const QString& folder, const char* project)
{
    QFile file(folder + "/project.json");
    if (!QDir().mkpath(folder) || !file.open(QIODevice::WriteOnly))
        return {-1, {}, "the project cannot be written"};
    file.write(project);
    file.close();
    return engine({"--batch", folder, "--json", "--quiet"});
}

}  // namespace holo::test
