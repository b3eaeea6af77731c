#include "core/store/index_queries.h"

#include "core/base/text.h"
#include "core/store/database.h"

namespace holo::store {

namespace {

constexpr const char* kRowColumns
    = "SELECT id, arm, seed, state, attempts, step, total_steps, tokens, loss, val_loss, needle, worst, perplexity, tok_s, active, context,"
      " checkpoints, evals, scheme, message FROM run ";

model::RunRow rowOf(const Statement& s)
{
    model::RunRow r;
    r.id = s.text(0);
    r.arm = s.text(1);
    r.seed = s.integer(2);
    r.state = s.text(3);
    r.attempts = static_cast<int>(s.integer(4));
    r.step = s.integer(5);
    r.totalSteps = s.integer(6);
    r.tokens = s.integer(7);
    r.loss = s.real(8);
    r.valLoss = s.real(9);
    r.needle = s.real(10);
    r.worst = s.real(11);
    r.perplexity = s.real(12);
    r.tokensPerSecond = s.real(13);
    r.activeSeconds = s.real(14);
    r.context = s.integer(15);
    r.checkpoints = static_cast<int>(s.integer(16));
    r.evals = static_cast<int>(s.integer(17));
    r.scheme = s.text(18);
    r.message = s.text(19);
    return r;
}

}  // namespace

Counts Queries::counts() const
{
    Statement s(m_database,
        "SELECT (SELECT count(*) FROM run), (SELECT coalesce(sum(attempts), 0) FROM run), (SELECT count(*) FROM step),"
        " (SELECT count(*) FROM event), (SELECT count(*) FROM eval), (SELECT count(*) FROM cell), (SELECT count(*) FROM checkpoint)");
    s.step();
    return {s.integer(0), s.integer(1), s.integer(2), s.integer(3), s.integer(4), s.integer(5), s.integer(6)};
}

std::vector<model::RunRow> Queries::rows() const
{
    Statement s(m_database, std::string(kRowColumns) + "ORDER BY arm, seed, id");
    std::vector<model::RunRow> rows;
    while (s.step())
        rows.push_back(rowOf(s));
    return rows;
}

std::optional<model::RunRow> Queries::row(const std::string& run) const
{
    Statement s(m_database, std::string(kRowColumns) + "WHERE id = ?");
    s.bind(1, run);
    return s.step() ? std::optional(rowOf(s)) : std::nullopt;
}

std::vector<model::StepRecord> Queries::steps(const std::string& run) const
{
    Statement s(m_database,
        "SELECT attempt, step, tokens, t, active, loss, grad_norm, lr, tok_s FROM step WHERE run = (SELECT key FROM run WHERE id = ?)"
        " ORDER BY attempt, step");
    s.bind(1, run);
    std::vector<model::StepRecord> steps;
    while (s.step())
        steps.push_back({static_cast<int>(s.integer(0)), s.integer(1), s.integer(2), s.real(3), s.real(4), s.real(5), s.real(6), s.real(7), s.real(8)});
    return steps;
}

std::vector<EventRow> Queries::events(const std::string& run) const
{
    Statement s(m_database,
        "SELECT type, attempt, step, val_loss, text FROM event WHERE run = (SELECT key FROM run WHERE id = ?) ORDER BY position");
    s.bind(1, run);
    std::vector<EventRow> rows;
    while (s.step())
        rows.push_back({s.text(0), static_cast<int>(s.integer(1)), s.integer(2), s.real(3), s.text(4)});
    return rows;
}

std::vector<model::EvalRow> Queries::evals(const std::string& run) const
{
    Statement s(m_database,
        "SELECT id, protocol, step, mean, swapped, scheme, trials_hash FROM eval WHERE run = (SELECT key FROM run WHERE id = ?) ORDER BY step, id");
    s.bind(1, run);
    std::vector<model::EvalRow> rows;
    while (s.step())
        rows.push_back({run, s.text(0), s.text(1), s.integer(2), s.real(3), s.integer(4) != 0, s.text(5), s.text(6)});
    return rows;
}

model::NeedleGrid Queries::grid(const std::string& run, const std::string& eval) const
{
    std::vector<model::NeedleCell> cells;
    {
        Statement s(m_database,
            "SELECT length, depth, depth_real, trials, accuracy, nll, low, high, outside FROM cell"
            " WHERE run = (SELECT key FROM run WHERE id = ?) AND eval = ?");
        s.bind(1, run).bind(2, eval);
        while (s.step())
            cells.push_back({s.integer(0), s.real(1), s.real(2), s.integer(3), s.real(4), s.real(5), s.real(6), s.real(7), s.integer(8) != 0, 1});
    }
    model::NeedleGrid grid = model::gridOfCells(std::move(cells));
    Statement head(m_database,
        "SELECT eval.mean, eval.chance, run.context FROM eval JOIN run ON run.key = eval.run WHERE run.id = ? AND eval.id = ?");
    head.bind(1, run).bind(2, eval);
    if (head.step()) {
        grid.mean = head.real(0);
        grid.chance = head.real(1);
        grid.context = head.integer(2);
    }
    Statement bins(m_database,
        "SELECT delta, trials, accuracy FROM distance WHERE run = (SELECT key FROM run WHERE id = ?) AND eval = ? ORDER BY delta");
    bins.bind(1, run).bind(2, eval);
    while (bins.step())
        grid.byDistance.push_back({bins.real(0), bins.integer(1), bins.real(2)});
    return grid;
}

std::vector<PerplexityRow> Queries::perplexity(const std::string& run, const std::string& eval) const
{
    Statement s(m_database,
        "SELECT length, tokens, nll, ppl FROM perplexity WHERE run = (SELECT key FROM run WHERE id = ?) AND eval = ? ORDER BY length");
    s.bind(1, run).bind(2, eval);
    std::vector<PerplexityRow> rows;
    while (s.step())
        rows.push_back({s.integer(0), s.integer(1), s.real(2), s.real(3)});
    return rows;
}

std::vector<std::int64_t> Queries::checkpoints(const std::string& run) const
{
    Statement s(m_database, "SELECT step FROM checkpoint WHERE run = (SELECT key FROM run WHERE id = ?) ORDER BY step");
    s.bind(1, run);
    std::vector<std::int64_t> steps;
    while (s.step())
        steps.push_back(s.integer(0));
    return steps;
}

std::string Queries::dump() const
{
    const std::vector<std::pair<const char*, int>> queries = {
        {"SELECT 'run', id, arm, seed, state, attempts, step, total_steps, tokens, loss, val_loss, needle, worst, perplexity, tok_s, active,"
         " context, checkpoints, evals, scheme, message FROM run ORDER BY id", 21},
        {"SELECT 'step', r.id, attempt, s.step, s.tokens, t, s.active, s.loss, grad_norm, lr, s.tok_s FROM step s JOIN run r ON r.key = s.run"
         " ORDER BY r.id, attempt, s.step", 11},
        {"SELECT 'event', r.id, position, type, attempt, e.step, e.val_loss, text FROM event e JOIN run r ON r.key = e.run ORDER BY r.id, position", 8},
        {"SELECT 'eval', r.id, e.id, protocol, e.step, mean, chance, swapped, e.scheme FROM eval e JOIN run r ON r.key = e.run ORDER BY r.id, e.id", 9},
        {"SELECT 'cell', r.id, eval, length, depth, depth_real, trials, accuracy, nll, low, high, outside FROM cell c JOIN run r ON r.key = c.run"
         " ORDER BY r.id, eval, length, depth", 12},
        {"SELECT 'distance', r.id, eval, delta, trials, accuracy FROM distance d JOIN run r ON r.key = d.run ORDER BY r.id, eval, delta", 6},
        {"SELECT 'perplexity', r.id, eval, length, p.tokens, nll, ppl FROM perplexity p JOIN run r ON r.key = p.run ORDER BY r.id, eval, length", 7},
        {"SELECT 'checkpoint', r.id, c.step FROM checkpoint c JOIN run r ON r.key = c.run ORDER BY r.id, c.step", 3},
    };
    std::string text;
    for (const auto& [sql, columns] : queries) {
        Statement s(m_database, sql);
        while (s.step()) {
            for (int c = 0; c < columns; ++c)
                text += (c ? "\t" : "") + s.text(c);
            text += '\n';
        }
    }
    return text;
}

}  // namespace holo::store
