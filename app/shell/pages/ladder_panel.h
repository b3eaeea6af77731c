#pragma once

#include <QWidget>
#include <optional>

#include "core/ladder/description.h"
#include "core/ladder/plan.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace holo::widgets {
class HeadPainter;
class KernelPlot;
class LadderPlot;
class ProjectDocument;
class SchemeEditor;
class TableModel;
class TurnsPlot;
}

namespace holo::shell {

// The scheme of the chosen arm: kind and parameters, θ as curve and table, K(Δ), turns, holonomy, and which heads have it. Everything
// redraws while a point is dragged.
class LadderPanel : public QWidget {
    Q_OBJECT
public:
    explicit LadderPanel(widgets::ProjectDocument& document, QWidget* parent = nullptr);
    widgets::LadderPlot* ladderPlot() const { return m_theta; }

Q_SIGNALS:
    void failed(const QString& sentence);

private:
    void load();
    void update();                                    // from the document's arm
    void show(const ladder::Plan& plan);
    void showLadder(const ladder::Ladder& ladder);
    void updateReference();
    std::vector<double> shownTheta() const;
    void setTheta(std::vector<double> theta);  // as frequencies of one's own
    void applyFormula();
    void commit(const ladder::Scheme& scheme, const QString& text, int mergeKey);
    std::optional<ladder::ModelShape> shape() const;
    static int indexOf(const ladder::Scheme& scheme, const ladder::Plan& plan);

    widgets::ProjectDocument& m_document;
    widgets::SchemeEditor* m_editor;
    widgets::LadderPlot* m_theta;
    widgets::KernelPlot* m_kernel;
    widgets::TurnsPlot* m_turns;
    widgets::HeadPainter* m_heads;
    widgets::TableModel* m_table;
    QTableView* m_tableView;
    QLineEdit* m_formula;
    QComboBox* m_reference;
    QLabel* m_title;
    QLabel* m_facts;
    QLabel* m_verdict;
    QLabel* m_share;
    QLabel* m_problem;
    ladder::Scheme m_dragScheme;
    bool m_dragging = false;
    bool m_committing = false;
};

}  // namespace holo::shell
