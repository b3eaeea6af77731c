#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QStackedWidget>
#include <QStandardPaths>

#include "app/settings/settings.h"
#include "app/shell/error_bar.h"
#include "app/shell/main_window.h"
#include "app/shell/navigation_rail.h"
#include "app/shell/new_project_dialog.h"
#include "app/shell/pages/compare_page.h"
#include "app/shell/welcome_page.h"
#include "core/base/error.h"

namespace holo::shell {

bool MainWindow::openProject(const QString& path)
{
    try {
        const auto file = config::projectFile(QDir(path).absolutePath().toStdString());
        const config::Project project = config::readProject(file);
        if (!mayLeaveProject())
            return false;
        const QString folder = QString::fromStdString(file.parent_path().string());
        m_queue.close();
        m_study.close();
        m_filter.selectRun({});
        m_document.load(file.parent_path(), project);
        tellWaiting(tr("Reading the runs…"));
        m_study.open(folder);
        m_settings.addRecent(folder);
        m_errorBar->show({});
        m_center->setCurrentIndex(1);
        m_rail->setEnabled(true);
        updateChoices();
        updateTitle();
        return true;
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
        return false;
    }
}

void MainWindow::closeProject()
{
    if (!m_document.isOpen() || !mayLeaveProject())
        return;
    m_queue.close();
    m_study.close();
    m_document.close();
    m_filter.setArms({});
    m_center->setCurrentIndex(0);
    m_rail->setEnabled(false);
    m_welcome->setRecent(m_settings.recent());
    updateTitle();
    updateStatus();
}

bool MainWindow::mayLeaveProject()
{
    if (!m_document.isModified())
        return true;
    // Written aside rather than asked for: nothing is lost, and the user decides later.
    try {
        m_document.save();
        report(tr("Saved %1").arg(QString::fromStdString((m_document.folder() / "project.json").string())));
        return true;
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
        return false;
    }
}

void MainWindow::saveProject()
{
    if (!m_document.isOpen())
        return;
    try {
        m_document.save();
        report(tr("Saved %1").arg(QString::fromStdString((m_document.folder() / "project.json").string())));
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::openSample()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::HomeLocation) + "/holonomy/tiny";
    try {
        if (!QFileInfo::exists(folder + "/project.json")) {
            if (!QDir().mkpath(folder))
                throw Error(ErrorKind::Resource, folder.toStdString() + ": the folder cannot be made.", {folder.toStdString(), "", "", ""});
            config::writeProject((folder + "/project.json").toStdString(), config::projectTemplate("tiny"));
        }
        openProject(folder);
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::newProject()
{
    NewProjectDialog dialog(this);
    if (!m_nextFolder.isEmpty())
        dialog.setFolder(std::exchange(m_nextFolder, {}));
    else if (dialog.exec() != QDialog::Accepted)
        return;
    try {
        openProject(dialog.create());
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

// A text is enough to begin with: a project of its own, next to the others, with the text as its data.
QString MainWindow::newProjectFromText(const QString& path)
{
    const QString base = QDir::homePath() + "/holonomy/" + QFileInfo(path).completeBaseName();
    QString folder = std::exchange(m_nextFolder, {});
    for (int n = 1; folder.isEmpty() || QFileInfo::exists(folder + "/project.json"); ++n)
        folder = n == 1 ? base : QStringLiteral("%1-%2").arg(base).arg(n);
    try {
        if (!QDir().mkpath(folder))
            throw Error(ErrorKind::Resource, folder.toStdString() + ": the folder cannot be made.", {folder.toStdString(), "", "", ""});
        config::Project project = config::projectTemplate("text");
        project.name = QDir(folder).dirName().toStdString();
        project.data.source = {path.toStdString()};
        config::writeProject((folder + "/project.json").toStdString(), project);
        if (openProject(folder))
            showPage("design");
        return {};
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
}

void MainWindow::openText()
{
    QString path = std::exchange(m_nextFolder, {});
    if (path.isEmpty())
        path = QFileDialog::getOpenFileName(this, tr("Train on a text"), QDir::homePath(), tr("Texts (*.txt *.md *.jsonl *.json *.bin);;All files (*)"));
    if (path.isEmpty())
        return;
    if (const QString problem = newProjectFromText(path); !problem.isEmpty())
        showError(problem);
}

void MainWindow::openFolder()
{
    QString folder = std::exchange(m_nextFolder, {});
    if (folder.isEmpty())
        folder = QFileDialog::getExistingDirectory(this, tr("Open a project or run folder"));
    if (!folder.isEmpty())
        openPaths({folder});
}

void MainWindow::openPaths(const QStringList& paths)
{
    QStringList problems;
    for (const QString& path : paths)
        if (const QString problem = openPath(path); !problem.isEmpty())
            problems << problem;
    if (!problems.isEmpty())
        showError(problems.join(' '));
}

QString MainWindow::openPath(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return tr("%1: there is no such file or folder.").arg(path);
    const QDir folder = info.isDir() ? QDir(info.absoluteFilePath()) : info.absoluteDir();
    const bool isProjectFile = !info.isDir() && info.fileName() == "project.json";
    if (isProjectFile || (info.isDir() && folder.exists("project.json"))) {
        const QString before = m_errorBar->sentence();
        if (openProject(folder.absolutePath()))
            return {};
        return m_errorBar->sentence() == before ? QString() : m_errorBar->sentence();
    }
    // A run folder below a project opens the project and selects the run; elsewhere it is compared as it lies.
    QDir run = folder;
    while (!run.exists("run.json") && run.dirName() != "runs" && run.cdUp() && !run.isRoot()) { }
    if (run.exists("run.json")) {
        QDir project = run;
        const bool inProject = project.cdUp() && project.dirName() == "runs" && project.cdUp() && project.exists("project.json");
        if (inProject && QDir(m_study.folder()) != project && !m_study.isOpen())
            openProject(project.absolutePath());
        if (inProject && QDir(m_study.folder()) == project && info.isDir() && folder == run) {
            m_filter.selectRun(run.dirName());
            m_compare->addSource(run.absolutePath());
            if (!m_compare->isAnySet() || currentPage() != "compare")
                showPage("train");
            return {};
        }
        m_compare->addSource(info.absoluteFilePath());
        m_center->setCurrentIndex(1);
        m_rail->setEnabled(true);
        showPage("compare");
        return {};
    }
    const QString ending = info.suffix().toLower();
    if (ending == "safetensors" || (info.isDir() && folder.exists("config.json"))) {
        m_compare->addSource(info.absoluteFilePath());
        m_center->setCurrentIndex(1);
        m_rail->setEnabled(true);
        showPage("compare");
        return {};
    }
    if (!info.isDir() && QStringList{"txt", "jsonl", "json", "md", "bin"}.contains(ending)) {
        if (!m_document.isOpen())
            return newProjectFromText(info.absoluteFilePath());
        const QString problem = m_document.setField("data.source", Json(info.absoluteFilePath().toStdString()));
        if (problem.isEmpty()) {
            report(tr("%1 is now the data of this project (Ctrl+Z takes it back)").arg(info.fileName()));
            showPage("design");
        }
        return problem;
    }
    return tr("%1: neither a project, a run, a checkpoint nor a text.").arg(path);
}

}  // namespace holo::shell
