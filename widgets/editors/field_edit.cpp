#include "widgets/editors/field_edit.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

#include "core/base/text.h"
#include "widgets/common/number_edit.h"
#include "widgets/common/theme.h"

namespace holo::widgets {

namespace {

QString listText(const Json& value)
{
    QStringList parts;
    for (const Json& element : value.is_array() ? value : Json::array({value}))
        parts << (element.is_string() ? QString::fromStdString(element.get<std::string>()) : QString::fromStdString(dumpLine(element)));
    return parts.join(", ");
}

Json listValue(const QString& text, bool numbers)
{
    Json list = Json::array();
    for (QString part : text.split(numbers ? QRegularExpression("[,;\\s]+") : QRegularExpression("\\s*,\\s*"), Qt::SkipEmptyParts)) {
        part = part.trimmed();
        const auto number = NumberEdit::parse(part);
        if (!numbers || !number)
            list.push_back(part.toStdString());
        else if (*number == static_cast<double>(static_cast<std::int64_t>(*number)))
            list.push_back(static_cast<std::int64_t>(*number));
        else
            list.push_back(*number);
    }
    return list;
}

}  // namespace

FieldEdit::FieldEdit(const config::FieldInfo& info, QWidget* parent)
    : QWidget(parent)
    , m_path(info.path)
    , m_help(QString::fromStdString(std::string(info.field.help)))
{
    using config::FieldType;
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    const FieldType type = info.type;
    if (type == FieldType::Boolean) {
        auto* box = new QCheckBox;
        connect(box, &QCheckBox::clicked, this, [this](bool on) { Q_EMIT edited(m_path, Json(on)); });
        m_set = [box](const Json& value) { box->setChecked(value.is_boolean() && value.get<bool>()); };
        m_editor = box;
    } else if (type == FieldType::Text && !info.field.choices.empty()) {
        auto* combo = new QComboBox;
        for (const auto choice : info.field.choices)
            combo->addItem(QString::fromStdString(std::string(choice)));
        connect(combo, &QComboBox::textActivated, this, [this](const QString& text) { Q_EMIT edited(m_path, Json(text.toStdString())); });
        m_set = [combo](const Json& value) { combo->setCurrentText(QString::fromStdString(value.is_string() ? value.get<std::string>() : std::string())); };
        m_editor = combo;
    } else if (type == FieldType::Integer || type == FieldType::Real) {
        auto* edit = new NumberEdit;
        edit->setRange(info.field.minimum, info.field.maximum, info.field.exclusiveMinimum);
        edit->setInteger(type == FieldType::Integer);
        // The field list says what a zero stands for: "key/value heads; 0: as heads".
        if (const auto at = m_help.indexOf("0: "); at == 0 || (at > 0 && m_help[at - 1] == ' '))
            edit->setZeroText(m_help.mid(at + 3));
        connect(edit, &NumberEdit::valueEdited, this, [this, type](double value) {
            Q_EMIT edited(m_path, type == FieldType::Integer ? Json(static_cast<std::int64_t>(value)) : Json(value));
        });
        m_set = [edit](const Json& value) {
            if (value.is_number())
                edit->setValue(value.get<double>());
        };
        m_editor = edit;
    } else {
        auto* edit = new QLineEdit;
        const bool isList = type != FieldType::Text;
        const bool numbers = type == FieldType::IntegerList || type == FieldType::RealList;
        connect(edit, &QLineEdit::editingFinished, this, [this, edit, isList, numbers] {
            if (edit->isModified()) {
                edit->setModified(false);
                Q_EMIT edited(m_path, isList ? listValue(edit->text(), numbers) : Json(edit->text().toStdString()));
            }
        });
        m_set = [edit, isList](const Json& value) {
            const QString text = isList ? listText(value) : QString::fromStdString(value.is_string() ? value.get<std::string>() : std::string());
            if (text != edit->text())
                edit->setText(text);
            edit->setCursorPosition(0);
        };
        m_editor = edit;
    }
    const QString range = QString::fromStdString(config::allowedText(info.field, info.type));
    m_help += (m_help.isEmpty() ? "" : "\n") + range;
    m_editor->setObjectName(QString::fromStdString(info.path));
    m_editor->setAccessibleName(QString::fromStdString(info.path));
    m_editor->setToolTip(m_help);
    m_editor->setMinimumWidth(72);
    layout->addWidget(m_editor, 1);
    if (!info.field.unit.empty()) {
        auto* unit = new QLabel(QString::fromStdString(std::string(info.field.unit)));
        unit->setProperty("role", "secondary");
        layout->addWidget(unit);
    }
}

void FieldEdit::setValue(const Json& value)
{
    const QSignalBlocker blocker(m_editor);
    m_set(value);
}

void FieldEdit::setProblem(const QString& sentence)
{
    m_editor->setToolTip(sentence.isEmpty() ? m_help : sentence);
    markProblem(m_editor, !sentence.isEmpty());
}

}  // namespace holo::widgets
