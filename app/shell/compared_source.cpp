#include "app/shell/compared_source.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/project.h"
#include "core/interop/inspect.h"
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
    std::pair<std::int64_t, std::size_t> best{-2, 0};  // step, cells: of one step the fullest
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
            if (source.step >= 0 && step != source.step)
                continue;
            auto grid = model::needleGrid(document, file);
            const std::pair found{step, grid.cells.size()};
            if (found < best)
                continue;
            best = found;
            source.grid = std::move(grid);
            source.gridFrom = file;
        } catch (const std::exception& error) {
            source.notes << QString::fromUtf8(error.what());
        }
    }
}

// A model that no run folder tells of: what its own files say, and where they contradict each other.
void readForeign(ComparedSource& source)
{
    try {
        const Json document = interop::inspectCheckpoint(source.path.toStdString());
        const auto textOf = [&](const char* key) { return document.contains(key) && document.at(key).is_string() ? QString::fromStdString(document.at(key).get<std::string>()) : QString(); };
        const double parameters = document.contains("parameters") && document.at("parameters").is_number() ? document.at("parameters").get<double>() : model::kMissing;
        source.notes << tr("%1, %2 parameters, pairing %3").arg(textOf("family").isEmpty() ? tr("no known family") : textOf("family")).arg(parameters, 0, 'f', 0).arg(textOf("pairing").isEmpty() ? tr("not known") : textOf("pairing"));
        for (const char* key : {"trained_with", "runs_with"})
            if (!textOf(key).isEmpty())
                source.notes << QString::fromLatin1(key).replace('_', ' ') + ' ' + textOf(key);
        for (const Json& conflict : document.value("conflicts", Json::array()))
            if (conflict.contains("message"))
                source.conflicts << QString::fromStdString(conflict.at("message").get<std::string>());
        if (document.contains("config") && document.at("config").is_object())
            source.spec = {{"model", document.at("config")}};
        if (const auto it = document.find("ladder"); it != document.end() && it->is_object() && it->contains("theta") && !it->at("theta").empty()) {
            ladder::ModelShape shape;
            shape.rotaryDim = shape.headDim = 2 * static_cast<int>(it->at("theta").size());
            shape.context = std::max<std::int64_t>(2, it->value("context", std::int64_t(0)));
            std::vector<double> theta;
            for (const Json& value : it->at("theta"))
                theta.push_back(toDouble(value, "theta"));
            auto found = ladder::resolve({ladder::Kind::Custom, {{"theta", theta}}, {}}, shape).ladders;
            found.front().name = it->value("kind", std::string("custom"));
            found.front().parameters = it->value("parameters", std::string());
            source.ladders = std::move(found);
        }
    } catch (const std::exception& error) {
        source.notes << QString::fromUtf8(error.what());
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
        readForeign(source);
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
