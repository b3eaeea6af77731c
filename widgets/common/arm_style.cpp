#include "widgets/common/arm_style.h"

#include <array>
#include <cmath>

#include "widgets/common/theme.h"

namespace holo::widgets {

ArmStyle armStyle(int index)
{
    const bool dark = theme().dark;
    // On the dark page blue and purple of the original set are too dim for thin lines; same hues, lighter.
    const std::array<QColor, 8> colors = {
        dark ? QColor("#4BA3DC") : QColor("#0072B2"), dark ? QColor("#F0803C") : QColor("#D55E00"), dark ? QColor("#22B98C") : QColor("#009E73"),
        QColor("#CC79A7"), QColor("#E69F00"), QColor("#56B4E9"), dark ? QColor("#FFFFFF") : QColor("#000000"), QColor("#F0E442"),
    };
    constexpr std::array<Qt::PenStyle, 4> dashes = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    const int n = std::max(index, 0);
    ArmStyle style;
    style.color = colors[static_cast<std::size_t>(n % 8)];
    style.dash = dashes[static_cast<std::size_t>(n / 8 % 4)];
    style.marker = n / 8 % 4;
    if (n % 8 == 7 && !dark)
        style.outline = QColor("#7A7000");
    return style;
}

QColor contrastText(const QColor& background)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    const double luminance = 0.2126 * linear(background.redF()) + 0.7152 * linear(background.greenF()) + 0.0722 * linear(background.blueF());
    // Black gives (L+.05)/.05, white 1.05/(L+.05); they meet above 4.5 on both sides of L = .179.
    return luminance > 0.179 ? QColor(Qt::black) : QColor(Qt::white);
}

}  // namespace holo::widgets
