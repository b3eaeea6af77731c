#include "core/report/project_scores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/origin.h"

namespace holo::report {

namespace {

struct Score {
    double value = model::kMissing;
    double trials = 0;  // 0: not a share of trials
};

// Score of one evaluation, or nothing where it does not hold the length asked for.
std::optional<Score> scoreOf(const store::Queries& queries, const std::string& run, const model::EvalRow& eval, const ScoreRequest& request)
{
    if (request.metric == "perplexity") {
        const auto rows = queries.perplexity(run, eval.id);
        for (const store::PerplexityRow& row : rows)
            if (row.length == request.length)
                return Score{row.ppl, 0};
        return std::nullopt;
    }
    const model::NeedleGrid grid = queries.grid(run, eval.id);
    double sum = 0, worst = 1, trials = 0;
    int cells = 0;
    for (const auto& cell : grid.cells) {
        if (!cell || (request.length > 0 && cell->length != request.length))
            continue;
        sum += cell->accuracy;
        worst = std::min(worst, cell->accuracy);
        trials += double(cell->trials);
        ++cells;
    }
    if (cells == 0)
        return request.length == 0 && eval.mean == eval.mean ? std::optional(Score{eval.mean, 0}) : std::nullopt;
    return request.metric == "worst" ? Score{worst, trials / cells} : Score{sum / cells, trials};
}

std::string protocolOf(const std::string& metric) { return metric == "worst" ? "needle" : metric; }

bool isOfRow(const ScoreRequest& request)
{
    return request.metric == "loss" || request.metric == "val_loss" || (request.metric == "perplexity" && request.length == 0);
}

double valueOfRow(const model::RunRow& row, const std::string& metric)
{
    return metric == "loss" ? row.loss : metric == "val_loss" ? row.valLoss : row.perplexity;
}

// A run's scores: over steps, and at the last evaluated step by the prompts that were used (empty where the metric has none).
struct Scored {
    const model::RunRow* row = nullptr;
    std::vector<stats::SeriesPoint> series;
    std::map<std::string, Score> last;
};

Scored scoredOf(const store::Queries& queries, const model::RunRow& row, const ScoreRequest& request)
{
    Scored run{&row, {}, {}};
    if (isOfRow(request)) {
        if (const double value = valueOfRow(row, request.metric); !std::isnan(value))
            run.last.emplace(std::string(), Score{value, 0});
        return run;
    }
    std::int64_t lastStep = -1;
    for (const model::EvalRow& eval : queries.evals(row.id)) {
        if (eval.swapped || eval.protocol != protocolOf(request.metric))
            continue;
        const auto score = scoreOf(queries, row.id, eval, request);
        if (!score || std::isnan(score->value))
            continue;
        if (eval.step != lastStep)
            run.last.clear();
        else
            run.series.pop_back();
        lastStep = eval.step;
        run.last.insert_or_assign(eval.trialsHash, *score);
        run.series.push_back({double(eval.step), score->value});
    }
    return run;
}

// The prompts that most runs have answered at their last step, and of equally common ones those with the most trials. Throws Error (usage)
// that names a run which has not answered them: scores on other prompts are not compared.
std::string commonPrompts(const std::vector<Scored>& runs)
{
    std::map<std::string, std::pair<std::size_t, double>> found;
    for (const Scored& run : runs)
        for (const auto& [prompts, score] : run.last) {
            auto& [count, trials] = found[prompts];
            ++count;
            trials += score.trials;
        }
    if (found.empty())
        return {};
    const std::string prompts = std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    for (const Scored& run : runs)
        if (!run.last.contains(prompts))
            throw Error(ErrorKind::Usage,
                run.row->id + ": was evaluated on other prompts (trials_file_hash " + run.last.begin()->first.substr(0, 12) + ") than " + std::to_string(found[prompts].first)
                    + " other runs (" + prompts.substr(0, 12) + "), and they are not compared; evaluate it like them, or leave its arm out with --arms.",
                {run.row->id, "trials_file_hash", run.last.begin()->first, prompts});
    return prompts;
}

bool isFinished(const model::RunRow& row) { return row.state == "done" || (row.totalSteps > 0 && row.step >= row.totalSteps); }

}  // namespace

std::vector<std::string> metricNames() { return {"needle", "worst", "passkey", "perplexity", "val_loss", "loss"}; }

std::vector<model::RunRow> chosenRuns(const std::vector<model::RunRow>& rows, const config::Project* project, std::vector<std::string>& notes)
{
    std::set<std::string> ids;
    std::map<std::string, std::size_t> order;
    if (project) {
        for (const config::PlannedRun& run : config::plannedRuns(*project))
            ids.insert(run.id);
        for (std::size_t i = 0; i < project->arms.size(); ++i)
            order.emplace(project->arms[i].name, i);
    }
    const bool present = std::any_of(rows.begin(), rows.end(), [&](const model::RunRow& row) { return ids.contains(row.id); });
    std::map<std::pair<std::string, std::int64_t>, model::RunRow> best;
    for (const model::RunRow& row : rows) {
        if (present && !ids.contains(row.id)) {
            notes.push_back(row.id + " belongs to other settings than the project file's and is left out.");
            continue;
        }
        const auto [it, isNew] = best.try_emplace({row.arm, row.seed}, row);
        if (isNew)
            continue;
        const bool farther = row.step > it->second.step;
        notes.push_back((farther ? it->second.id : row.id) + " has the arm and seed of " + (farther ? row.id : it->second.id) + ", which got farther, and is left out.");
        if (farther)
            it->second = row;
    }
    std::vector<model::RunRow> chosen;
    for (auto& [key, row] : best)
        chosen.push_back(std::move(row));
    const auto place = [&](const model::RunRow& row) {
        const auto it = order.find(row.arm);
        return it == order.end() ? order.size() : it->second;
    };
    std::stable_sort(chosen.begin(), chosen.end(), [&](const model::RunRow& a, const model::RunRow& b) { return place(a) < place(b); });
    return chosen;
}

stats::StatisticsInput projectScores(const store::Queries& queries, const config::Project* project, const ScoreRequest& request, std::vector<std::string>& notes)
{
    const auto metrics = metricNames();
    if (std::find(metrics.begin(), metrics.end(), request.metric) == metrics.end())
        throw Error(ErrorKind::Usage, "There is no metric \"" + request.metric + "\"; " + suggestion(request.metric, metrics), {"", "--metric", request.metric, join(metrics, ", ")});

    stats::StatisticsInput input;
    input.metric = request.metric + (request.length > 0 ? " at " + std::to_string(request.length) : std::string());
    input.lowerIsBetter = request.metric == "perplexity" || request.metric == "loss" || request.metric == "val_loss";
    input.floor = request.floor;
    const auto rows = chosenRuns(queries.rows(), project, notes);
    std::vector<std::string> known;
    for (const model::RunRow& row : rows)
        if (known.empty() || known.back() != row.arm)
            known.push_back(row.arm);
    for (const std::string& arm : request.arms)
        if (std::find(known.begin(), known.end(), arm) == known.end())
            throw Error(ErrorKind::Usage, "There is no arm \"" + arm + "\"; " + suggestion(arm, known), {"", "--arms", arm, join(known, ", ")});

    bool lengthSeen = request.length == 0;
    std::vector<Scored> scored;
    for (const model::RunRow& row : rows) {
        if (!request.arms.empty() && std::find(request.arms.begin(), request.arms.end(), row.arm) == request.arms.end())
            continue;
        Scored run = scoredOf(queries, row, request);
        lengthSeen = lengthSeen || !run.last.empty();
        if (isFinished(row) && !run.last.empty())
            scored.push_back(std::move(run));
        else
            notes.push_back(row.id + (isFinished(row) ? " has no such evaluation and is left out." : " is not finished and is left out."));
    }
    const std::string prompts = commonPrompts(scored);
    for (const Scored& run : scored) {
        const model::RunRow& row = *run.row;
        const Score& score = run.last.at(prompts);
        if (input.arms.empty() || input.arms.back().arm != row.arm) {
            input.arms.emplace_back();
            input.arms.back().arm = row.arm;
        }
        stats::ArmScores& arm = input.arms.back();
        arm.values.push_back(score.value);
        arm.seeds.push_back(row.seed);
        if (score.trials > 0)
            arm.trials.push_back(score.trials);
        arm.series.push_back(run.series);
        arm.budgets.push_back(double(row.totalSteps > 0 ? row.totalSteps : row.step));
        arm.perplexities.push_back(row.perplexity);
    }
    if (!lengthSeen)
        throw Error::at(ErrorKind::Usage, {"", "--length", std::to_string(request.length), "a length that was evaluated"});
    for (stats::ArmScores& arm : input.arms) {
        const bool hasSeries = std::any_of(arm.series.begin(), arm.series.end(), [](const auto& series) { return series.size() > 1; });
        if (!hasSeries) {
            arm.series.clear();
            arm.budgets.clear();
        }
        if (arm.trials.size() != arm.values.size())
            arm.trials.clear();
        if (std::any_of(arm.perplexities.begin(), arm.perplexities.end(), [](double p) { return std::isnan(p); }))
            arm.perplexities.clear();
    }
    return input;
}

}  // namespace holo::report
