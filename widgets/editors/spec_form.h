#pragma once

#include <QWidget>
#include <vector>

#include "core/base/json.h"

class QLabel;

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

protected:
    void resizeEvent(QResizeEvent* event) override;
    QSize minimumSizeHint() const override;  // of one column: the form takes as many as have room

private:
    void place(int columns);
    void update();

    ProjectDocument& m_document;
    std::vector<FieldEdit*> m_edits;
    std::vector<QLabel*> m_labels;
    int m_columns = 0;
};

}  // namespace holo::widgets
