#pragma once

#include <QTimer>
#include <QWidget>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "app/bridge/background.h"
#include "app/bridge/machine_load.h"
#include "app/shell/page.h"

class QGridLayout;
class QLabel;

namespace holo::shell {

// A line for each run under way — step, speed, remaining time with its spread, processor and memory of its process, and what is wrong with
// its loss or its pace — and the load of the machine. Told anew once a second; hidden while nothing runs.
class LiveStrip : public QWidget {
    Q_OBJECT
public:
    explicit LiveStrip(Context& context, QWidget* parent = nullptr);

Q_SIGNALS:
    void noticed(const QString& sentence);  // once for each run and trouble that somebody should act on

private:
    enum Cell { Name, Step, Speed, Left, Process, Notice, CellCount };
    struct Moved {
        std::int64_t step = -1;
        int evals = -1;
        std::chrono::steady_clock::time_point since;
    };
    struct Measured {
        bridge::MachineLoad load;
        std::map<QString, std::int64_t> pids;  // of runs whose process is on this machine
    };
    void look();
    void tell(const QStringList& runs);
    QString notice(const QString& run);
    QLabel* cell(int row, Cell column);

    Context& m_context;
    QTimer m_timer;
    bridge::Background m_work;
    std::shared_ptr<bridge::LoadMeter> m_meter;  // only the work beside the window touches it
    bool m_measuring = false;
    Measured m_measured;
    std::map<QString, Moved> m_moved;
    std::map<QString, QString> m_notices;
    std::set<std::pair<QString, int>> m_told;
    QGridLayout* m_grid;
    QLabel* m_machine;
    std::vector<QLabel*> m_cells;
};

}  // namespace holo::shell
