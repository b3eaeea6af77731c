#include "widgets/common/chip.h"

#include <QEvent>

#include "widgets/common/arm_style.h"
#include "widgets/common/icons.h"

namespace holo::widgets {

Chip::Chip(const QString& text, int armIndex, QWidget* parent)
    : QToolButton(parent)
    , m_armIndex(armIndex)
{
    setText(text);
    setCheckable(true);
    setChecked(true);
    setStyleSheet("QToolButton { border: none; border-radius: 4px; padding: 3px 6px; } QToolButton:hover { background: rgba(128, 128, 128, 40); }"
                  "QToolButton:focus { text-decoration: underline; }");
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setToolTip(tr("Show or hide %1 on all pages").arg(text));
    updateIcon();
    connect(this, &QToolButton::toggled, this, &Chip::updateIcon);
}

void Chip::setArmIndex(int armIndex)
{
    m_armIndex = armIndex;
    updateIcon();
}

void Chip::updateIcon()
{
    const ArmStyle style = armStyle(m_armIndex);
    setIcon(swatch(style.color, style.outline, isChecked()));
}

void Chip::changeEvent(QEvent* event)
{
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateIcon();
}

}  // namespace holo::widgets
