#include "widgets/editors/scheme_parameters.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

#include "core/base/error.h"
#include "core/config/scheme_json.h"
#include "core/ladder/kinds.h"
#include "widgets/common/number_edit.h"
#include "widgets/common/theme.h"

namespace holo::widgets {

namespace {

QString text(std::string_view view) { return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())); }

}  // namespace

SchemeParameters::SchemeParameters(QWidget* parent)
    : QWidget(parent)
    , m_kind(new QComboBox)
    , m_summary(new QLabel)
    , m_fields(new QWidget)
    , m_form(new QFormLayout(m_fields))
{
    m_kind->setObjectName("schemeKind");
    m_kind->setAccessibleName(tr("kind of ladder"));
    m_kind->setMaxVisibleItems(30);
    for (const auto& info : ladder::kinds())
        if (info.kind != ladder::Kind::Hybrid) {
            m_kind->addItem(text(info.name), static_cast<int>(info.kind));
            m_kind->setItemData(m_kind->count() - 1, text(info.summary) + (info.source.empty() ? QString() : '\n' + text(info.source)), Qt::ToolTipRole);
        }
    m_summary->setWordWrap(true);
    m_summary->setProperty("role", "secondary");
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setVerticalSpacing(4);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_kind);
    layout->addWidget(m_summary);
    layout->addWidget(m_fields);
    connect(m_kind, &QComboBox::activated, this, [this](int index) {
        m_scheme = {static_cast<ladder::Kind>(m_kind->itemData(index).toInt()), {}, {}};
        if (m_scheme.kind == ladder::Kind::Custom || m_scheme.kind == ladder::Kind::LongRope)
            for (const auto& parameter : ladder::kindInfo(m_scheme.kind).parameters)
                if (parameter.required)
                    m_scheme.parameters[std::string(parameter.key)] = std::vector<double>{};
        rebuild();
        Q_EMIT edited(m_scheme);
    });
}

void SchemeParameters::setScheme(const ladder::Scheme& scheme)
{
    const bool sameKind = scheme.kind == m_scheme.kind && m_form->rowCount() > 0;
    m_scheme = scheme;
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(scheme.kind)));
    if (!sameKind) {
        rebuild();
        return;
    }
    for (auto* edit : m_fields->findChildren<QLineEdit*>()) {
        const auto it = scheme.parameters.find(edit->objectName().toStdString());
        const QString value = it == scheme.parameters.end() ? QString() : QString::fromStdString(ladder::valueText(it->second));
        if (edit->text() != value && !edit->hasFocus())
            edit->setText(value);
    }
    for (auto* combo : m_fields->findChildren<QComboBox*>()) {
        const auto it = scheme.parameters.find(combo->objectName().toStdString());
        combo->setCurrentIndex(it == scheme.parameters.end() ? 0 : std::max(0, combo->findText(QString::fromStdString(ladder::valueText(it->second)))));
    }
}

void SchemeParameters::rebuild()
{
    while (m_form->rowCount() > 0)
        m_form->removeRow(0);
    const auto& info = ladder::kindInfo(m_scheme.kind);
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(m_scheme.kind)));
    m_summary->setText(text(info.summary));
    m_summary->setToolTip(text(info.source));
    for (const auto& parameter : info.parameters) {
        const std::string key(parameter.key);
        const auto it = m_scheme.parameters.find(key);
        const QString value = it == m_scheme.parameters.end() ? QString() : QString::fromStdString(ladder::valueText(it->second));
        QWidget* editor = nullptr;
        if (parameter.type == ladder::ParameterType::Text && !parameter.choices.empty()) {
            auto* combo = new QComboBox;
            combo->addItem(tr("default (%1)").arg(text(parameter.fallback)), QString());
            for (const auto choice : parameter.choices)
                combo->addItem(text(choice), text(choice));
            combo->setCurrentIndex(value.isEmpty() ? 0 : std::max(0, combo->findText(value)));
            connect(combo, &QComboBox::activated, this, [this, key, combo](int) { setParameter(key, combo->currentData().toString()); });
            editor = combo;
        } else {
            auto* edit = new QLineEdit(value);
            edit->setCursorPosition(0);
            edit->setPlaceholderText(parameter.fallback.empty() ? text(parameter.derived) : text(parameter.fallback));
            connect(edit, &QLineEdit::editingFinished, this, [this, key, edit] { setParameter(key, edit->text().trimmed()); });
            editor = edit;
        }
        editor->setObjectName(text(parameter.key));
        editor->setAccessibleName(text(parameter.key));
        editor->setToolTip(text(parameter.help) + '\n' + QString::fromStdString(parameter.allowed()));
        QString label = text(parameter.key).replace('_', ' ');
        if (!parameter.unit.empty())
            label += " (" + text(parameter.unit) + ')';
        m_form->addRow(label, editor);
    }
}

void SchemeParameters::setParameter(const std::string& key, const QString& value)
{
    ladder::Scheme next = m_scheme;
    next.parameters.erase(key);
    if (!value.isEmpty()) {
        const auto* parameter = ladder::kindInfo(m_scheme.kind).find(key);
        const bool isText = parameter && parameter->type == ladder::ParameterType::Text;
        const auto number = NumberEdit::parse(value);
        try {
            // The short form reads lists and files; a single number may come with a decimal comma.
            const std::string plain = !isText && number && !value.startsWith('[') ? QString::number(*number, 'g', 17).toStdString() : value.toStdString();
            const auto parsed = config::parseScheme(std::string(ladder::kindName(m_scheme.kind)) + ":" + key + "=" + plain);
            next.parameters[key] = parsed.parameters.at(key);
            ladder::checkParameter(ladder::kindInfo(m_scheme.kind), key, next.parameters[key]);
        } catch (const std::exception& error) {
            if (auto* edit = m_fields->findChild<QLineEdit*>(QString::fromStdString(key))) {
                markProblem(edit, true);
                edit->setToolTip(QString::fromUtf8(error.what()));
            }
            return;
        }
    }
    if (auto* edit = m_fields->findChild<QLineEdit*>(QString::fromStdString(key)))
        markProblem(edit, false);
    if (next.parameters == m_scheme.parameters)
        return;
    m_scheme = next;
    Q_EMIT edited(m_scheme);
}

}  // namespace holo::widgets
