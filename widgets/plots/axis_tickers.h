#pragma once

#include "widgets/plots/qcustomplot.h"

namespace holo::widgets {

// Ticks of an axis that holds log10 of its values. QCustomPlot's own log axis refuses ranges beyond 1e±250 and draws lines to the frame
// for values it cannot show; with logarithms on a linear axis every finite positive double has its place. At most a dozen labels.
class LogTicker : public QCPAxisTicker {
public:
    void generate(const QCPRange& range, const QLocale& locale, QChar formatChar, int precision, QVector<double>& ticks, QVector<double>* subTicks,
        QVector<QString>* tickLabels) override;
};

// Ticks of a linear axis; large round numbers in thousands and millions ("50 k").
class LinearTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision) override;
};

// Category names at 0, 1, 2 …; when they stand too close, every second, third … one.
class CategoryTicker : public QCPAxisTicker {
public:
    void setNames(const QStringList& names) { m_names = names; }
    void setMost(int count) { m_most = count; }
    void generate(const QCPRange& range, const QLocale& locale, QChar formatChar, int precision, QVector<double>& ticks, QVector<double>* subTicks,
        QVector<QString>* tickLabels) override;

private:
    QStringList m_names;
    int m_most = 24;
};

}  // namespace holo::widgets
