#pragma once

#include <QMainWindow>
#include <memory>

#include "app/bridge/engine_call.h"
#include "app/bridge/job_queue.h"
#include "app/bridge/run_controller.h"
#include "app/bridge/stall_watch.h"
#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "app/shell/log_model.h"
#include "app/shell/page.h"
#include "widgets/common/theme.h"
#include "widgets/editors/project_document.h"

class QLabel;
class QStackedWidget;

namespace holo::settings {
class Settings;
}

namespace holo::shell {

class ComparePage;
class ErrorBar;
class FilterBar;
class LogPage;
class NavigationRail;
class QueuePanel;
class WelcomePage;

// The window: navigation rail, filter bar, pages, docks. Owns what pages work with.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(settings::Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    // A project folder or its project.json, a run folder, a checkpoint, a text file: what can be done with it is done. One report for several.
    void openPaths(const QStringList& paths);
    bool openProject(const QString& folder);
    void closeProject();

    static const QStringList& pageNames();  // "design", "runs", …
    void showPage(const QString& name);
    QString currentPage() const;
    void showError(const QString& sentence);
    QString errorSentence() const;
    bridge::Study& study() { return m_study; }
    bridge::JobQueue& queue() { return m_queue; }
    FilterState& filter() { return m_filter; }
    widgets::ProjectDocument& document() { return m_document; }
    void setTheme(widgets::ThemeMode mode);
    void resetLayout();

    // What tests and scripts answer in place of a dialog: closing with runs active (see closeEvent), and folders to choose.
    enum class CloseChoice { Ask, StopAndSave, KeepRunning, Cancel };
    void setNextCloseChoice(CloseChoice choice) { m_nextClose = choice; }
    void setNextFolder(const QString& folder) { m_nextFolder = folder; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void addPage(Page* page, const QString& icon, const QString& word, const QString& tip);
    void makeDocks();
    void makeMenus();
    void openSample();
    void newProject();
    void openFolder();
    void openText();
    QString newProjectFromText(const QString& path);  // empty, or one sentence
    void runTool(const QString& name, const QStringList& arguments);
    void saveProject();
    bool mayLeaveProject();
    void tellWaiting(const QString& text);  // on empty pages, while the runs are read
    void updateChoices();
    void updateStatus();
    void updateTitle();
    void report(const QString& sentence);
    void showPalette();
    void reportEnd(const QString& run);
    QString openPath(const QString& path);  // empty, or one sentence
    QStringList activeRuns() const;

    settings::Settings& m_settings;
    LogModel m_log;
    bridge::Study m_study;
    bridge::RunController m_controller;
    bridge::JobQueue m_queue;
    bridge::StallWatch m_watch;
    bridge::EngineCall m_tool;
    QString m_toolName;
    widgets::ProjectDocument m_document;
    FilterState m_filter;
    Context m_context;

    NavigationRail* m_rail;
    FilterBar* m_filterBar;
    ErrorBar* m_errorBar;
    QStackedWidget* m_pages;
    QStackedWidget* m_center;  // welcome, or filter bar and pages
    WelcomePage* m_welcome;
    LogPage* m_logPage = nullptr;
    ComparePage* m_compare = nullptr;
    QueuePanel* m_queuePanel = nullptr;
    QLabel* m_statusProject;
    QLabel* m_statusQueue;
    QLabel* m_statusProblems;
    QStringList m_titles;
    QByteArray m_defaultLayout;
    CloseChoice m_nextClose = CloseChoice::Ask;
    QString m_nextFolder;
};

}  // namespace holo::shell
