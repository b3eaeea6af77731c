#include "widgets/common/format.h"

#include <QLocale>
#include <cmath>

namespace holo::widgets {

namespace {

const QString kDash = QStringLiteral("–");

QLocale plainLocale()
{
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return locale;
}

}  // namespace

QString formatValue(double value, int digits)
{
    if (std::isnan(value))
        return kDash;
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("−inf");
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e6))
        return plainLocale().toString(value, 'e', std::max(digits - 2, 1));
    const int whole = size == 0 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
    return plainLocale().toString(value, 'f', std::clamp(digits - whole, 0, 6));
}

QString formatPercent(double share, int decimals)
{
    return std::isnan(share) ? kDash : plainLocale().toString(100 * share, 'f', decimals);
}

QString formatInteger(std::int64_t value) { return QLocale().toString(static_cast<qlonglong>(value)); }

QString formatCount(double value)
{
    if (std::isnan(value))
        return kDash;
    static constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
    int unit = 0;
    while (std::abs(value) >= 999.5 && unit < 4) {
        value /= 1000;
        ++unit;
    }
    return formatValue(value, unit ? 3 : 4).replace(QStringLiteral(".000"), QString()) + QString::fromLatin1(kUnits[unit]);
}

QString formatBytes(double bytes)
{
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 4) {
        bytes /= 1000;
        ++unit;
    }
    return plainLocale().toString(bytes, 'f', unit && bytes < 99.5 ? 1 : 0) + ' ' + QString::fromLatin1(kUnits[unit]);
}

QString formatDuration(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return kDash;
    const auto total = static_cast<qint64>(std::llround(seconds));
    const qint64 days = total / 86400;
    const qint64 hours = total / 3600 % 24;
    const qint64 minutes = total / 60 % 60;
    const QChar zero('0');
    if (days > 0)
        return QStringLiteral("%1 d %2 h").arg(days).arg(hours);
    if (hours > 0)
        return QStringLiteral("%1:%2:%3").arg(hours).arg(minutes, 2, 10, zero).arg(total % 60, 2, 10, zero);
    return QStringLiteral("%1:%2").arg(minutes).arg(total % 60, 2, 10, zero);
}

}  // namespace holo::widgets
