#include "app/shell/pages/design_page.h"

#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/shell/pages/arms_panel.h"
#include "app/shell/pages/ladder_panel.h"
#include "app/shell/pages/plan_panel.h"
#include "app/shell/pages/seeds_field.h"
#include "widgets/editors/project_document.h"
#include "widgets/editors/spec_form.h"

namespace holo::shell {

DesignPage::DesignPage(Context& context, QWidget* parent)
    : Page(context, parent)
{
    auto* arms = new ArmsPanel(context.document);
    auto* ladder = new LadderPanel(context.document);
    auto* upper = new QSplitter(Qt::Horizontal);
    upper->addWidget(arms);
    upper->addWidget(ladder);
    upper->setSizes({160, 1030});
    upper->setStretchFactor(1, 1);
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->setObjectName("specTabs");
    const std::pair<const char*, QString> forms[] = {{"model", tr("model")}, {"data", tr("data")}, {"train", tr("training")}, {"eval", tr("evaluation")}};
    for (const auto& [prefix, word] : forms) {
        auto* form = new widgets::SpecForm(context.document, prefix);
        auto* scroll = new QScrollArea;
        scroll->setWidget(form);
        scroll->setWidgetResizable(true);
        scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        tabs->addTab(scroll, word);
        connect(form, &widgets::SpecForm::refused, this, &Page::failed);
    }
    auto* seeds = new SeedsField(context.document);
    tabs->setCornerWidget(seeds, Qt::TopRightCorner);
    auto* plan = new PlanPanel(context);
    auto* lower = new QSplitter(Qt::Horizontal);
    lower->addWidget(tabs);
    lower->addWidget(plan);
    lower->setSizes({760, 420});
    lower->setStretchFactor(0, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(upper);
    splitter->addWidget(lower);
    splitter->setSizes({500, 300});
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    connect(arms, &ArmsPanel::failed, this, &Page::failed);
    connect(ladder, &LadderPanel::failed, this, &Page::failed);
    connect(seeds, &SeedsField::failed, this, &Page::failed);
    connect(plan, &PlanPanel::failed, this, &Page::failed);
    connect(plan, &PlanPanel::noted, this, &Page::noted);
    connect(plan, &PlanPanel::pageWanted, this, &Page::pageWanted);
}

}  // namespace holo::shell
