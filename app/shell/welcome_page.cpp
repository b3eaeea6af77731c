#include "app/shell/welcome_page.h"

#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/common/icons.h"

namespace holo::shell {

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent)
    , m_recent(new QVBoxLayout)
    , m_recentBox(new QWidget)
{
    setObjectName("welcomePage");
    setProperty("role", "page");
    setAttribute(Qt::WA_StyledBackground);
    auto* title = new QLabel(tr("Holonomy"));
    QFont font = title->font();
    font.setPointSizeF(font.pointSizeF() * 2.4);
    font.setWeight(QFont::DemiBold);
    title->setFont(font);
    auto* sentence = new QLabel(tr("A workbench for experiments on positional encodings: design frequency ladders and head splits, train models with them, and see what they do to retrieval in context."));
    sentence->setWordWrap(true);
    sentence->setProperty("role", "secondary");
    auto* sample = new QPushButton(widgets::icon("play"), tr("Open the tiny sample"));
    auto* fresh = new QPushButton(widgets::icon("add"), tr("New project…"));
    auto* open = new QPushButton(widgets::icon("folder"), tr("Open a folder…"));
    sample->setObjectName("openSample");
    fresh->setObjectName("newProject");
    open->setObjectName("openFolder");
    auto* text = new QPushButton(widgets::icon("log"), tr("Train on a text of your own…"));
    text->setObjectName("openText");
    sample->setDefault(true);
    auto* column = new QVBoxLayout;
    column->setSpacing(8);
    column->addWidget(title);
    column->addWidget(sentence);
    column->addSpacing(16);
    for (auto* button : {sample, fresh, text, open}) {
        button->setMinimumHeight(34);
        button->setStyleSheet("text-align: left; padding-left: 12px;");
        column->addWidget(button);
    }
    auto* hint = new QLabel(tr("A run folder, a checkpoint or a text file can also be dropped on this window."));
    hint->setProperty("role", "secondary");
    hint->setWordWrap(true);
    column->addWidget(hint);
    auto* recentLayout = new QVBoxLayout(m_recentBox);
    recentLayout->setContentsMargins(0, 16, 0, 0);
    auto* recentTitle = new QLabel(tr("Recent"));
    recentTitle->setProperty("role", "heading");
    recentLayout->addWidget(recentTitle);
    recentLayout->addLayout(m_recent);
    column->addWidget(m_recentBox);
    auto* box = new QWidget;
    box->setMaximumWidth(480);
    box->setLayout(column);
    auto* layout = new QVBoxLayout(this);
    layout->addStretch(2);
    auto* row = new QHBoxLayout;
    row->addStretch();
    row->addWidget(box, 1);
    row->addStretch();
    layout->addLayout(row);
    layout->addStretch(3);
    connect(sample, &QPushButton::clicked, this, &WelcomePage::sampleWanted);
    connect(fresh, &QPushButton::clicked, this, &WelcomePage::newWanted);
    connect(text, &QPushButton::clicked, this, &WelcomePage::textWanted);
    connect(open, &QPushButton::clicked, this, &WelcomePage::openWanted);
    setRecent({});
}

void WelcomePage::setRecent(const QStringList& folders)
{
    while (auto* item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const QString& folder : folders) {
        auto* link = new QLabel(QStringLiteral("<a href='open'>%1</a>&nbsp;&nbsp;<span style='color:gray'>%2</span>")
                                    .arg(QDir(folder).dirName().toHtmlEscaped(), folder.toHtmlEscaped()));
        connect(link, &QLabel::linkActivated, this, [this, folder] { Q_EMIT recentWanted(folder); });
        m_recent->addWidget(link);
    }
    m_recentBox->setVisible(!folders.isEmpty());
}

}  // namespace holo::shell
