#include "app/shell/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include "widgets/common/icons.h"

namespace holo::shell {

namespace {

constexpr int kMostRows = 200;

}  // namespace

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup)
    , m_actions(actions)
    , m_input(new QLineEdit)
    , m_list(new QListWidget)
{
    setObjectName("commandPalette");
    setAttribute(Qt::WA_DeleteOnClose);
    m_input->setPlaceholderText(tr("Action, arm or run"));
    m_input->addAction(widgets::icon("search"), QLineEdit::LeadingPosition);
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
    for (QAction* action : words.isEmpty() ? m_actions : m_actions + m_places) {
        const QString name = action->text().remove('&');
        if (name.isEmpty() || !action->isEnabled() || m_listed.size() >= kMostRows)
            continue;
        if (!std::all_of(words.begin(), words.end(), [&](const QString& word) { return name.toLower().contains(word); }))
            continue;
        m_list->addItem(new QListWidgetItem(action->icon(), action->shortcut().isEmpty() ? name : name + "\t" + action->shortcut().toString(QKeySequence::NativeText)));
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
