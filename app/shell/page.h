#pragma once

#include <QWidget>

namespace holo::bridge {
class JobQueue;
class RunController;
class Study;
}
namespace holo::widgets {
class ProjectDocument;
}

namespace holo::shell {

class FilterState;
class LogModel;

// What pages and docks work with; owned by the main window, borrowed by them.
struct Context {
    bridge::Study& study;
    bridge::RunController& controller;
    bridge::JobQueue& queue;
    widgets::ProjectDocument& document;
    FilterState& filter;
    LogModel& log;
};

// A central page. Pages show models and keep no truth of their own.
class Page : public QWidget {
    Q_OBJECT
public:
    explicit Page(Context& context, QWidget* parent = nullptr);

Q_SIGNALS:
    void failed(const QString& sentence);
    void pageWanted(const QString& name);  // "train", "design", …
    void comparisonWanted(const QStringList& folders);
    void noted(const QString& sentence);   // for the status bar

protected:
    Context& m_context;
};

}  // namespace holo::shell
