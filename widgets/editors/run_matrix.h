#pragma once

#include <QSet>
#include <QTableWidget>
#include <vector>

namespace holo::widgets {

// Arms × seeds: which runs to queue. A run that is there already shows its state and is not offered again unless it can go on.
class RunMatrix : public QTableWidget {
    Q_OBJECT
public:
    explicit RunMatrix(QWidget* parent = nullptr);
    using Pair = std::pair<QString, qint64>;
    void setPlan(const QStringList& arms, const std::vector<qint64>& seeds);
    void setState(const QString& arm, qint64 seed, const QString& state);  // run::stateName, "queued", "not planned", or empty: not there
    std::vector<Pair> chosen() const;

Q_SIGNALS:
    void chosenChanged();

private:
    QStringList m_arms;
    std::vector<qint64> m_seeds;
};

}  // namespace holo::widgets
