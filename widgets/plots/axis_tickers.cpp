#include "widgets/plots/axis_tickers.h"

#include <algorithm>
#include <cmath>

namespace holo::widgets {

namespace {

QString superscript(int value)
{
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text;
    for (const QChar c : QString::number(value))
        text += c == '-' ? QChar(0x207B) : digits[c.digitValue()];
    return text;
}

QString label(double exponent)
{
    const double value = std::pow(10.0, exponent);
    if (exponent > -3.5 && exponent < 4.5)
        return QString::number(value, 'g', 3);
    const int whole = static_cast<int>(std::floor(exponent + 1e-9));
    const double mantissa = std::pow(10.0, exponent - whole);
    return std::abs(mantissa - 1) < 1e-6 ? QStringLiteral("10") + superscript(whole)
                                         : QString::number(mantissa, 'g', 2) + QStringLiteral("·10") + superscript(whole);
}

}  // namespace

void LogTicker::generate(const QCPRange& range, const QLocale& locale, QChar formatChar, int precision, QVector<double>& ticks,
    QVector<double>* subTicks, QVector<QString>* tickLabels)
{
    ticks.clear();
    QVector<double> minor;
    const double size = range.size();
    if (size < 0.35) {  // less than half a decade: a linear choice of values
        const double low = std::pow(10.0, range.lower);
        const double high = std::pow(10.0, range.upper);
        QVector<double> linear;
        QCPAxisTicker plain;
        plain.setTickCount(4);
        plain.generate(QCPRange(low, high), locale, formatChar, precision, linear, nullptr, nullptr);
        for (const double v : linear)
            if (v > 0)
                ticks.append(std::log10(v));
        if (tickLabels) {
            tickLabels->clear();
            for (const double t : ticks)
                tickLabels->append(QString::number(std::pow(10.0, t), 'g', size < 0.01 ? 6 : 4));
        }
        if (subTicks)
            subTicks->clear();
        return;
    }
    const int first = static_cast<int>(std::floor(range.lower));
    const int last = static_cast<int>(std::ceil(range.upper));
    const int stride = std::max(1, (last - first) / 8);
    const std::vector<double> mantissas = size < 1.1 ? std::vector<double>{1, 2, 3, 5} : size < 2.5 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
    for (int k = first; k <= last; k += stride)
        for (const double m : mantissas)
            ticks.append(k + std::log10(m));
    if (size < 12)
        for (int k = first; k <= last; ++k)
            for (int m = 2; m < 10; ++m)
                minor.append(k + std::log10(static_cast<double>(m)));
    ticks.erase(std::remove_if(ticks.begin(), ticks.end(), [&](double t) { return t < range.lower || t > range.upper; }), ticks.end());
    if (tickLabels) {
        tickLabels->clear();
        for (const double t : ticks)
            tickLabels->append(label(t));
    }
    if (subTicks)
        *subTicks = minor;
}

QString LinearTicker::getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision)
{
    const double size = std::abs(tick);
    if (size < 1e4 || size >= 1e12)
        return QCPAxisTicker::getTickLabel(tick, locale, formatChar, precision);
    const double unit = size < 1e6 ? 1e3 : size < 1e9 ? 1e6 : 1e9;
    return QString::number(tick / unit, 'g', 4) + QChar(0x202F) + (size < 1e6 ? 'k' : size < 1e9 ? 'M' : 'G');
}

void CategoryTicker::generate(const QCPRange& range, const QLocale& locale, QChar formatChar, int precision, QVector<double>& ticks,
    QVector<double>* subTicks, QVector<QString>* tickLabels)
{
    Q_UNUSED(locale)
    Q_UNUSED(formatChar)
    Q_UNUSED(precision)
    ticks.clear();
    if (subTicks)
        subTicks->clear();
    if (tickLabels)
        tickLabels->clear();
    const int stride = std::max(1, static_cast<int>((m_names.size() + m_most - 1) / std::max(m_most, 1)));
    for (int i = 0; i < m_names.size(); i += stride)
        if (i >= range.lower && i <= range.upper) {
            ticks.append(i);
            if (tickLabels)
                tickLabels->append(m_names[i]);
        }
}

}  // namespace holo::widgets
