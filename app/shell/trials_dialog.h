#pragma once

#include <QDialog>
#include <vector>

#include "core/model/run_row.h"

class QPlainTextEdit;
class QTableView;

namespace holo::widgets {
class TableModel;
}

namespace holo::shell {

// What one cell of a heatmap is made of: its trials, right and wrong, and the prompt of the chosen one.
class TrialsDialog : public QDialog {
    Q_OBJECT
public:
    struct Source {
        qint64 seed = 0;
        QString runFolder;
        QString eval;
    };
    TrialsDialog(const QString& arm, const std::vector<Source>& sources, std::int64_t length, double depth, QWidget* parent = nullptr);

private:
    void showTrial(int row);

    struct Entry {
        Source source;
        model::TrialRow trial;
    };
    std::vector<Entry> m_entries;
    widgets::TableModel* m_model;
    QTableView* m_table;
    QPlainTextEdit* m_prompt;
};

}  // namespace holo::shell
