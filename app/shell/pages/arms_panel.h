#pragma once

#include <QWidget>

class QListWidget;

namespace holo::widgets {
class ProjectDocument;
}

namespace holo::shell {

// The arms of the project: choose, add, clone, rename, remove, and add the matched controls of a Möbius arm.
class ArmsPanel : public QWidget {
    Q_OBJECT
public:
    explicit ArmsPanel(widgets::ProjectDocument& document, QWidget* parent = nullptr);

Q_SIGNALS:
    void failed(const QString& sentence);
    void noted(const QString& sentence);

private:
    void update();
    void addArm();
    void cloneArm();
    void removeArm();
    void addControls();
    QString freeName(const QString& base) const;

    widgets::ProjectDocument& m_document;
    QListWidget* m_list;
    bool m_updating = false;
};

}  // namespace holo::shell
