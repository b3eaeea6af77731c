#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <map>

namespace holo::bridge {

class Study;

// Says once when a run that counts as running has not moved for a long time: its process lives, but no step and no evaluation arrives.
class StallWatch : public QObject {
    Q_OBJECT
public:
    explicit StallWatch(Study& study, QObject* parent = nullptr);
    void setPatience(std::chrono::milliseconds patience);

Q_SIGNALS:
    void stalled(const QString& sentence);

private:
    void look();

    struct Progress {
        std::int64_t step = -1;
        int evals = -1;
        std::chrono::steady_clock::time_point since;
        bool told = false;
    };
    Study& m_study;
    QTimer m_timer;
    std::chrono::milliseconds m_patience{180000};
    std::map<QString, Progress> m_progress;
};

}  // namespace holo::bridge
