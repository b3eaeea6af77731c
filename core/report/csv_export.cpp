#include "core/report/csv_export.h"

#include <cmath>

#include "core/interop/csv.h"

namespace holo::report {

namespace {

std::string cell(double value) { return interop::csvNumber(value); }

}  // namespace

std::string stepsCsv(const std::vector<model::StepRecord>& steps)
{
    interop::CsvTable table{{"step", "loss", "grad_norm", "lr", "tokens", "tok_s", "active", "t", "attempt"}, {}};
    for (const model::StepRecord& s : model::branches(steps).live)
        table.rows.push_back({std::to_string(s.step), cell(s.loss), cell(s.gradNorm), cell(s.lr), std::to_string(s.tokens), cell(s.tokensPerSecond), cell(s.active), cell(s.t),
                              std::to_string(s.attempt)});
    return interop::writeCsv(table);
}

std::string tidyCsv(const model::NeedleGrid& grid)
{
    interop::CsvTable table{{"length", "depth", "depth_real", "trials", "exact", "low", "high", "nll", "outside_training"}, {}};
    for (std::size_t l = 0; l < grid.lengths.size(); ++l)
        for (std::size_t d = 0; d < grid.depths.size(); ++d)
            if (const auto& c = grid.at(d, l))
                table.rows.push_back({std::to_string(c->length), cell(c->depth), cell(c->depthReal), std::to_string(c->trials), cell(c->accuracy), cell(c->low), cell(c->high), cell(c->nll),
                                      c->outsideTraining ? "1" : "0"});
    return interop::writeCsv(table);
}

std::string wideCsv(const model::NeedleGrid& grid)
{
    std::vector<std::vector<double>> values;
    for (std::size_t d = 0; d < grid.depths.size(); ++d) {
        values.emplace_back();
        for (std::size_t l = 0; l < grid.lengths.size(); ++l)
            values.back().push_back(grid.at(d, l) ? grid.at(d, l)->accuracy : std::nan(""));
    }
    return interop::writeCsv(interop::wideTable("depth", grid.depths, {grid.lengths.begin(), grid.lengths.end()}, values, true));
}

std::string perplexityCsv(const std::vector<store::PerplexityRow>& rows)
{
    interop::CsvTable table{{"length", "tokens", "nll", "ppl"}, {}};
    for (const store::PerplexityRow& row : rows)
        table.rows.push_back({std::to_string(row.length), std::to_string(row.tokens), cell(row.nll), cell(row.ppl)});
    return interop::writeCsv(table);
}

}  // namespace holo::report
