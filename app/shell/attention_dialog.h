#pragma once

#include <QDialog>

#include "app/bridge/engine_call.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QTableView;

namespace holo::widgets {
class CurvePlot;
class TableModel;
}

namespace holo::shell {

// What each head of a run attends to: weight a token by distance, one curve a head in the colour of its ladder, and a row a head — mean
// distance, weight from the last eighth of a window onto the first (with what even weights would give, and the ladder's K(Δ)/M over the same
// pairs), first token, entropy, induction. The engine measures it (`eval --protocol probe`).
class AttentionDialog : public QDialog {
    Q_OBJECT
public:
    AttentionDialog(const QString& title, const QString& runFolder, QWidget* parent = nullptr);
    void showDocument(const Json& document);

private:
    void showLength(int at);

    bridge::EngineCall m_call;
    Json m_document;
    QLabel* m_words;
    QComboBox* m_length;
    QProgressBar* m_progress;
    widgets::CurvePlot* m_plot;
    widgets::TableModel* m_model;
    QTableView* m_table;
};

}  // namespace holo::shell
