#include "core/report/report.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/interop/csv.h"
#include "core/report/arm_grids.h"
#include "core/report/csv_export.h"
#include "core/report/document.h"
#include "core/report/figures_svg.h"
#include "core/report/heatmap_png.h"
#include "core/report/project_scores.h"
#include "core/report/test_tables.h"
#include "core/stats/statistics_text.h"
#include "core/store/run_index.h"

namespace holo::report {

namespace {

namespace fs = std::filesystem;

std::string shown(double value, int decimals) { return std::isnan(value) ? "–" : formatFixed(value, decimals); }
std::string shown(const std::optional<double>& value, int decimals) { return value ? shown(*value, decimals) : "–"; }

std::string fileName(const std::string& arm)
{
    std::string name;
    for (const char c : arm) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        name += plain ? c : '-';
    }
    return name.substr(0, 60);
}

class Report {
public:
    Report(const fs::path& project, const fs::path& out)
        : m_out(out)
        , m_project(config::readProject(project))
        , m_index(store::RunIndex::openMemory(project))
    {
        m_index.update();
        m_rows = chosenRuns(m_index.queries().rows(), &m_project, m_notes);
    }

    std::vector<fs::path> write()
    {
        Document document{m_project.name, {setUp(), runs(), statistics(), needle(), training(), commands()}};
        document.sections.erase(std::remove_if(document.sections.begin(), document.sections.end(), [](const Section& section) { return section.blocks.empty(); }), document.sections.end());
        save("report.md", toMarkdown(document));
        save("report.html", toHtml(document));
        return m_files;
    }

private:
    const store::Queries& queries() { return m_index.queries(); }

    void save(const std::string& name, const std::string& bytes)
    {
        writeFileAtomic(m_out / name, bytes);
        m_files.push_back(m_out / name);
    }

    Figure figure(const std::string& file, const std::string& caption, const std::string& svg)
    {
        save(file, svg);
        return {file, caption, svg};
    }

    Section setUp()
    {
        const config::ModelSpec& m = m_project.model;
        Section section{"Set-up", {}};
        if (!m_project.notes.empty())
            section.blocks.push_back(m_project.notes);
        Table table{{"part", "value"}, {}};
        table.rows.push_back({"model", m.style + ", " + std::to_string(m.layers) + " layers, width " + std::to_string(m.hidden) + ", " + std::to_string(m.heads) + " heads, context "
                                           + std::to_string(m.context)});
        table.rows.push_back({"data", join(m_project.data.source, ", ")});
        const config::TrainSpec& t = m_project.train;
        const auto specs = config::expand(m_project);
        table.rows.push_back({"training", std::to_string(config::totalSteps(specs.front())) + " steps of " + std::to_string(std::int64_t(t.batch) * t.accumulate) + " windows, learning rate "
                                              + formatDouble(t.lr) + ", " + t.schedule + ", weight decay " + formatDouble(t.weightDecay)});
        std::vector<std::string> lengths;
        for (const std::int64_t length : m_project.eval.lengths)
            lengths.push_back(std::to_string(length));
        table.rows.push_back({"evaluation", join(m_project.eval.protocols, ", ") + "; lengths " + join(lengths, ", ") + "; " + std::to_string(m_project.eval.depths.size()) + " depths, "
                                                + std::to_string(m_project.eval.trials) + " trials a cell"});
        section.blocks.push_back(table);
        Table arms{{"arm", "positional scheme", "overrides"}, {}};
        for (const config::Arm& arm : m_project.arms) {
            std::vector<std::string> overrides;
            for (const auto& [path, value] : arm.overrides)
                overrides.push_back(path + "=" + dumpLine(value));
            arms.rows.push_back({arm.name, config::shortForm(arm.scheme), join(overrides, ", ")});
        }
        section.blocks.push_back(arms);
        return section;
    }

    Section runs()
    {
        Table table{{"run", "arm", "seed", "state", "step", "loss", "validation loss", "perplexity", "needle", "worst cell"}, {}};
        interop::CsvTable csv{{"run", "arm", "seed", "state", "step", "tokens", "loss", "val_loss", "perplexity", "needle", "worst", "tok_s", "active"}, {}};
        const auto cell = [](double value) { return std::isnan(value) ? std::string() : interop::csvNumber(value); };
        for (const model::RunRow& row : m_rows) {
            table.rows.push_back({row.id, row.arm, std::to_string(row.seed), row.state, std::to_string(row.step), shown(row.loss, 3), shown(row.valLoss, 3), shown(row.perplexity, 2),
                                  shown(row.needle, 3), shown(row.worst, 3)});
            csv.rows.push_back({row.id, row.arm, std::to_string(row.seed), row.state, std::to_string(row.step), std::to_string(row.tokens), cell(row.loss), cell(row.valLoss),
                                cell(row.perplexity), cell(row.needle), cell(row.worst), cell(row.tokensPerSecond), cell(row.activeSeconds)});
        }
        save("runs.csv", interop::writeCsv(csv));
        Section section{"Runs", {}};
        if (m_rows.empty())
            section.blocks.push_back(std::string("No run has begun yet."));
        else
            section.blocks.push_back(table);
        for (const std::string& note : m_notes)
            section.blocks.push_back(note);
        return section;
    }

    Section statistics()
    {
        Section section{"Spread over seeds", {}};
        std::vector<std::string> notes;
        stats::StatisticsInput input;
        try {
            input = projectScores(queries(), &m_project, {}, notes);
        } catch (const Error& error) {
            section.blocks.push_back(std::string(error.what()));
        }
        if (input.arms.empty())
            return section;
        const stats::StatisticsTable result = stats::statisticsTable(input);
        save("statistics.csv", stats::toCsv(result));
        Table groups{{"arm", "seeds", "mean", "SD", "min", "max", "worst seed", "learned", "perplexity"}, {}};
        std::vector<std::pair<std::string, std::vector<double>>> values;
        for (const stats::GroupSummary& group : result.groups) {
            const std::string learned = group.learned.k ? std::to_string(*group.learned.k) + " of " + std::to_string(group.learned.n) : "–";
            groups.rows.push_back({group.arm, std::to_string(group.n), shown(group.mean, 3), shown(group.sd, 3), shown(group.min, 3), shown(group.max, 3),
                                   group.worstSeed ? std::to_string(*group.worstSeed) : "–", learned, shown(group.perplexityMean, 2)});
            values.emplace_back(group.arm, group.values);
        }
        section.blocks.push_back("Mean exact match over all cells of the needle grid, one number a run.");
        section.blocks.push_back(groups);
        section.blocks.push_back(figure("seeds.svg", "One dot a seed, the line is the mean of the arm.", seedsSvg(values, 0, 1, "needle, by seed")));
        if (!result.reading.empty())
            section.blocks.push_back(result.reading);
        for (Block& block : testBlocks(result))
            section.blocks.push_back(std::move(block));
        for (const std::string& note : notes)
            section.blocks.push_back(note);
        return section;
    }

    Section needle()
    {
        Section section{"Retrieval", {}};
        for (const ArmGrid& arm : armGrids(queries(), m_rows)) {
            const std::string name = fileName(arm.arm);
            section.blocks.push_back(figure("heatmap-" + name + ".svg", arm.arm + ": exact match in percent over " + std::to_string(arm.runs)
                                                + (arm.runs == 1 ? " run" : " runs") + " by length and depth (0 = start of the prompt; * beyond the training context).",
                                            heatmapSvg(arm.grid, arm.arm)));
            save("heatmap-" + name + ".png", heatmapPng(arm.grid));
            save("needle-" + name + ".csv", wideCsv(arm.grid));
            save("needle-" + name + "-cells.csv", tidyCsv(arm.grid));
        }
        return section;
    }

    Section training()
    {
        Section section{"Training", {}};
        std::vector<NamedCurve> losses, scores;
        for (const model::RunRow& row : m_rows) {
            NamedCurve loss{row.arm, {}}, score{row.arm, {}};
            for (const model::StepRecord& step : model::branches(queries().steps(row.id)).live) {
                loss.curve.x.push_back(double(step.step));
                loss.curve.y.push_back(step.loss);
            }
            for (const model::EvalRow& eval : queries().evals(row.id))
                if (eval.protocol == "needle" && !eval.swapped) {
                    score.curve.x.push_back(double(eval.step));
                    score.curve.y.push_back(eval.mean);
                }
            if (loss.curve.size() > 0)
                losses.push_back(std::move(loss));
            if (score.curve.size() > 1)
                scores.push_back(std::move(score));
        }
        if (!losses.empty())
            section.blocks.push_back(figure("loss.svg", "Training loss, one line a run.", curvesSvg(losses, "training loss", "loss, nats a token")));
        if (!scores.empty())
            section.blocks.push_back(figure("needle-over-steps.svg", "When retrieval appears, one line a run.", curvesSvg(scores, "needle over steps", "exact match")));
        return section;
    }

    Section commands()
    {
        const std::string name = fileName(m_project.name);
        return {"Commands", {Commands{{"holonomy --batch " + name, "holonomy stats " + name, "holonomy report " + name}}}};
    }

    fs::path m_out;
    config::Project m_project;
    store::RunIndex m_index;
    std::vector<model::RunRow> m_rows;
    std::vector<std::string> m_notes;
    std::vector<fs::path> m_files;
};

}  // namespace

std::vector<fs::path> writeReport(const fs::path& project, const fs::path& out)
{
    Report report(project, out);
    std::error_code ec;
    const bool isNew = fs::create_directories(out, ec);
    if (ec)
        throw Error(ErrorKind::Resource, out.string() + ": cannot be made (" + ec.message() + ").", {out.string(), "--out", ec.message(), "a folder that can be written"});
    try {
        return report.write();
    } catch (...) {
        if (isNew)
            fs::remove_all(out, ec);
        throw;
    }
}

}  // namespace holo::report
