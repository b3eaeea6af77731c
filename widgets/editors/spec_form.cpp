#include "widgets/editors/spec_form.h"

#include <QGridLayout>
#include <QLabel>

#include "core/base/text.h"
#include "core/config/describe.h"
#include "widgets/editors/field_edit.h"
#include "widgets/editors/project_document.h"

namespace holo::widgets {

namespace {

constexpr int kColumns = 3;

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
    int n = 0;
    for (const auto& info : config::describeFields()) {
        if (!info.path.starts_with(start))
            continue;
        auto* edit = new FieldEdit(info);
        auto* label = new QLabel(labelOf(info.path));
        label->setBuddy(edit);
        label->setToolTip(QString::fromStdString(std::string(info.field.help)));
        label->setProperty("role", "secondary");
        const int row = n / kColumns;
        const int column = 2 * (n % kColumns);
        grid->addWidget(label, row, column, Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(edit, row, column + 1);
        connect(edit, &FieldEdit::edited, this, [this, edit](const std::string& path, const Json& value) {
            const QString problem = m_document.setField(path, value);
            edit->setProblem(problem);
            if (!problem.isEmpty())
                Q_EMIT refused(problem);
        });
        m_edits.push_back(edit);
        ++n;
    }
    for (int column = 0; column < kColumns; ++column)
        grid->setColumnStretch(2 * column + 1, 1);
    grid->setRowStretch((n + kColumns - 1) / kColumns, 1);
    connect(&m_document, &ProjectDocument::changed, this, &SpecForm::update);
    update();
}

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
