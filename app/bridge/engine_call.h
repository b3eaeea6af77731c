#pragma once

#include <QObject>
#include <QProcess>

#include "core/base/json.h"

namespace holo::bridge {

// One headless verb with --json, beside the window: its document arrives by signal, or the sentence that says why there is none. Words on
// standard error go to the log. The process ends with the window.
class EngineCall : public QObject {
    Q_OBJECT
public:
    explicit EngineCall(QObject* parent = nullptr);
    ~EngineCall() override;

    void start(const QStringList& arguments, const QString& workingFolder);
    void cancel();  // SIGTERM, then SIGKILL after two seconds
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

Q_SIGNALS:
    void finished(const holo::Json& document);
    void failed(const QString& sentence);
    void logged(const QString& line);

private:
    QProcess m_process;
    QByteArray m_output;
    QByteArray m_words;
    bool m_cancelled = false;
};

}  // namespace holo::bridge
