#include "app/shell/compared_source.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/project.h"
#include "core/model/run_events.h"
#include "core/run/run_directory.h"

namespace holo::shell {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("ComparedSource", text); }

std::int64_t stepOf(const std::string& text)
{
    const auto at = text.rfind("step-");
    return at == std::string::npos ? -1 : parseInt(std::string_view(text).substr(at + 5, text.find_first_not_of("0123456789", at + 5) - at - 5)).value_or(-1);
}

// Newest needle evaluation made with the scheme it was trained with; at `step` if one is wanted.
void readGrid(ComparedSource& source)
{
    std::int64_t best = -2;
    QDir evals(source.runFolder + "/evals");
    for (const QString& id : evals.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        const std::string file = (evals.filePath(id) + "/summary.json").toStdString();
        if (!QFileInfo::exists(QString::fromStdString(file)))
            continue;
        try {
            const Json document = readJsonFile(file);
            if (!document.is_object() || document.value("protocol", std::string()) != "needle")
                continue;
            if (document.contains("scheme_run") && document.contains("scheme_trained") && document.at("scheme_run") != document.at("scheme_trained"))
                continue;
            const std::int64_t step = document.contains("checkpoint") && document.at("checkpoint").is_string() ? stepOf(document.at("checkpoint").get<std::string>()) : stepOf(id.toStdString());
            if ((source.step >= 0 && step != source.step) || step < best)
                continue;
            best = step;
            source.grid = model::needleGrid(document, file);
            source.gridFrom = file;
        } catch (const std::exception& error) {
            source.notes << QString::fromUtf8(error.what());
        }
    }
}

void readLoss(ComparedSource& source)
{
    run::LineTail tail(run::RunDirectory(source.runFolder.toStdString()).eventsFile());
    std::vector<model::StepRecord> steps;
    for (auto lines = tail.poll(); !lines.empty(); lines = tail.poll())
        for (const auto& line : lines)
            if (const auto event = model::parseEvent(line); event && event->type == model::EventType::Step)
                steps.push_back(event->step);
    for (const auto& s : model::branches(steps).live) {
        source.loss.x.push_back(static_cast<double>(s.step));
        source.loss.y.push_back(s.loss);
    }
}

}  // namespace

ComparedSource readSource(const QString& path)
{
    ComparedSource source;
    source.path = path;
    const QFileInfo info(path);
    source.step = stepOf(path.toStdString());
    QDir folder = info.isDir() ? QDir(info.absoluteFilePath()) : info.absoluteDir();
    for (int up = 0; up < 3 && !folder.exists("run.json"); ++up)
        if (!folder.cdUp())
            break;
    if (!folder.exists("run.json")) {
        source.title = info.fileName();
        source.notes << tr("no run folder around it: only an evaluation can say more");
        return source;
    }
    source.runFolder = folder.absolutePath();
    source.title = folder.dirName();
    try {
        const Json record = run::RunDirectory(source.runFolder.toStdString()).readRun();
        source.spec = record.contains("spec") ? record.at("spec") : record;
        const config::RunSpec spec = config::runSpecFromJson(source.spec, (source.runFolder + "/run.json").toStdString());
        source.title = QStringLiteral("%1 · s%2").arg(QString::fromStdString(spec.arm)).arg(spec.seed);
        config::ModelSpec sized = config::resolved(spec.model, std::max(spec.model.vocab, 1));
        source.ladders = ladder::resolve(spec.scheme, config::modelShape(sized, spec.seed)).ladders;
    } catch (const std::exception& error) {
        source.notes << QString::fromUtf8(error.what());
    }
    if (source.step >= 0)
        source.title += QCoreApplication::translate("ComparedSource", " · step %1").arg(source.step);
    readGrid(source);
    readLoss(source);
    return source;
}

std::vector<SpecDifference> specDifferences(const Json& a, const Json& b, bool all)
{
    std::map<std::string, std::pair<QString, QString>> leaves;
    const auto collect = [&](const Json& json, bool first) {
        if (json.is_null())
            return;
        const Json flat = json.flatten();  // items() borrows it
        for (const auto& [pointer, value] : flat.items()) {
            std::string path = pointer.substr(pointer.empty() ? 0 : 1);
            for (char& c : path)
                c = c == '/' ? '.' : c;
            const QString text = QString::fromStdString(value.is_string() ? value.get<std::string>() : dumpLine(value));
            (first ? leaves[path].first : leaves[path].second) = text.isEmpty() ? QStringLiteral("“”") : text;
        }
    };
    collect(a, true);
    collect(b, false);
    std::vector<SpecDifference> list;
    for (auto& [path, texts] : leaves) {
        if (!all && texts.first == texts.second)
            continue;
        const auto shown = [](const QString& text) { return text.isEmpty() ? tr("not there") : text; };
        list.push_back({QString::fromStdString(path), shown(texts.first), shown(texts.second)});
    }
    return list;
}

}  // namespace holo::shell
