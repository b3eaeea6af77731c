#include "app/shell/pages/arms_panel.h"

#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "core/config/origin.h"
#include "core/config/scheme_json.h"
#include "core/ladder/controls.h"
#include "widgets/common/arm_style.h"
#include "widgets/common/icon_button.h"
#include "widgets/editors/project_document.h"

namespace holo::shell {

ArmsPanel::ArmsPanel(widgets::ProjectDocument& document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_list(new QListWidget)
{
    m_list->setObjectName("armList");
    m_list->setAccessibleName(tr("arms"));
    m_list->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_list->setFrameShape(QFrame::NoFrame);
    auto* add = widgets::iconButton("add", tr("New arm"), "addArm");
    auto* clone = widgets::iconButton("copy", tr("Clone the chosen arm"), "cloneArm");
    auto* controls = widgets::iconButton("scales", tr("Add the matched controls of a Möbius arm: same heads, each alike in all but one respect"), "addControls");
    auto* remove = widgets::iconButton("trash", tr("Remove the chosen arm (Ctrl+Z brings it back)"), "removeArm");
    auto* heading = new QLabel(tr("Arms"));
    heading->setProperty("role", "heading");
    auto* top = new QHBoxLayout;
    top->addWidget(heading);
    top->addStretch();
    for (auto* b : {add, clone, controls, remove})
        top->addWidget(b);
    top->setSpacing(0);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 4, 4, 4);
    layout->addLayout(top);
    layout->addWidget(m_list, 1);
    connect(add, &QToolButton::clicked, this, &ArmsPanel::addArm);
    connect(clone, &QToolButton::clicked, this, &ArmsPanel::cloneArm);
    connect(controls, &QToolButton::clicked, this, &ArmsPanel::addControls);
    connect(remove, &QToolButton::clicked, this, &ArmsPanel::removeArm);
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (!m_updating && row >= 0)
            m_document.setCurrentArm(row);
    });
    connect(m_list, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
        if (m_updating)
            return;
        config::Project next = m_document.project();
        const auto row = static_cast<std::size_t>(m_list->row(item));
        const std::string name = item->text().trimmed().toStdString();
        if (name == next.arms[row].name)
            return;
        for (config::Arm& arm : next.arms)
            for (auto& [key, value] : arm.overrides)
                if (key == config::kArmFrom && value == next.arms[row].name)
                    value = name;
        next.arms[row].name = name;
        for (const auto& problem : config::validate(next))
            if (problem.field.starts_with("arms")) {
                Q_EMIT failed(QString::fromStdString(problem.message));
                update();
                return;
            }
        m_document.change(tr("rename arm"), std::move(next));
    });
    connect(&m_document, &widgets::ProjectDocument::changed, this, &ArmsPanel::update);
    connect(&m_document, &widgets::ProjectDocument::currentArmChanged, this, &ArmsPanel::update);
    update();
}

void ArmsPanel::update()
{
    m_updating = true;
    m_list->clear();
    const auto& arms = m_document.project().arms;
    for (std::size_t i = 0; i < arms.size(); ++i) {
        const auto style = widgets::armStyle(static_cast<int>(i));
        auto* item = new QListWidgetItem(widgets::swatch(style.color, style.outline), QString::fromStdString(arms[i].name));
        item->setFlags(item->flags() | Qt::ItemIsEditable);
        item->setToolTip(QString::fromStdString(config::shortForm(arms[i].scheme)));
        m_list->addItem(item);
    }
    m_list->setCurrentRow(m_document.currentArm());
    m_updating = false;
}

QString ArmsPanel::freeName(const QString& base) const
{
    const auto& arms = m_document.project().arms;
    QString name = base;
    for (int n = 2; std::any_of(arms.begin(), arms.end(), [&](const auto& arm) { return QString::fromStdString(arm.name) == name; }); ++n)
        name = QStringLiteral("%1-%2").arg(base).arg(n);
    return name;
}

void ArmsPanel::addArm()
{
    config::Project next = m_document.project();
    next.arms.push_back({freeName("arm").toStdString(), {}, {}});
    const int at = static_cast<int>(next.arms.size()) - 1;
    m_document.change(tr("add arm"), std::move(next));
    m_document.setCurrentArm(at);
}

void ArmsPanel::cloneArm()
{
    config::Project next = m_document.project();
    const auto at = static_cast<std::size_t>(m_document.currentArm());
    if (at >= next.arms.size())
        return;
    config::Arm copy = next.arms[at];
    copy.name = freeName(QString::fromStdString(copy.name)).toStdString();
    next.arms.insert(next.arms.begin() + static_cast<std::ptrdiff_t>(at) + 1, copy);
    m_document.change(tr("clone arm"), std::move(next));
    m_document.setCurrentArm(static_cast<int>(at) + 1);
}

void ArmsPanel::removeArm()
{
    config::Project next = m_document.project();
    const auto at = static_cast<std::size_t>(m_document.currentArm());
    if (at >= next.arms.size())
        return;
    next.arms.erase(next.arms.begin() + static_cast<std::ptrdiff_t>(at));
    m_document.change(tr("remove arm"), std::move(next));
}

void ArmsPanel::addControls()
{
    config::Project next = m_document.project();
    const auto at = static_cast<std::size_t>(m_document.currentArm());
    if (at >= next.arms.size())
        return;
    try {
        const auto shape = config::modelShape(config::resolved(next.model, std::max(next.model.vocab, 1)), 0);
        const auto controls = ladder::matchedControls(next.arms[at].scheme, shape);
        QMenu menu(this);
        for (const auto& control : controls) {
            QStringList tip{QString::fromStdString(control.purpose)};
            for (const auto& proof : control.proofs) {
                for (const auto& line : proof.equal())
                    tip << QStringLiteral("= ") + QString::fromStdString(line);
                for (const auto& line : proof.different())
                    tip << QStringLiteral("≠ ") + QString::fromStdString(line);
                if (!proof.warning.empty())
                    tip << QString::fromStdString(proof.warning);
            }
            QAction* action = menu.addAction(QString::fromStdString(control.name));
            action->setToolTip(tip.join('\n'));
            connect(action, &QAction::triggered, this, [this, control] {
                config::Project project = m_document.project();
                config::Arm arm{freeName(QString::fromStdString(control.name)).toStdString(), control.scheme, project.arms[static_cast<std::size_t>(m_document.currentArm())].overrides};
                project.arms.push_back(std::move(arm));
                m_document.change(tr("add control"), std::move(project));
            });
        }
        menu.setToolTipsVisible(true);
        menu.exec(QCursor::pos());
    } catch (const Error& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

}  // namespace holo::shell
