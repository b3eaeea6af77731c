#include "app/shell/navigation_rail.h"

#include <QButtonGroup>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/common/icons.h"

namespace holo::shell {

NavigationRail::NavigationRail(QWidget* parent)
    : QWidget(parent)
    , m_group(new QButtonGroup(this))
{
    setObjectName("navigationRail");
    setFixedWidth(76);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 8, 6, 8);
    layout->setSpacing(2);
    layout->addStretch();
    m_group->setExclusive(true);
    connect(m_group, &QButtonGroup::idClicked, this, &NavigationRail::chosen);
}

void NavigationRail::addPage(const QString& iconName, const QString& word, const QString& tip)
{
    auto* button = new QToolButton;
    const int id = static_cast<int>(m_group->buttons().size());
    button->setObjectName("nav" + word);
    button->setIcon(widgets::icon(iconName));
    button->setIconSize({20, 20});
    button->setText(word);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setMinimumHeight(48);
    QFont font = button->font();
    font.setPointSizeF(font.pointSizeF() * 0.9);
    button->setFont(font);
    button->setToolTip(QStringLiteral("%1  (Ctrl+%2)").arg(tip).arg(id + 1));
    m_group->addButton(button, id);
    static_cast<QVBoxLayout*>(layout())->insertWidget(id, button);
}

void NavigationRail::setCurrent(int page)
{
    if (auto* button = m_group->button(page))
        button->setChecked(true);
}

}  // namespace holo::shell
