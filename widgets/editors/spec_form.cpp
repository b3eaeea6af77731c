#include "widgets/editors/spec_form.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "core/base/text.h"
#include "core/config/describe.h"
#include "widgets/editors/field_edit.h"
#include "widgets/editors/project_document.h"

namespace holo::widgets {

namespace {

constexpr int kMostColumns = 3;
constexpr int kColumnWidth = 205;  // px, of label and field

QString labelOf(const std::string& path)
{
    // The tab says the first part of the path already.
    QString text = QString::fromStdString(path.substr(path.find('.') + 1));
    return text.replace("synthetic.", "").replace('_', ' ');
}

}  // namespace

SpecForm::SpecForm(ProjectDocument& document, const QString& prefix, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(8, 8, 8, 8);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(6);
    const std::string start = prefix.toStdString() + ".";
    for (const auto& info : config::describeFields()) {
        if (!info.path.starts_with(start))
            continue;
        auto* edit = new FieldEdit(info);
        auto* label = new QLabel(labelOf(info.path));
        label->setBuddy(edit);
        label->setToolTip(QString::fromStdString(std::string(info.field.help)));
        label->setProperty("role", "secondary");
        connect(edit, &FieldEdit::edited, this, [this, edit](const std::string& path, const Json& value) {
            const QString problem = m_document.setField(path, value);
            edit->setProblem(problem);
            if (!problem.isEmpty())
                Q_EMIT refused(problem);
        });
        m_edits.push_back(edit);
        m_labels.push_back(label);
    }
    place(kMostColumns);
    connect(&m_document, &ProjectDocument::changed, this, &SpecForm::update);
    update();
}

void SpecForm::place(int columns)
{
    if (columns == m_columns)
        return;
    auto* grid = static_cast<QGridLayout*>(layout());
    const int before = m_columns;
    m_columns = columns;
    const int n = static_cast<int>(m_edits.size());
    for (int i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        grid->addWidget(m_labels[at], i / columns, 2 * (i % columns), Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(m_edits[at], i / columns, 2 * (i % columns) + 1);
    }
    for (int column = 0; column < kMostColumns; ++column)
        grid->setColumnStretch(2 * column + 1, column < columns);
    if (before > 0)
        grid->setRowStretch((n + before - 1) / before, 0);
    grid->setRowStretch((n + columns - 1) / columns, 1);
    updateGeometry();
}

void SpecForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place(std::clamp(width() / kColumnWidth, 1, kMostColumns));
}

QSize SpecForm::minimumSizeHint() const { return {kColumnWidth, layout()->totalMinimumSize().height()}; }

void SpecForm::update()
{
    if (!m_document.isOpen())
        return;
    const Json json = config::toJson(m_document.project());
    for (FieldEdit* edit : m_edits) {
        const Json* at = &json;
        for (const std::string& key : split(edit->path(), '.')) {
            const auto it = at->find(key);
            if (it == at->end()) {
                at = nullptr;
                break;
            }
            at = &*it;
        }
        if (at) {
            edit->setValue(*at);
            edit->setProblem({});
        }
    }
}

}  // namespace holo::widgets
