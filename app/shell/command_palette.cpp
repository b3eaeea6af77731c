#include "app/shell/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "widgets/common/icons.h"
#include "widgets/common/theme.h"

namespace holo::shell {

namespace {

constexpr int kMostRows = 200;
constexpr int kKeysRole = Qt::UserRole;

// The name on the left, its keys on the right.
class KeysDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        painter->save();
        painter->setPen(option.state & QStyle::State_Selected ? option.palette.color(QPalette::HighlightedText) : widgets::theme().secondary);
        painter->drawText(option.rect.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter, index.data(kKeysRole).toString());
        painter->restore();
    }
};

}  // namespace

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup)
    , m_actions(actions)
    , m_input(new QLineEdit)
    , m_list(new QListWidget)
{
    setObjectName("commandPalette");
    setAttribute(Qt::WA_DeleteOnClose);
    m_list->setIconSize({20, 20});
    m_list->setItemDelegate(new KeysDelegate(m_list));
    m_input->setPlaceholderText(tr("Action, arm or run"));
    m_input->addAction(widgets::icon("search"), QLineEdit::LeadingPosition);
    m_input->setAccessibleName(tr("action, arm or run"));
    m_list->setAccessibleName(tr("what matches"));
    m_input->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_input);
    layout->addWidget(m_list);
    resize(520, 380);
    connect(m_input, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_input, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_list, &QListWidget::itemActivated, this, &CommandPalette::run);
    filter({});
    m_input->setFocus();
}

void CommandPalette::filter(const QString& text)
{
    m_list->clear();
    const QStringList words = text.toLower().split(' ', Qt::SkipEmptyParts);
    m_listed.clear();
    QPixmap nothing(m_list->iconSize().isValid() ? m_list->iconSize() : QSize(20, 20));
    nothing.fill(Qt::transparent);
    const QIcon noIcon(nothing);  // names stand below each other
    for (QAction* action : words.isEmpty() ? m_actions : m_actions + m_places) {
        const QString name = action->text().remove('&');
        if (name.isEmpty() || !action->isEnabled() || m_listed.size() >= kMostRows)
            continue;
        if (!std::all_of(words.begin(), words.end(), [&](const QString& word) { return name.toLower().contains(word); }))
            continue;
        auto* item = new QListWidgetItem(action->icon().isNull() ? noIcon : action->icon(), name);
        item->setData(kKeysRole, action->shortcut().toString(QKeySequence::NativeText));
        m_list->addItem(item);
        m_listed << action;
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::run()
{
    if (m_list->currentRow() < 0)
        return;
    QAction* action = m_listed[m_list->currentRow()];
    close();
    action->trigger();
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event)
{
    if (object == m_input && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            m_list->setCurrentRow(std::clamp(m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1), 0, m_list->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(object, event);
}

}  // namespace holo::shell
