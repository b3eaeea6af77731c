#pragma once

#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>

namespace holo::shell {

// The choice that all pages share: which arms and seeds are shown, which prompt length, which run is selected. Arms have one order and so
// one colour everywhere.
class FilterState : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    void setArms(const QStringList& arms);  // of the project, then those only met in runs
    const QStringList& arms() const { return m_arms; }
    int armIndex(const QString& arm) const { return static_cast<int>(m_arms.indexOf(arm)); }
    void setSeeds(const QList<qint64>& seeds);
    const QList<qint64>& seeds() const { return m_seeds; }

    bool isShown(const QString& arm) const { return !m_hiddenArms.contains(arm); }
    bool isShown(qint64 seed) const { return !m_hiddenSeeds.contains(seed); }
    bool isShown(const QString& arm, qint64 seed) const { return isShown(arm) && isShown(seed); }
    void setShown(const QString& arm, bool shown);
    void setShown(qint64 seed, bool shown);
    const QSet<QString>& hiddenArms() const { return m_hiddenArms; }
    const QSet<qint64>& hiddenSeeds() const { return m_hiddenSeeds; }

    void setLengths(const QList<qint64>& lengths);
    const QList<qint64>& lengths() const { return m_lengths; }
    qint64 length() const { return m_length; }  // 0: all
    void setLength(qint64 length);

    const QString& selectedRun() const { return m_selectedRun; }
    void selectRun(const QString& run);

Q_SIGNALS:
    void choicesChanged();     // what can be chosen
    void changed();            // what is chosen
    void selectedRunChanged(const QString& run);

private:
    QStringList m_arms;
    QList<qint64> m_seeds;
    QList<qint64> m_lengths;
    QSet<QString> m_hiddenArms;
    QSet<qint64> m_hiddenSeeds;
    qint64 m_length = 0;
    QString m_selectedRun;
};

}  // namespace holo::shell
