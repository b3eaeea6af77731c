#include "core/report/arm_grids.h"

#include <algorithm>
#include <optional>

namespace holo::report {

namespace {

std::int64_t prompts(const model::NeedleGrid& grid)
{
    std::int64_t sum = 0;
    for (const auto& cell : grid.cells)
        sum += cell ? cell->trials : 0;
    return sum;
}

std::optional<model::NeedleGrid> lastGrid(const store::Queries& queries, const std::string& run)
{
    std::optional<model::NeedleGrid> last;
    std::int64_t lastStep = -1;
    for (const model::EvalRow& eval : queries.evals(run)) {
        if (eval.protocol != "needle" || eval.swapped)
            continue;
        model::NeedleGrid grid = queries.grid(run, eval.id);
        if (grid.isEmpty() || (last && eval.step == lastStep && prompts(grid) < prompts(*last)))
            continue;
        last = std::move(grid);
        lastStep = eval.step;
    }
    return last;
}

}  // namespace

std::vector<ArmGrid> armGrids(const store::Queries& queries, const std::vector<model::RunRow>& rows)
{
    std::vector<std::string> arms;
    for (const model::RunRow& row : rows)
        if (std::find(arms.begin(), arms.end(), row.arm) == arms.end())
            arms.push_back(row.arm);
    std::vector<ArmGrid> result;
    for (const std::string& arm : arms) {
        std::vector<model::NeedleGrid> grids;
        for (const model::RunRow& row : rows)
            if (row.arm == arm)
                if (auto grid = lastGrid(queries, row.id))
                    grids.push_back(std::move(*grid));
        if (!grids.empty())
            result.push_back({arm, int(grids.size()), model::meanGrid(grids)});
    }
    return result;
}

}  // namespace holo::report
