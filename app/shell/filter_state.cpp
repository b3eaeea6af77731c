#include "app/shell/filter_state.h"

namespace holo::shell {

void FilterState::setArms(const QStringList& arms)
{
    if (arms == m_arms)
        return;
    m_arms = arms;
    Q_EMIT choicesChanged();
}

void FilterState::setSeeds(const QList<qint64>& seeds)
{
    if (seeds == m_seeds)
        return;
    m_seeds = seeds;
    Q_EMIT choicesChanged();
}

void FilterState::setLengths(const QList<qint64>& lengths)
{
    if (lengths == m_lengths)
        return;
    m_lengths = lengths;
    if (m_length != 0 && !lengths.contains(m_length))
        m_length = 0;
    Q_EMIT choicesChanged();
}

void FilterState::setShown(const QString& arm, bool shown)
{
    if (isShown(arm) == shown)
        return;
    if (shown)
        m_hiddenArms.remove(arm);
    else
        m_hiddenArms.insert(arm);
    Q_EMIT changed();
}

void FilterState::setShown(qint64 seed, bool shown)
{
    if (isShown(seed) == shown)
        return;
    if (shown)
        m_hiddenSeeds.remove(seed);
    else
        m_hiddenSeeds.insert(seed);
    Q_EMIT changed();
}

void FilterState::setLength(qint64 length)
{
    if (length == m_length)
        return;
    m_length = length;
    Q_EMIT changed();
}

void FilterState::selectRun(const QString& run)
{
    if (run == m_selectedRun)
        return;
    m_selectedRun = run;
    Q_EMIT selectedRunChanged(run);
}

}  // namespace holo::shell
