#pragma once

#include <QObject>
#include <QTimer>
#include <vector>

namespace holo::bridge {

class RunController;

struct Job {
    QString arm;
    qint64 seed = 0;
    QString run;         // folder name below runs/
    bool running = false;
    qint64 pid = 0;
    qint64 processStart = 0;  // with the pid: tells a recycled pid apart
    QString device;
};

// First in, first out; one job a device. Kept in <project>/queue.json, so that it survives a restart; after an end of the window that was
// not its own wish it comes back paused. A job whose process is gone leaves the queue, whatever its end: the run's row says which.
class JobQueue : public QObject {
    Q_OBJECT
public:
    explicit JobQueue(RunController& controller, QObject* parent = nullptr);

    void open(const QString& project, bool readOnly = false);  // read only: shown as it lies, nothing is started or written
    bool isReadOnly() const { return m_readOnly; }
    void close();  // clean end
    const std::vector<Job>& jobs() const { return m_jobs; }
    int running() const;
    int waiting() const;
    bool isPaused() const { return m_paused; }
    bool cameBackPaused() const { return m_cameBackPaused; }
    bool contains(const QString& run) const;

    void add(const std::vector<Job>& jobs);
    void removeWaiting(int index);
    void move(int from, int to);
    void clearWaiting();
    void setPaused(bool paused);
    void tick();  // looks after processes and starts what is next; also called by a timer

    void setDevices(const QStringList& devices) { m_devices = devices; }

Q_SIGNALS:
    void changed();
    void failed(const QString& sentence);
    void jobEnded(const QString& run);

private:
    void save(bool clean);
    void load();
    QString freeDevice() const;

    RunController& m_controller;
    QString m_project;
    std::vector<Job> m_jobs;
    QStringList m_devices;
    QTimer m_timer;
    bool m_paused = false;
    bool m_readOnly = false;
    bool m_cameBackPaused = false;
};

}  // namespace holo::bridge
