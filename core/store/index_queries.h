#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/needle_grid.h"
#include "core/model/run_events.h"
#include "core/model/run_row.h"

namespace holo::store {

class Database;

struct Counts {
    std::int64_t runs = 0;
    std::int64_t attempts = 0;
    std::int64_t steps = 0;
    std::int64_t events = 0;
    std::int64_t evals = 0;
    std::int64_t cells = 0;
    std::int64_t checkpoints = 0;
};

struct PerplexityRow {
    std::int64_t length = 0;
    std::int64_t tokens = 0;
    double nll = 0;
    double ppl = 0;
};

struct EventRow {
    std::string type;
    int attempt = 1;
    std::int64_t step = 0;
    double valLoss = model::kMissing;
    std::string text;
};

// What the window and `holonomy index` ask.
class Queries {
public:
    explicit Queries(Database& database)
        : m_database(database)
    {
    }

    Counts counts() const;
    std::vector<model::RunRow> rows() const;  // by arm and seed
    std::optional<model::RunRow> row(const std::string& run) const;
    std::vector<model::StepRecord> steps(const std::string& run) const;  // by attempt and step
    std::vector<EventRow> events(const std::string& run) const;          // all but steps
    std::vector<model::EvalRow> evals(const std::string& run) const;     // by step
    model::NeedleGrid grid(const std::string& run, const std::string& eval) const;
    std::vector<PerplexityRow> perplexity(const std::string& run, const std::string& eval) const;
    std::vector<std::int64_t> checkpoints(const std::string& run) const;

    // Everything as text, a line a row, in an order that does not depend on how the rows came in.
    std::string dump() const;

private:
    Database& m_database;
};

}  // namespace holo::store
