#include "widgets/editors/project_document.h"

#include <QUndoCommand>

#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::widgets {

class ProjectStep : public QUndoCommand {
public:
    ProjectStep(ProjectDocument& document, const QString& text, config::Project next, int key)
        : QUndoCommand(text)
        , m_document(document)
        , m_before(document.project())
        , m_after(std::move(next))
        , m_key(key)
    {
    }
    int id() const override { return m_key == 0 ? -1 : m_key; }
    bool mergeWith(const QUndoCommand* other) override
    {
        m_after = static_cast<const ProjectStep*>(other)->m_after;
        return true;
    }
    void undo() override { m_document.apply(m_before); }
    void redo() override { m_document.apply(m_after); }

private:
    ProjectDocument& m_document;
    config::Project m_before;
    config::Project m_after;
    int m_key;
};

ProjectDocument::ProjectDocument(QObject* parent)
    : QObject(parent)
{
    connect(&m_undo, &QUndoStack::cleanChanged, this, [this](bool clean) { Q_EMIT modifiedChanged(!clean); });
}

void ProjectDocument::load(const std::filesystem::path& folder, const config::Project& project)
{
    m_folder = folder;
    m_project = project;
    m_open = true;
    m_currentArm = 0;
    m_undo.clear();
    Q_EMIT reset();
    Q_EMIT changed();
    Q_EMIT modifiedChanged(false);
}

void ProjectDocument::close()
{
    m_open = false;
    m_project = {};
    m_undo.clear();
    Q_EMIT reset();
}

void ProjectDocument::change(const QString& text, config::Project next, int mergeKey)
{
    m_undo.push(new ProjectStep(*this, text, std::move(next), mergeKey));
}

QString ProjectDocument::setField(const std::string& path, const Json& value)
{
    try {
        Json json = config::toJson(m_project);
        Json* at = &json;
        for (const std::string& key : split(path, '.'))
            at = &(*at)[key];
        if (*at == value)
            return {};
        *at = value;
        config::Project next = config::projectFromJson(json, "project.json");
        change(tr("set %1").arg(QString::fromStdString(path)), std::move(next), static_cast<int>(qHash(QString::fromStdString(path)) & 0x7fffffff));
        return {};
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
}

void ProjectDocument::apply(const config::Project& project)
{
    m_project = project;
    if (m_currentArm >= static_cast<int>(project.arms.size()))
        setCurrentArm(std::max(0, static_cast<int>(project.arms.size()) - 1));
    Q_EMIT changed();
}

void ProjectDocument::setCurrentArm(int arm)
{
    if (arm == m_currentArm)
        return;
    m_currentArm = arm;
    Q_EMIT currentArmChanged(arm);
}

void ProjectDocument::save()
{
    config::writeProject(m_folder / "project.json", m_project);
    m_undo.setClean();
}

}  // namespace holo::widgets
