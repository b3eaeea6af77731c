#include "widgets/common/number_edit.h"

#include <QLocale>
#include <cmath>

#include "core/base/text.h"
#include "widgets/common/theme.h"

namespace holo::widgets {

NumberEdit::NumberEdit(QWidget* parent)
    : QLineEdit(parent)
{
    setAlignment(Qt::AlignRight);
    connect(this, &QLineEdit::textEdited, this, &NumberEdit::check);
    connect(this, &QLineEdit::editingFinished, this, [this] {
        const auto v = value();
        if (v && *v != m_last) {
            m_last = *v;
            Q_EMIT valueEdited(*v);
        }
    });
}

void NumberEdit::setRange(double minimum, double maximum, bool exclusiveMinimum)
{
    m_minimum = minimum;
    m_maximum = maximum;
    m_exclusiveMinimum = exclusiveMinimum;
}

void NumberEdit::setZeroText(const QString& meaning)
{
    m_zeroIsEmpty = true;
    setPlaceholderText(meaning);
}

std::optional<double> NumberEdit::parse(const QString& text)
{
    QString plain = text.trimmed();
    plain.replace(',', '.');
    plain.replace(QChar(0x2212), '-');
    if (plain.count('.') > 1)
        return std::nullopt;
    const auto value = parseDouble(plain.toStdString());
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> NumberEdit::value() const
{
    const auto v = m_zeroIsEmpty && text().trimmed().isEmpty() ? std::optional<double>(0) : parse(text());
    if (!v || *v < m_minimum || *v > m_maximum || (m_exclusiveMinimum && *v == m_minimum) || (m_integer && *v != std::floor(*v)))
        return std::nullopt;
    return v;
}

void NumberEdit::setValue(double value)
{
    m_last = value;
    QString text = QString::fromStdString(m_integer && std::abs(value) < 1e15 ? std::to_string(static_cast<long long>(value)) : formatDouble(value));
    if (m_zeroIsEmpty && value == 0)
        text.clear();
    if (QLocale().decimalPoint() == ",")
        text.replace('.', ',');
    if (text != this->text())
        setText(text);
    check();
}

void NumberEdit::check()
{
    const bool wrong = !value().has_value();
    markProblem(this, wrong);
    if (wrong)
        setAccessibleDescription(tr("not a valid value"));
}

}  // namespace holo::widgets
