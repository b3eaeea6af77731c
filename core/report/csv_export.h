#pragma once

#include <string>
#include <vector>

#include "core/model/needle_grid.h"
#include "core/model/run_events.h"
#include "core/store/index_queries.h"

namespace holo::report {

// step,loss,grad_norm,lr,tokens,tok_s,active,t,attempt: one row a step, of the attempt that counts. Non-finite values and missing ones as nan, inf, -inf.
std::string stepsCsv(const std::vector<model::StepRecord>& steps);

// Tidy: length,depth,depth_real,trials,exact,low,high,nll,outside_training; one row a cell.
std::string tidyCsv(const model::NeedleGrid& grid);

// Wide: first column depth (0 first), one column a length, rising; exact match as a share.
std::string wideCsv(const model::NeedleGrid& grid);

// length,tokens,nll,ppl: one row a length.
std::string perplexityCsv(const std::vector<store::PerplexityRow>& rows);

}  // namespace holo::report
