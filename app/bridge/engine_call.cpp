#include "app/bridge/engine_call.h"

#include <QTimer>

#include "app/bridge/engine.h"
#include "core/base/error.h"

namespace holo::bridge {

EngineCall::EngineCall(QObject* parent)
    : QObject(parent)
{
    connect(&m_process, &QProcess::readyReadStandardOutput, this, [this] { m_output += m_process.readAllStandardOutput(); });
    connect(&m_process, &QProcess::readyReadStandardError, this, [this] {
        const QByteArray words = m_process.readAllStandardError();
        m_words = (m_words + words).right(4096);
        for (const QByteArray& line : words.split('\n'))
            if (!line.trimmed().isEmpty())
                Q_EMIT logged(QString::fromUtf8(line));
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            Q_EMIT failed(tr("%1: cannot be started.").arg(enginePath()));
    });
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        m_output += m_process.readAllStandardOutput();
        if (m_cancelled) {
            Q_EMIT failed(tr("Stopped."));
            return;
        }
        Json document;
        try {
            document = parseJson(std::string_view(m_output.constData(), static_cast<std::size_t>(m_output.size())), "answer of the engine");
        } catch (const Error&) {
            const QString last = QString::fromUtf8(m_words.trimmed().split('\n').last());
            Q_EMIT failed(last.isEmpty() ? tr("The engine ended with %1 and without an answer.").arg(status == QProcess::CrashExit ? tr("signal %1").arg(code) : tr("code %1").arg(code)) : last);
            return;
        }
        const auto error = document.is_object() ? document.find("error") : document.end();
        if (document.is_object() && error != document.end())
            Q_EMIT failed(QString::fromStdString(error->is_object() ? error->value("message", std::string("unknown")) : dumpLine(*error)));
        else
            Q_EMIT finished(document);
    });
}

EngineCall::~EngineCall()
{
    disconnect(&m_process, nullptr, this, nullptr);
    if (isRunning()) {
        m_process.terminate();
        if (!m_process.waitForFinished(2000))
            m_process.kill();
        m_process.waitForFinished(1000);
    }
}

void EngineCall::start(const QStringList& arguments, const QString& workingFolder)
{
    m_output.clear();
    m_words.clear();
    m_cancelled = false;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("OMP_WAIT_POLICY", "passive");
    m_process.setProcessEnvironment(environment);
    m_process.setWorkingDirectory(workingFolder);
    m_process.start(enginePath(), QStringList(arguments) << "--json", QIODevice::ReadOnly);
}

void EngineCall::cancel()
{
    m_cancelled = true;
    m_process.terminate();
    QTimer::singleShot(2000, &m_process, [this] {
        if (isRunning())
            m_process.kill();
    });
}

}  // namespace holo::bridge
