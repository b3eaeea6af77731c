#pragma once

#include <QAbstractListModel>
#include <QDateTime>
#include <deque>

namespace holo::shell {

// Lines of this session, oldest first; the oldest go when there are more than ten thousand. add() may be called from any thread.
class LogModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Level { Info, Warning, Error };
    enum Role { LevelRole = Qt::UserRole };

    explicit LogModel(QObject* parent = nullptr);
    ~LogModel() override;

    void add(Level level, const QString& category, const QString& text);
    int problems() const { return m_problems; }  // warnings and errors since the last look
    void markSeen();
    QString last() const;

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_lines.size()); }
    QVariant data(const QModelIndex& index, int role) const override;

Q_SIGNALS:
    void problemsChanged(int count);

private:
    struct Line {
        QDateTime time;
        Level level;
        QString category;
        QString text;
    };
    std::deque<Line> m_lines;
    int m_problems = 0;
};

}  // namespace holo::shell
