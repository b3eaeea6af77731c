#pragma once

#include <QLineEdit>
#include <limits>
#include <optional>

namespace holo::widgets {

// A line for one number in the user's form. Decimal point and decimal comma are read alike, and neither is ever taken for a group
// separator. A text that is no number, or out of range, is marked and not handed on.
class NumberEdit : public QLineEdit {
    Q_OBJECT
public:
    explicit NumberEdit(QWidget* parent = nullptr);
    void setRange(double minimum, double maximum, bool exclusiveMinimum = false);
    void setZeroText(const QString& meaning);  // zero stands for "decided elsewhere": shown as these words, and an empty line is zero
    void setInteger(bool integer) { m_integer = integer; }
    void setValue(double value);
    std::optional<double> value() const;

    // Shared with other fields that hold numbers.
    static std::optional<double> parse(const QString& text);

Q_SIGNALS:
    void valueEdited(double value);

private:
    void check();

    double m_minimum = -std::numeric_limits<double>::infinity();
    double m_maximum = std::numeric_limits<double>::infinity();
    bool m_exclusiveMinimum = false;
    bool m_integer = false;
    bool m_zeroIsEmpty = false;
    double m_last = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace holo::widgets
