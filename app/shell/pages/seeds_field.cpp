#include "app/shell/pages/seeds_field.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "widgets/editors/project_document.h"

namespace holo::shell {

namespace {

constexpr std::int64_t kMostSeeds = 1000;

QString textOf(const std::vector<std::int64_t>& seeds)
{
    QStringList parts;
    for (std::size_t i = 0; i < seeds.size();) {
        std::size_t end = i;
        while (end + 1 < seeds.size() && seeds[end + 1] == seeds[end] + 1)
            ++end;
        parts << (end > i + 1 ? QStringLiteral("%1-%2").arg(seeds[i]).arg(seeds[end]) : QString::number(seeds[i]));
        i = end > i + 1 ? end + 1 : i + 1;
    }
    return parts.join(", ");
}

std::optional<std::vector<std::int64_t>> parse(const QString& text)
{
    std::vector<std::int64_t> seeds;
    std::set<std::int64_t> seen;
    for (const QString& part : text.split(',', Qt::SkipEmptyParts)) {
        const QStringList ends = part.trimmed().split('-');
        const auto first = parseInt(ends.first().trimmed().toStdString());
        const auto last = parseInt(ends.last().trimmed().toStdString());
        if (ends.size() > 2 || !first || !last || *last < *first || *last - *first >= kMostSeeds)
            return std::nullopt;
        for (std::int64_t seed = *first; seed <= *last; ++seed)
            if (seen.insert(seed).second)
                seeds.push_back(seed);
    }
    return seeds;
}

}  // namespace

SeedsField::SeedsField(widgets::ProjectDocument& document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_edit(new QLineEdit)
{
    m_edit->setObjectName("seeds");
    m_edit->setAccessibleName(tr("seeds"));
    m_edit->setMaximumWidth(140);
    m_edit->setToolTip(tr("Seeds of every arm, such as 1-6, 9"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 2, 8, 2);
    layout->addWidget(new QLabel(tr("seeds")));
    layout->addWidget(m_edit);
    connect(&m_document, &widgets::ProjectDocument::changed, this, [this] { m_edit->setText(textOf(m_document.project().seeds)); });
    connect(m_edit, &QLineEdit::editingFinished, this, [this] {
        if (!m_edit->isModified())
            return;
        m_edit->setModified(false);
        const auto seeds = parse(m_edit->text());
        if (!seeds) {
            Q_EMIT failed(tr("seeds: “%1” is no list of seeds; allowed: whole numbers and ranges, such as 1-6, 9.").arg(m_edit->text()));
            return;
        }
        Json list = Json::array();
        for (const auto seed : *seeds)
            list.push_back(seed);
        const QString problem = m_document.setField("seeds", list);
        if (!problem.isEmpty())
            Q_EMIT failed(problem);
    });
}

}  // namespace holo::shell
