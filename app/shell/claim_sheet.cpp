#include "app/shell/claim_sheet.h"

#include <QCoreApplication>
#include <QDir>
#include <map>
#include <set>
#include <vector>

#include "app/bridge/engine.h"
#include "app/shell/compared_source.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/model/needle_grid.h"
#include "core/run/evaluation_digest.h"
#include "core/run/run_directory.h"

namespace holo::shell {

namespace {

struct Claim {
    Q_DECLARE_TR_FUNCTIONS(Claim)
};

struct Sheet {
    QString run;
    Json record;
    QStringList lines;
};

QString textAt(const Json& json, std::initializer_list<const char*> path)
{
    const Json* at = &json;
    for (const char* key : path) {
        const auto it = at->is_object() ? at->find(key) : at->end();
        if (!at->is_object() || it == at->end())
            return Claim::tr("missing");
        at = &*it;
    }
    return at->is_string() ? QString::fromStdString(at->get<std::string>()) : QString::fromStdString(dumpLine(*at));
}

QString needleLine(const run::RunDirectory& directory, std::int64_t step)
{
    const auto file = directory.evalsFolder() / run::evaluationId("needle", step) / "summary.json";
    if (!std::filesystem::exists(file))
        return Claim::tr("no needle evaluation at step %1").arg(step);
    const Json document = parseJson(readFile(file), file.string());
    const auto grid = model::needleGrid(document, file.string());
    double right = 0;
    double trials = 0;
    for (const auto& cell : grid.cells)
        if (cell) {
            right += cell->accuracy * static_cast<double>(cell->trials);
            trials += static_cast<double>(cell->trials);
        }
    const auto interval = model::wilson(right, trials);
    return Claim::tr("needle %1 % of %2 prompts at step %3 (Wilson 95 %: %4 … %5), chance %6 %; prompts %7")
        .arg(100 * right / std::max(trials, 1.0), 0, 'f', 1)
        .arg(trials)
        .arg(step)
        .arg(100 * interval.low, 0, 'f', 1)
        .arg(100 * interval.high, 0, 'f', 1)
        .arg(100 * grid.chance, 0, 'f', 1)
        .arg(textAt(document, {"trials_file_hash"}).left(16));
}

Sheet sheetOf(const QString& folder)
{
    Sheet sheet{QDir(folder).dirName(), {}, {}};
    try {
        const run::RunDirectory directory(folder.toStdString());
        sheet.record = directory.readRun();
        const Json& r = sheet.record;
        sheet.lines << Claim::tr("made by `%1`").arg(bridge::shellCommand({"--batch", QDir::cleanPath(folder + "/../.."), "--arm", textAt(r, {"arm"}), "--seed", textAt(r, {"seed"})}));
        if (const auto newest = directory.newestCheckpoint()) {
            sheet.lines << needleLine(directory, newest->step);
            const auto manifest = newest->folder / "manifest.json";
            sheet.lines << Claim::tr("weights of step %1: SHA-256 %2").arg(newest->step).arg(textAt(parseJson(readFile(manifest), manifest.string()), {"files", "model.safetensors", "sha256"}));
            sheet.lines << Claim::tr("evaluated again by `%1`").arg(bridge::shellCommand({"eval", QString::fromStdString(newest->folder.string()), "--protocol", "needle"}));
        } else {
            sheet.lines << Claim::tr("no complete checkpoint");
        }
        sheet.lines << Claim::tr("build %1, torch %2, %3 on %4, %5 threads").arg(textAt(r, {"build", "revision"}), textAt(r, {"libraries", "torch"}), textAt(r, {"device", "name"}), textAt(r, {"device", "processor"}), textAt(r, {"threads"}));
        sheet.lines << Claim::tr("data %1").arg(textAt(r, {"data", "hash"}));
    } catch (const std::exception& error) {
        sheet.lines << QString::fromUtf8(error.what());
    }
    return sheet;
}

QString differences(const std::vector<Sheet>& sheets)
{
    std::map<QString, QStringList> fields;
    for (std::size_t i = 1; i < sheets.size(); ++i)
        if (sheets[0].record.contains("spec") && sheets[i].record.contains("spec"))
            for (const auto& d : specDifferences(sheets[0].record.at("spec"), sheets[i].record.at("spec"))) {
                QStringList& values = fields[d.path];
                for (const QString& value : {d.a, d.b})
                    if (!values.contains(value))
                        values << value;
            }
    QStringList lines;
    for (const auto& [field, values] : fields)
        lines << QStringLiteral("- `%1`: %2").arg(field, values.join(QStringLiteral(" | ")));
    return lines.join('\n');
}

}  // namespace

QString claimSheet(const QStringList& runFolders)
{
    std::vector<Sheet> sheets;
    for (const QString& folder : runFolders)
        sheets.push_back(sheetOf(folder));
    QStringList text{Claim::tr("# What these numbers rest on")};
    for (const Sheet& sheet : sheets) {
        text << QString() << QStringLiteral("## %1").arg(sheet.run);
        for (const QString& line : sheet.lines)
            text << "- " + line;
    }
    if (sheets.size() > 1) {
        const QString list = differences(sheets);
        text << QString() << Claim::tr("## Settings that differ") << (list.isEmpty() ? Claim::tr("none") : list);
    }
    return text.join('\n') + '\n';
}

}  // namespace holo::shell
