#pragma once

#include <QObject>
#include <QUndoStack>
#include <filesystem>
#include <optional>

#include "core/config/project.h"

namespace holo::widgets {

// The project in the editors: every change is a step that can be undone, changes of one field in a row melt into one. Holds no widget.
class ProjectDocument : public QObject {
    Q_OBJECT
public:
    explicit ProjectDocument(QObject* parent = nullptr);

    void load(const std::filesystem::path& folder, const config::Project& project);
    void close();
    bool isOpen() const { return m_open; }
    const std::filesystem::path& folder() const { return m_folder; }
    const config::Project& project() const { return m_project; }
    QUndoStack* undoStack() { return &m_undo; }

    // `text` names the step; steps with the same non-zero key melt.
    void change(const QString& text, config::Project next, int mergeKey = 0);
    // Sets one field by its path. Returns an empty text or what is wrong with the value.
    QString setField(const std::string& path, const Json& value);
    std::vector<config::Problem> problems() const { return config::validate(m_project); }

    void save();  // throws Error
    bool isModified() const { return m_open && !m_undo.isClean(); }

    int currentArm() const { return m_currentArm; }
    void setCurrentArm(int arm);

Q_SIGNALS:
    void changed();          // any field
    void reset();            // another project
    void currentArmChanged(int arm);
    void modifiedChanged(bool modified);

private:
    friend class ProjectStep;
    void apply(const config::Project& project);

    config::Project m_project;
    std::filesystem::path m_folder;
    QUndoStack m_undo;
    int m_currentArm = 0;
    bool m_open = false;
};

}  // namespace holo::widgets
