#pragma once

#include <QWidget>
#include <atomic>
#include <memory>

#include "app/bridge/background.h"
#include "core/interop/weight_distance.h"

class QLabel;
class QTableView;

namespace holo::widgets {
class TableModel;
}

namespace holo::shell {

// How far the weights of two checkpoints lie apart, tensor by tensor. Read when it is looked at, beside the window.
class WeightsPanel : public QWidget {
    Q_OBJECT
public:
    explicit WeightsPanel(QWidget* parent = nullptr);
    ~WeightsPanel() override;
    void setCheckpoints(const QString& a, const QString& b);  // empty: none

protected:
    void showEvent(QShowEvent* event) override;

private:
    void start();

    struct Answer {
        interop::WeightDistances distances;
        QString problem;
    };
    void show(const Answer& answer);

    bridge::Background m_work;
    std::shared_ptr<std::atomic<bool>> m_goOn;
    widgets::TableModel* m_table;
    QTableView* m_view;
    QLabel* m_summary;
    QString m_a;
    QString m_b;
    bool m_stale = false;
};

}  // namespace holo::shell
