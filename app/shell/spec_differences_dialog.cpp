#include "app/shell/spec_differences_dialog.h"

#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>
#include <map>
#include <set>

#include "app/shell/compared_source.h"
#include "core/run/run_directory.h"
#include "widgets/models/table_model.h"

namespace holo::shell {

namespace {

constexpr qsizetype kMostRuns = 24;

}  // namespace

SpecDifferencesDialog::SpecDifferencesDialog(const QStringList& runFolders, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Settings that differ"));
    setObjectName("specDifferences");
    resize(900, 520);
    QStringList problems;
    std::vector<Json> specs;
    std::vector<widgets::TableModel::Column> columns{{tr("field")}};
    for (const QString& folder : runFolders.mid(0, kMostRuns)) {
        try {
            const Json record = run::RunDirectory(folder.toStdString()).readRun();
            specs.push_back(record.contains("spec") ? record.at("spec") : record);
            columns.push_back({QDir(folder).dirName()});
        } catch (const std::exception& error) {
            problems << QString::fromUtf8(error.what());
        }
    }
    // Every field that differs between the first run and any other, with what each run has there.
    std::set<QString> fields;
    std::map<QString, QString> first;
    std::vector<std::map<QString, QString>> others(specs.size());
    for (std::size_t i = 1; i < specs.size(); ++i)
        for (const auto& d : specDifferences(specs.front(), specs[i])) {
            fields.insert(d.path);
            first[d.path] = d.a;
            others[i][d.path] = d.b;
        }
    std::vector<std::vector<widgets::TableCell>> rows;
    for (const QString& field : fields) {
        std::vector<widgets::TableCell> row{{field}, {first[field]}};
        for (std::size_t i = 1; i < specs.size(); ++i)
            row.push_back({others[i].contains(field) ? others[i][field] : first[field]});
        rows.push_back(std::move(row));
    }
    auto* model = new widgets::TableModel(this);
    auto* view = new QTableView;
    view->setAccessibleName(tr("settings that differ"));
    auto* head = new QLabel(rows.empty() ? tr("These runs have the same settings in every field.") : tr("%n field(s) differ; what all share is left out.", nullptr, static_cast<int>(rows.size())));
    if (runFolders.size() > kMostRuns)
        problems << tr("%1 of %2 runs are shown.").arg(kMostRuns).arg(runFolders.size());
    head->setText((QStringList(head->text()) + problems).join(' '));
    head->setWordWrap(true);
    model->setTable(std::move(columns), std::move(rows));
    view->setModel(model);
    view->verticalHeader()->hide();
    view->setShowGrid(false);
    view->horizontalHeader()->setDefaultSectionSize(180);
    view->resizeColumnToContents(0);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(head);
    layout->addWidget(view, 1);
}

}  // namespace holo::shell
