#include "app/shell/docks/notes_field.h"

#include <QFile>

#include "core/base/error.h"
#include "core/base/files.h"

namespace holo::shell {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;

}  // namespace

NotesField::NotesField(QWidget* parent)
    : QPlainTextEdit(parent)
{
    setObjectName("notes");
    setAccessibleName(tr("notes on this run"));
    setPlaceholderText(tr("Notes on this run, kept in its folder"));
    setTabChangesFocus(true);
    m_timer.setSingleShot(true);
    m_timer.setInterval(700);
    connect(&m_timer, &QTimer::timeout, this, &NotesField::save);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        if (!m_loading)
            m_timer.start();
    });
}

NotesField::~NotesField()
{
    if (m_timer.isActive())
        save();
}

void NotesField::setRunFolder(const QString& folder)
{
    if (folder == m_folder)
        return;
    if (m_timer.isActive())
        save();
    m_folder = folder;
    m_loading = true;
    clear();
    try {
        const QString file = folder + "/notes.md";
        if (!folder.isEmpty() && QFile::exists(file))
            setPlainText(QString::fromStdString(readFile(file.toStdString(), kMostBytes)));
    } catch (const Error& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
    m_loading = false;
    setEnabled(!folder.isEmpty());
}

void NotesField::save()
{
    m_timer.stop();
    if (m_folder.isEmpty())
        return;
    try {
        writeFileAtomic((m_folder + "/notes.md").toStdString(), toPlainText().toStdString());
    } catch (const Error& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

}  // namespace holo::shell
