#include "app/shell/filter_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>

#include "app/shell/filter_state.h"
#include "widgets/common/chip.h"
#include "widgets/common/icons.h"

namespace holo::shell {

FilterBar::FilterBar(FilterState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_title(new QLabel)
    , m_chips(new QWidget)
    , m_seeds(new QToolButton)
    , m_length(new QComboBox)
    , m_filters(new QWidget)
{
    setObjectName("filterBar");
    m_title->setProperty("role", "title");
    m_title->setObjectName("pageTitle");
    auto* chips = new QHBoxLayout(m_chips);
    chips->setContentsMargins(0, 0, 0, 0);
    chips->setSpacing(2);
    m_seeds->setPopupMode(QToolButton::InstantPopup);
    m_seeds->setAutoRaise(true);
    m_seeds->setMenu(new QMenu(m_seeds));
    m_seeds->setObjectName("seedFilter");
    m_length->setObjectName("lengthFilter");
    m_length->setAccessibleName(tr("prompt length"));
    m_length->setFrame(false);
    auto* search = new QToolButton;
    search->setIcon(widgets::icon("search"));
    search->setText("Ctrl+K");
    search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    search->setAutoRaise(true);
    search->setToolTip(tr("All commands  (Ctrl+K)"));
    search->setAccessibleName(tr("All commands"));
    connect(search, &QToolButton::clicked, this, &FilterBar::paletteWanted);

    auto* filters = new QHBoxLayout(m_filters);
    filters->setContentsMargins(0, 0, 0, 0);
    filters->setSpacing(8);
    filters->addWidget(m_chips);
    filters->addWidget(m_seeds);
    filters->addWidget(m_length);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 6);
    layout->setSpacing(12);
    layout->addWidget(m_title);
    layout->addStretch();
    layout->addWidget(m_filters);
    layout->addWidget(search);

    connect(m_length, &QComboBox::activated, this, [this](int index) { m_state.setLength(m_length->itemData(index).toLongLong()); });
    connect(&m_state, &FilterState::choicesChanged, this, &FilterBar::rebuild);
    connect(&m_state, &FilterState::changed, this, &FilterBar::updateSeeds);
    rebuild();
}

void FilterBar::setTitle(const QString& title) { m_title->setText(title); }

void FilterBar::rebuild()
{
    qDeleteAll(m_chips->findChildren<widgets::Chip*>(QString(), Qt::FindDirectChildrenOnly));
    // With many arms the words would push everything else out: then the square stands alone, its name in the tooltip.
    const bool wordless = m_state.arms().size() > 6;
    for (const QString& arm : m_state.arms()) {
        auto* chip = new widgets::Chip(arm, m_state.armIndex(arm));
        chip->setObjectName("chip_" + arm);
        if (wordless)
            chip->setToolButtonStyle(Qt::ToolButtonIconOnly);
        chip->setChecked(m_state.isShown(arm));
        connect(chip, &QToolButton::toggled, this, [this, arm](bool on) { m_state.setShown(arm, on); });
        m_chips->layout()->addWidget(chip);
    }
    m_length->clear();
    m_length->addItem(tr("all lengths"), qint64(0));
    for (const qint64 length : m_state.lengths())
        m_length->addItem(tr("length %1").arg(length), length);
    m_length->setCurrentIndex(std::max(0, m_length->findData(m_state.length())));
    m_length->setVisible(!m_state.lengths().isEmpty());
    QMenu* menu = m_seeds->menu();
    menu->clear();
    for (const qint64 seed : m_state.seeds()) {
        QAction* action = menu->addAction(tr("seed %1").arg(seed));
        action->setCheckable(true);
        action->setChecked(m_state.isShown(seed));
        connect(action, &QAction::toggled, this, [this, seed](bool on) { m_state.setShown(seed, on); });
    }
    menu->addSeparator();
    menu->addAction(tr("All seeds"), this, [this] {
        for (const qint64 seed : m_state.seeds())
            m_state.setShown(seed, true);
        rebuild();
    });
    m_filters->setVisible(!m_state.arms().isEmpty());
    updateSeeds();
}

void FilterBar::updateSeeds()
{
    const auto& seeds = m_state.seeds();
    const auto shown = std::count_if(seeds.begin(), seeds.end(), [this](qint64 seed) { return m_state.isShown(seed); });
    m_seeds->setVisible(!seeds.isEmpty());
    m_seeds->setText(shown == seeds.size() ? tr("%n seed(s)", nullptr, static_cast<int>(seeds.size())) : tr("%1 of %2 seeds").arg(shown).arg(seeds.size()));
    m_length->setCurrentIndex(std::max(0, m_length->findData(m_state.length())));
}

}  // namespace holo::shell
