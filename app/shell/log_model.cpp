#include "app/shell/log_model.h"

#include <QColor>
#include <QMetaObject>
#include <QThread>

#include "core/base/log.h"
#include "widgets/common/state_style.h"

namespace holo::shell {

namespace {

constexpr std::size_t kMostLines = 10000;

}  // namespace

LogModel::LogModel(QObject* parent)
    : QAbstractListModel(parent)
{
    setLogSink([this](holo::LogLevel level, std::string_view category, std::string_view message) {
        if (level == holo::LogLevel::Debug)
            return;
        const QString where = QString::fromUtf8(category.data(), static_cast<qsizetype>(category.size()));
        const QString what = QString::fromUtf8(message.data(), static_cast<qsizetype>(message.size()));
        add(level == holo::LogLevel::Info ? Info : level == holo::LogLevel::Warning ? Warning : Error, where, what);
    });
}

LogModel::~LogModel() { setLogSink({}); }

void LogModel::add(Level level, const QString& category, const QString& text)
{
    if (QThread::currentThread() != thread()) {
        QMetaObject::invokeMethod(this, [this, level, category, text] { add(level, category, text); });
        return;
    }
    if (m_lines.size() >= kMostLines) {
        beginRemoveRows({}, 0, 0);
        m_lines.pop_front();
        endRemoveRows();
    }
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_lines.push_back({QDateTime::currentDateTime(), level, category, text});
    endInsertRows();
    if (level != Info) {
        ++m_problems;
        Q_EMIT problemsChanged(m_problems);
    }
}

void LogModel::markSeen()
{
    if (m_problems == 0)
        return;
    m_problems = 0;
    Q_EMIT problemsChanged(0);
}

QString LogModel::last() const { return m_lines.empty() ? QString() : m_lines.back().text; }

QVariant LogModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Line& line = m_lines[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return line.time.toString("HH:mm:ss") + "   " + line.category + "   " + line.text;
    case Qt::ToolTipRole: return line.text;
    case LevelRole: return line.level;
    case Qt::ForegroundRole:
        if (line.level == Error)
            return widgets::stateStyle("failed").color;
        if (line.level == Warning)
            return widgets::stateStyle("paused").color;
        return {};
    default: return {};
    }
}

}  // namespace holo::shell
