#pragma once

#include <QWidget>
#include <functional>

#include "core/config/describe.h"

namespace holo::widgets {

// An editor for one described field: check box, choice, number or text; lists as values between commas.
class FieldEdit : public QWidget {
    Q_OBJECT
public:
    FieldEdit(const config::FieldInfo& info, QWidget* parent = nullptr);
    const std::string& path() const { return m_path; }
    void setValue(const Json& value);  // does not emit
    void setProblem(const QString& sentence);

Q_SIGNALS:
    void edited(const std::string& path, const holo::Json& value);

private:
    std::string m_path;
    std::function<void(const Json&)> m_set;
    QWidget* m_editor = nullptr;
    QString m_help;
};

}  // namespace holo::widgets
