#pragma once

#include <QWidget>

#include "core/ladder/plan.h"
#include "core/ladder/scheme.h"

class QComboBox;
class QFormLayout;
class QLabel;

namespace holo::widgets {

// Kind and parameters of one uniform scheme, made from the table of kinds. Empty fields take the default, which the placeholder names.
class SchemeParameters : public QWidget {
    Q_OBJECT
public:
    explicit SchemeParameters(QWidget* parent = nullptr);
    void setScheme(const ladder::Scheme& scheme);
    const ladder::Scheme& scheme() const { return m_scheme; }

Q_SIGNALS:
    void edited(const holo::ladder::Scheme& scheme);

private:
    void rebuild();
    void setParameter(const std::string& key, const QString& text);

    ladder::Scheme m_scheme;
    QComboBox* m_kind;
    QLabel* m_summary;
    QWidget* m_fields;
    QFormLayout* m_form;
};

}  // namespace holo::widgets
