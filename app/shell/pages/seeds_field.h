#pragma once

#include <QWidget>

class QLineEdit;

namespace holo::widgets {
class ProjectDocument;
}

namespace holo::shell {

// The project's seeds in one line: "1-6, 9".
class SeedsField : public QWidget {
    Q_OBJECT
public:
    explicit SeedsField(widgets::ProjectDocument& document, QWidget* parent = nullptr);

Q_SIGNALS:
    void failed(const QString& sentence);

private:
    widgets::ProjectDocument& m_document;
    QLineEdit* m_edit;
};

}  // namespace holo::shell
