#include "app/shell/error_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "widgets/common/icon_button.h"

namespace holo::shell {

ErrorBar::ErrorBar(QWidget* parent)
    : QFrame(parent)
    , m_text(new QLabel)
{
    setObjectName("errorBar");
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    const auto button = [](const QString& text) {
        auto* b = new QToolButton;
        b->setText(text);
        b->setAutoRaise(true);
        return b;
    };
    auto* log = button(tr("Show in log"));
    auto* copy = button(tr("Copy"));
    auto* close = widgets::iconButton("close", tr("Dismiss"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 8, 4);
    layout->addWidget(m_text, 1);
    layout->addWidget(log);
    layout->addWidget(copy);
    layout->addWidget(close);
    connect(log, &QToolButton::clicked, this, &ErrorBar::logWanted);
    connect(copy, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(m_text->text()); });
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void ErrorBar::show(const QString& sentence)
{
    m_text->setText(sentence);
    setVisible(!sentence.isEmpty());
}

QString ErrorBar::sentence() const { return isVisibleTo(parentWidget()) ? m_text->text() : QString(); }

}  // namespace holo::shell
