#pragma once

#include <string>
#include <vector>

#include "core/model/needle_grid.h"
#include "core/model/run_row.h"
#include "core/store/index_queries.h"

namespace holo::report {

// Retrieval of an arm: the mean over its runs, cell by cell.
struct ArmGrid {
    std::string arm;
    int runs = 0;
    model::NeedleGrid grid;
};

// Of the arms of `rows`, in their order; arms without a needle evaluation are left out. Of each run the last step counts, and of several
// evaluations of that step the one with the most prompts. Evaluations under a swapped scheme do not count.
std::vector<ArmGrid> armGrids(const store::Queries& queries, const std::vector<model::RunRow>& rows);

}  // namespace holo::report
