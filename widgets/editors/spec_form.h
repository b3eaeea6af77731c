#pragma once

#include <QWidget>
#include <vector>

#include "core/base/json.h"

namespace holo::widgets {

class FieldEdit;
class ProjectDocument;

// Form over all described fields below one prefix ("model", "train" …), in columns that follow the width.
class SpecForm : public QWidget {
    Q_OBJECT
public:
    SpecForm(ProjectDocument& document, const QString& prefix, QWidget* parent = nullptr);

Q_SIGNALS:
    void refused(const QString& sentence);

private:
    void update();

    ProjectDocument& m_document;
    std::vector<FieldEdit*> m_edits;
};

}  // namespace holo::widgets
