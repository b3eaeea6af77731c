#include "app/shell/json_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "widgets/editors/project_document.h"

namespace holo::shell {

JsonDialog::JsonDialog(widgets::ProjectDocument& document, QWidget* parent)
    : QDialog(parent)
    , m_document(document)
    , m_text(new QPlainTextEdit(QString::fromStdString(dumpPretty(config::toJson(document.project())))))
    , m_problem(new QLabel)
{
    setObjectName("projectJson");
    setWindowTitle(tr("Project as JSON"));
    resize(760, 680);
    QFont mono("monospace");
    mono.setStyleHint(QFont::Monospace);
    m_text->setFont(mono);
    m_text->setObjectName("json");
    m_text->setAccessibleName(tr("project as JSON"));
    m_problem->setProperty("role", "problem");
    m_problem->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    auto* take = buttons->addButton(tr("Apply"), QDialogButtonBox::AcceptRole);
    take->setToolTip(tr("One step; Ctrl+Z in the window takes it back"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_problem);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        if (apply())
            accept();
    });
}

bool JsonDialog::apply()
{
    try {
        const std::string text = m_text->toPlainText().toStdString();
        m_document.change(tr("edit the project as JSON"), config::projectFromJson(parseJson(text, "project"), "project"));
        m_problem->clear();
        return true;
    } catch (const Error& error) {
        m_problem->setText(QString::fromUtf8(error.what()));
        return false;
    }
}

}  // namespace holo::shell
