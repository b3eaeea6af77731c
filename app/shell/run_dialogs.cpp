#include "app/shell/run_dialogs.h"

#include <QCoreApplication>

#include "app/bridge/study.h"
#include "app/shell/attention_dialog.h"
#include "app/shell/claim_sheet.h"
#include "app/shell/text_dialog.h"

namespace holo::shell {

namespace {

struct RunDialogs {
    Q_DECLARE_TR_FUNCTIONS(RunDialogs)
};

void open(QDialog* dialog)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

}  // namespace

void showClaim(Context& context, const QStringList& runs, QWidget* parent)
{
    QStringList folders;
    for (const QString& run : runs)
        folders << context.study.runFolder(run);
    auto* dialog = new TextDialog(RunDialogs::tr("What it rests on"), claimSheet(folders), "claim.md", parent);
    dialog->setObjectName("claim");
    open(dialog);
}

void showAttention(Context& context, const QString& run, QWidget* parent)
{
    if (const auto* row = context.study.row(run))
        open(new AttentionDialog(RunDialogs::tr("%1, seed %2").arg(QString::fromStdString(row->arm)).arg(row->seed), context.study.runFolder(run), parent));
}

}  // namespace holo::shell
