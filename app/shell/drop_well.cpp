#include "app/shell/drop_well.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QToolButton>
#include <QUrl>

#include "widgets/common/icon_button.h"
#include "widgets/common/theme.h"

namespace holo::shell {

DropWell::DropWell(const QString& letter, QWidget* parent)
    : QFrame(parent)
    , m_text(new QLabel)
    , m_clear(widgets::iconButton("close", tr("Empty %1").arg(letter)))
    , m_letter(letter)
{
    setAcceptDrops(true);
    setObjectName("well" + letter);
    setMinimumHeight(52);
    auto* mark = new QLabel("<b>" + letter + "</b>");
    m_text->setWordWrap(true);
    auto* choose = widgets::iconButton("folder", tr("Choose a folder for %1").arg(letter));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 6, 6);
    layout->addWidget(mark);
    layout->addWidget(m_text, 1);
    layout->addWidget(choose);
    layout->addWidget(m_clear);
    connect(choose, &QToolButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Run folder or checkpoint"));
        if (!folder.isEmpty())
            Q_EMIT dropped({folder});
    });
    connect(m_clear, &QToolButton::clicked, this, &DropWell::cleared);
    setContent({}, {});
}

void DropWell::setContent(const QString& title, const QString& tip)
{
    m_text->setText(title.isEmpty() ? tr("Drop a run folder or a checkpoint here") : title);
    m_text->setProperty("role", title.isEmpty() ? "secondary" : "heading");
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    setToolTip(tip);
    m_clear->setVisible(!title.isEmpty());
    setHot(false);
}

void DropWell::setHot(bool hot)
{
    const auto& t = widgets::theme();
    const QString sheet = QStringLiteral("#%1 { border: 1px %2 %3; border-radius: 6px; background: %4; }").arg(objectName(), hot ? "solid" : "dashed", (hot ? t.accent : t.secondary).name(), hot ? t.grid.name() : "transparent");
    if (sheet != styleSheet())  // a style sheet changes the palette, which calls us again
        setStyleSheet(sheet);
}

void DropWell::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        setHot(false);
}

void DropWell::dragEnterEvent(QDragEnterEvent* event)
{
    if (!event->mimeData()->hasUrls())
        return;
    event->acceptProposedAction();
    setHot(true);
}

void DropWell::dragLeaveEvent(QDragLeaveEvent*) { setHot(false); }

void DropWell::dropEvent(QDropEvent* event)
{
    setHot(false);
    event->acceptProposedAction();
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
        else
            Q_EMIT remoteDropped(url.toDisplayString());
    }
    if (!paths.isEmpty())
        Q_EMIT dropped(paths);
}

}  // namespace holo::shell
