#include "app/shell/new_project_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "core/base/error.h"
#include "core/config/project.h"
#include "widgets/common/icon_button.h"

namespace holo::shell {

NewProjectDialog::NewProjectDialog(QWidget* parent)
    : QDialog(parent)
    , m_template(new QComboBox)
    , m_folder(new QLineEdit(QDir::homePath() + "/holonomy/study"))
{
    setWindowTitle(tr("New project"));
    setMinimumWidth(480);
    m_template->setObjectName("template");
    m_folder->setObjectName("folder");
    m_folder->setAccessibleName(tr("folder"));
    for (const auto& name : config::templateNames()) {
        m_template->addItem(QString::fromStdString(name));
        m_template->setItemData(m_template->count() - 1, QString::fromStdString(config::projectTemplate(name).notes), Qt::ToolTipRole);
    }
    auto* browse = widgets::iconButton("folder", tr("Choose a folder"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_folder, 1);
    row->addWidget(browse);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Create"));
    auto* form = new QFormLayout(this);
    form->addRow(tr("start from"), m_template);
    auto* notes = new QLabel;
    notes->setWordWrap(true);
    notes->setProperty("role", "secondary");
    form->addRow(QString(), notes);
    form->addRow(tr("folder"), row);
    form->addRow(buttons);
    const auto describe = [this, notes] { notes->setText(m_template->currentData(Qt::ToolTipRole).toString()); };
    connect(m_template, &QComboBox::currentIndexChanged, notes, describe);
    describe();
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder of the new project"), QFileInfo(m_folder->text()).absolutePath());
        if (!folder.isEmpty())
            m_folder->setText(folder);
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void NewProjectDialog::setFolder(const QString& folder) { m_folder->setText(folder); }

QString NewProjectDialog::create() const
{
    const QString folder = QDir(m_folder->text()).absolutePath();
    const std::string file = (folder + "/project.json").toStdString();
    if (QFileInfo::exists(folder + "/project.json"))
        throw Error(ErrorKind::Usage, file + ": there is a project already; choose another folder or open it.", {file, "", "", ""});
    if (!QDir().mkpath(folder))
        throw Error(ErrorKind::Resource, folder.toStdString() + ": the folder cannot be made.", {folder.toStdString(), "", "", ""});
    config::Project project = config::projectTemplate(m_template->currentText().toStdString());
    project.name = QDir(folder).dirName().toStdString();
    config::writeProject(file, project);
    return folder;
}

}  // namespace holo::shell
