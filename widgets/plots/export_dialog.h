#pragma once

#include <QDialog>

#include "widgets/plots/plot_export.h"

class QCheckBox;
class QDialogButtonBox;
class QDoubleSpinBox;
class QLineEdit;

namespace holo::widgets {

// The figure environment that shows `file` at this width; the command stands above it as a comment.
QString latexFigure(const QString& file, double widthMm, const QString& caption, const QString& command);

// Asks where a figure goes and how large it is on paper: millimetres, points, the data as CSV beside it. What was chosen last is offered
// again.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    ExportDialog(const QString& title, const QString& ending, const QString& command, QWidget* parent = nullptr);
    QString file() const;  // with an ending
    ExportOptions options() const;
    bool wantsCsv() const;

private:
    QLineEdit* m_file;
    QDoubleSpinBox* m_width;
    QDoubleSpinBox* m_height;
    QDoubleSpinBox* m_font;
    QCheckBox* m_csv;
    QDialogButtonBox* m_buttons;
    QString m_ending;
};

}  // namespace holo::widgets
