#include "widgets/plots/export_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>

#include "widgets/common/icon_button.h"

namespace holo::widgets {

namespace {

struct Last {
    QString folder = QDir::homePath();
    ExportOptions options;
    bool csv = true;
};
Last& last()
{
    static Last value;
    return value;
}

QDoubleSpinBox* spin(double value, double least, double greatest, const QString& unit, const char* name)
{
    auto* box = new QDoubleSpinBox;
    box->setRange(least, greatest);
    box->setDecimals(1);
    box->setValue(value);
    box->setSuffix(' ' + unit);
    box->setObjectName(name);
    return box;
}

}  // namespace

QString latexFigure(const QString& file, double widthMm, const QString& caption, const QString& command)
{
    QString text;
    for (const QChar c : caption)
        text += QStringLiteral("&%$#_{}").contains(c) ? QStringLiteral("\\") + c : QString(c);
    const QString name = QFileInfo(file).completeBaseName();
    return (command.isEmpty() ? QString() : QStringLiteral("% %1\n").arg(command))
        + QStringLiteral("\\begin{figure}\n  \\centering\n  \\includegraphics[width=%1mm]{%2}\n  \\caption{%3}\n  \\label{fig:%4}\n\\end{figure}\n").arg(widthMm).arg(QFileInfo(file).fileName(), text, name);
}

ExportDialog::ExportDialog(const QString& title, const QString& ending, const QString& command, QWidget* parent)
    : QDialog(parent)
    , m_file(new QLineEdit)
    , m_width(spin(last().options.widthMm, 20, 1000, tr("mm"), "exportWidth"))
    , m_height(spin(last().options.heightMm, 20, 1000, tr("mm"), "exportHeight"))
    , m_font(spin(last().options.fontPt, 4, 40, tr("pt"), "exportFont"))
    , m_csv(new QCheckBox(tr("the data as CSV beside it")))
    , m_buttons(new QDialogButtonBox(QDialogButtonBox::Cancel))
    , m_ending(ending)
{
    setObjectName("exportDialog");
    setWindowTitle(tr("Export figure"));
    QString name = (title.isEmpty() ? QStringLiteral("figure") : title).toLower();
    name.replace(QRegularExpression("[^\\w\\-]+"), "-");
    m_file->setText(QDir(last().folder).filePath(name + '.' + ending));
    m_file->setMinimumWidth(380);
    m_file->setObjectName("exportFile");
    m_file->setAccessibleName(tr("file"));
    m_csv->setChecked(last().csv);
    auto* browse = iconButton("folder", tr("Choose the place"));
    auto* line = new QHBoxLayout;
    line->addWidget(m_file, 1);
    line->addWidget(browse);
    auto* form = new QFormLayout(this);
    form->addRow(tr("file"), line);
    if (ending != "csv") {
        form->addRow(tr("width"), m_width);
        form->addRow(tr("height"), m_height);
        form->addRow(tr("font"), m_font);
        form->addRow(QString(), m_csv);
    }
    auto* save = m_buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    save->setObjectName("exportSave");
    save->setDefault(true);
    if (!command.isEmpty()) {
        auto* copy = m_buttons->addButton(tr("Copy command"), QDialogButtonBox::ActionRole);
        copy->setToolTip(command);
        connect(copy, &QPushButton::clicked, this, [command] { QApplication::clipboard()->setText(command); });
    }
    if (ending == "pdf" || ending == "png") {
        auto* latex = m_buttons->addButton(tr("Copy LaTeX"), QDialogButtonBox::ActionRole);
        latex->setObjectName("copyLatex");
        latex->setToolTip(tr("The figure environment for this file at this width, with the command as a comment"));
        connect(latex, &QPushButton::clicked, this, [this, title, command] { QApplication::clipboard()->setText(latexFigure(file(), options().widthMm, title, command)); });
    }
    form->addRow(m_buttons);
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString chosen = QFileDialog::getSaveFileName(this, tr("Export figure"), m_file->text(), m_ending.toUpper() + " (*." + m_ending + ")");
        if (!chosen.isEmpty())
            m_file->setText(chosen);
    });
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_buttons, &QDialogButtonBox::accepted, this, [this] {
        last() = {QFileInfo(file()).absolutePath(), options(), m_csv->isChecked()};
        accept();
    });
}

QString ExportDialog::file() const
{
    const QString text = m_file->text().trimmed();
    return QFileInfo(text).suffix().isEmpty() ? text + '.' + m_ending : text;
}

ExportOptions ExportDialog::options() const
{
    ExportOptions options;
    options.widthMm = m_width->value();
    options.heightMm = m_height->value();
    options.fontPt = m_font->value();
    return options;
}

bool ExportDialog::wantsCsv() const { return m_ending != "csv" && m_csv->isChecked(); }

}  // namespace holo::widgets
