#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <string>
#include <vector>

#include "core/model/needle_grid.h"
#include "core/model/run_events.h"
#include "core/model/run_row.h"
#include "core/store/index_queries.h"

namespace holo::store {
class RunIndex;
}

namespace holo::bridge {

// One evaluation with its numbers.
struct EvalResult {
    model::EvalRow row;
    model::NeedleGrid grid;                        // needle and passkey
    std::vector<store::PerplexityRow> perplexity;  // perplexity
};

// Lives in a thread of its own: polls the run directories five times a second, keeps the index, and hands whole batches over. Everything
// that it sends is a value.
class RunTailer : public QObject {
    Q_OBJECT
public:
    RunTailer();
    ~RunTailer() override;

public Q_SLOTS:
    void open(const QString& project);
    void close();
    void poll();
    void loadSteps(const QString& run);
    void loadEvals(const QString& run);

Q_SIGNALS:
    void opened(const std::vector<holo::model::RunRow>& rows, const QString& note);
    void rowsChanged(const std::vector<holo::model::RunRow>& rows);
    void runsRemoved(const QStringList& runs);
    void stepsLoaded(const QString& run, const std::vector<holo::model::StepRecord>& steps);
    void stepsAppended(const QString& run, const std::vector<holo::model::StepRecord>& steps);
    void evalsLoaded(const QString& run, const std::vector<holo::bridge::EvalResult>& evals, const std::vector<holo::store::EventRow>& events);
    void evalsChanged(const QString& run);
    void failed(const QString& sentence);

private:
    std::unique_ptr<store::RunIndex> m_index;
    QTimer* m_timer;
    QString m_lastProblem;
};

}  // namespace holo::bridge
