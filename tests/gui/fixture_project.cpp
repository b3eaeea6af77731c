#include "tests/gui/fixture_project.h"

#include <QDir>
#include <QFile>
#include <cmath>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/config/scheme_json.h"
#include "core/model/needle_grid.h"
#include "core/run/run_directory.h"

namespace holo::test {

namespace {

constexpr int kSteps = 120;

double noise(const std::string& run, std::int64_t step, std::uint64_t what)
{
    RandomStream stream(std::hash<std::string>()(run), "fixture", {static_cast<std::uint64_t>(step), what});
    return stream.uniform() - 0.5;
}

int armIndex(const std::string& arm) { return arm == "standard" ? 0 : arm == "mobius25" ? 1 : 2; }

// Retrieval is learned or not: the seed decides.
double skill(const std::string& arm, std::int64_t seed, std::int64_t step)
{
    const int index = armIndex(arm);
    const bool learns = index == 0 ? seed % 2 == 1 : index == 1 ? seed != 2 : true;
    const double centre = 50 + 8.0 * static_cast<double>((seed * 7 + index * 3) % 5);
    return learns ? 1 / (1 + std::exp(-(static_cast<double>(step) - centre) / 6)) : 0.02;
}

void append(const QString& file, const std::string& bytes)
{
    QFile out(file);
    if (out.open(QIODevice::Append))
        out.write(bytes.data(), static_cast<qint64>(bytes.size()));
}

}  // namespace

FixtureProject::FixtureProject(const QString& folder)
    : m_folder(folder)
{
    QDir().mkpath(folder + "/runs");
    m_project = config::projectTemplate("tiny");
    m_project.name = "fixture";
    m_project.train.steps = kSteps;
    m_project.seeds = {1, 2, 3, 4};
    m_project.arms.clear();
    m_project.arms.push_back({"standard", config::parseScheme("standard"), {}});
    m_project.arms.push_back({"mobius25", config::parseScheme("hybrid:share=0.25,special=mobius"), {}});
    m_project.arms.push_back({"nope25", config::parseScheme("hybrid:share=0.25,special=nope"), {}});
    config::writeProject((folder + "/project.json").toStdString(), m_project);
    for (const auto& spec : config::expand(m_project))
        writeRun(spec);
}

QString FixtureProject::run(const QString& arm, int seed) const
{
    for (const auto& spec : config::expand(m_project))
        if (spec.arm == arm.toStdString() && spec.seed == seed)
            return QString::fromStdString(config::runId(spec));
    return {};
}

void FixtureProject::appendSteps(const QString& run, int from, int to, int attempt) const
{
    const std::string id = run.toStdString();
    const bool sick = run == this->run("standard", 4);
    std::string text;
    for (int step = from; step <= to; ++step) {
        double loss = 3.0 + 2.2 * std::exp(-step / 18.0) + 0.12 * noise(id, step, 0) + 0.03 * noise(id, 0, 9);
        if (step == 33)
            loss += 1.1;  // a spike of one step
        Json row = {{"type", "step"}, {"attempt", attempt}, {"step", step}, {"tokens", 2048 * step}, {"t", number(0.08 * (step - (attempt > 1 ? 60 : 0)))}, {"active", number(0.075 * step)},
            {"loss", number(sick && step == 50 ? std::nan("") : sick && step == 51 ? INFINITY : loss)}, {"grad_norm", number(0.8 + 0.5 * std::abs(noise(id, step, 1)))},
            {"lr", number(4e-3 * std::min(1.0, step / 20.0) * (0.1 + 0.45 * (1 + std::cos(3.14159265 * step / kSteps))))}, {"tok_s", number(26000 + 3000 * noise(id, step, 2))}};
        text += dumpLine(row) + '\n';
    }
    append(m_folder + "/runs/" + run + "/events.jsonl", text);
}

void FixtureProject::finish(const QString& run, int code, const QString& className, const QString& message, std::int64_t step) const
{
    const run::RunDirectory directory((m_folder + "/runs/" + run).toStdString());
    directory.writeExit({code, className.toStdString(), message.toStdString(), step, 2048 * step});
}

void FixtureProject::writeRun(const config::RunSpec& spec)
{
    const QString id = QString::fromStdString(config::runId(spec));
    const QString folder = m_folder + "/runs/" + id;
    QDir().mkpath(folder);
    writeFileAtomic((folder + "/run.json").toStdString(), dumpPretty({{"format", 1}, {"arm", spec.arm}, {"seed", spec.seed}, {"spec", config::toJson(spec)}, {"argv", Json::array({"holonomy", "train"})}}));
    append(folder + "/events.jsonl", dumpLine({{"format", 1}, {"type", "start"}, {"attempt", 1}}) + '\n');
    const bool resumed = spec.arm == "mobius25" && spec.seed == 4;
    const bool failed = spec.arm == "nope25" && spec.seed == 3;
    const bool running = spec.arm == "nope25" && spec.seed == 4;
    const int last = resumed ? 90 : failed ? 30 : running ? 64 : kSteps;
    appendSteps(id, 1, last);
    const run::RunDirectory directory(folder.toStdString());
    if (running) {
        directory.writeHeartbeat(run::ownHeartbeat(last, false));
    } else {
        run::Heartbeat gone = run::ownHeartbeat(last, false);
        gone.pid = 0;
        directory.writeHeartbeat(gone);
    }
    if (resumed) {
        append(folder + "/events.jsonl", dumpLine({{"format", 1}, {"type", "start"}, {"attempt", 2}}) + '\n');
        appendSteps(id, 61, 70, 2);
    } else if (failed) {
        finish(id, 5, "resource", "No memory is left: batch 8, context 256 need 412 MB, 96 MB are free.", last);
    } else if (!running) {
        finish(id, 0, "done", "", last);
    }
    for (const int step : {40, 80, 120})
        if (step <= last && !(resumed && step > 70))
            writeEval(spec, id, step);
    if (!failed) {
        const QString checkpoint = folder + QStringLiteral("/checkpoints/step-%1").arg(resumed ? 60 : last);
        QDir().mkpath(checkpoint);
        append(checkpoint + "/model.safetensors", "weights");
        append(checkpoint + "/manifest.json", dumpPretty({{"files", {{"model.safetensors", {{"bytes", 7}, {"sha256", sha256("weights")}}}}}}));
    }
    append(folder + "/worker.log", "engine: one thread, fp32\nengine: data read from data/3f2a\n");
}

void FixtureProject::writeEval(const config::RunSpec& spec, const QString& run, std::int64_t step) const
{
    const QString folder = m_folder + "/runs/" + run + QStringLiteral("/evals/needle-step-%1").arg(step);
    QDir().mkpath(folder);
    const int trials = 20;
    const double reach = skill(spec.arm, spec.seed, step);
    Json cells = Json::array();
    std::string lines;
    std::map<std::int64_t, std::pair<int, int>> bins;
    double sum = 0;
    for (const auto length : spec.eval.lengths)
        for (const double depth : spec.eval.depths) {
            double p = 0.03 + 0.95 * reach * (1 - 0.5 * (static_cast<double>(length) / 256) * (1 - depth));
            if (armIndex(spec.arm) == 1)
                p = 0.03 + 0.95 * reach * (1 - 0.25 * (static_cast<double>(length) / 256) * (1 - depth));
            int right = 0;
            for (int trial = 0; trial < trials; ++trial) {
                RandomStream stream(static_cast<std::uint64_t>(length), "fixture trial", {static_cast<std::uint64_t>(depth * 1000), static_cast<std::uint64_t>(trial), static_cast<std::uint64_t>(spec.seed)});
                const bool exact = stream.uniform() < p;
                right += exact;
                const auto distance = static_cast<std::int64_t>((1 - depth) * static_cast<double>(length - 8)) + 4;
                auto& bin = bins[distance / 16 * 16];
                ++bin.first;
                bin.second += exact;
                lines += dumpLine({{"length", length}, {"depth", depth}, {"depth_real", depth}, {"trial", trial}, {"prompt_hash", sha256(std::to_string(length * 1000 + trial)).substr(0, 16)}, {"prompt_tokens", length},
                             {"needle_index", static_cast<std::int64_t>(depth * static_cast<double>(length - 8)) + 1}, {"needle_tokens", 4}, {"question_index", length - 3}, {"distance", distance}, {"key", "v" + std::to_string(trial)},
                             {"exact", exact}, {"nll", number(exact ? 0.1 : 3.2)}, {"rank", number(exact ? 1 : 7)}, {"moved", false}})
                    + '\n';
            }
            const auto w = model::wilson(right, trials);
            const double share = static_cast<double>(right) / trials;
            sum += share;
            cells.push_back({{"length", length}, {"depth", depth}, {"depth_real", depth}, {"trials", trials}, {"exact", number(share)}, {"first_token", number(share)}, {"token", number(share)}, {"nll", number(3.3 - 3 * share)},
                {"rank_mrr", number(share)}, {"wilson", {number(w.low), number(w.high)}}, {"outside_training", false}});
        }
    Json distances = Json::array();
    for (const auto& [delta, bin] : bins)
        distances.push_back({{"delta", delta}, {"trials", bin.first}, {"exact", number(static_cast<double>(bin.second) / bin.first)}});
    const Json scheme = config::toJson(spec.scheme);
    const double count = static_cast<double>(cells.size());
    const Json summary = {{"format", 1}, {"protocol", "needle"}, {"checkpoint", "checkpoints/step-" + std::to_string(step)}, {"scheme_trained", scheme}, {"scheme_run", scheme}, {"chance", number(1.0 / 32)},
        {"cells", std::move(cells)}, {"by_distance", std::move(distances)}, {"mean", number(sum / count)}};
    writeFileAtomic((folder + "/summary.json").toStdString(), dumpPretty(summary));
    writeFileAtomic((folder + "/trials.jsonl").toStdString(), lines);
    const QString perplexity = m_folder + "/runs/" + run + QStringLiteral("/evals/perplexity-step-%1").arg(step);
    QDir().mkpath(perplexity);
    const double nll = 3.18 + 0.6 * std::exp(-static_cast<double>(step) / 30) + 0.01 * noise(run.toStdString(), step, 5);
    writeFileAtomic((perplexity + "/summary.json").toStdString(), dumpPretty({{"format", 1}, {"protocol", "perplexity"}, {"checkpoint", "checkpoints/step-" + std::to_string(step)}, {"scheme_trained", scheme}, {"scheme_run", scheme},
        {"rows", Json::array({{{"length", 128}, {"tokens", 8192}, {"nll", number(nll + 0.05)}, {"ppl", number(std::exp(nll + 0.05))}}, {{"length", 256}, {"tokens", 8192}, {"nll", number(nll)}, {"ppl", number(std::exp(nll))}}})}}));
    append(m_folder + "/runs/" + run + "/events.jsonl",
        dumpLine({{"type", "eval"}, {"attempt", 1}, {"step", step}, {"tokens", 2048 * step}, {"eval", "needle-step-" + std::to_string(step)}, {"protocol", "needle"}, {"mean", number(sum / count)}}) + '\n');
}

}  // namespace holo::test
