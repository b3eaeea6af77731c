#include "widgets/common/empty_state.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace holo::widgets {

EmptyState::EmptyState(const QString& text, const QString& action, QWidget* parent)
    : QWidget(parent)
    , m_label(new QLabel(text))
    , m_waiting(new QLabel)
    , m_button(new QPushButton(action))
{
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignCenter);
    m_label->setProperty("role", "secondary");
    m_waiting->setAlignment(Qt::AlignCenter);
    m_waiting->setProperty("role", "secondary");
    m_waiting->hide();
    m_button->setVisible(!action.isEmpty());
    m_button->setObjectName("emptyStateAction");
    auto* layout = new QVBoxLayout(this);
    layout->addStretch(2);
    layout->addWidget(m_waiting);
    layout->addWidget(m_label);
    layout->addSpacing(8);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    connect(m_button, &QPushButton::clicked, this, &EmptyState::activated);
}

void EmptyState::setText(const QString& text) { m_label->setText(text); }

void EmptyState::setWaiting(const QString& text)
{
    m_waiting->setText(text);
    m_waiting->setVisible(!text.isEmpty());
    m_label->setVisible(text.isEmpty());
    m_button->setVisible(text.isEmpty() && !m_button->text().isEmpty());
}

}  // namespace holo::widgets
