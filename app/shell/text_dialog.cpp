#include "app/shell/text_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "core/base/files.h"

namespace holo::shell {

TextDialog::TextDialog(const QString& title, const QString& text, const QString& fileName, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(title);
    resize(820, 560);
    auto* edit = new QPlainTextEdit(text);
    edit->setReadOnly(true);
    edit->setObjectName("text");
    edit->setAccessibleName(title);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    auto* save = buttons->addButton(tr("Save…"), QDialogButtonBox::ActionRole);
    auto* outcome = new QLabel;
    outcome->setProperty("role", "secondary");
    auto* foot = new QHBoxLayout;
    foot->addWidget(outcome, 1);
    foot->addWidget(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(edit, 1);
    layout->addLayout(foot);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(copy, &QPushButton::clicked, this, [outcome, text] {
        QApplication::clipboard()->setText(text);
        outcome->setText(tr("Copied"));
    });
    connect(save, &QPushButton::clicked, this, [this, outcome, text, fileName] {
        const QString file = QFileDialog::getSaveFileName(this, windowTitle(), fileName);
        if (file.isEmpty())
            return;
        try {
            writeFileAtomic(file.toStdString(), text.toStdString());
            outcome->setText(tr("Wrote %1").arg(file));
        } catch (const Error& error) {
            outcome->setText(QString::fromUtf8(error.what()));
        }
    });
}

}  // namespace holo::shell
