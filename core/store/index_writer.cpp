#include "core/store/index_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/model/needle_grid.h"
#include "core/run/run_directory.h"
#include "core/store/database.h"

namespace holo::store {

namespace fs = std::filesystem;

namespace {

std::string stamp(const fs::path& file)
{
    std::error_code ec;
    const auto time = fs::last_write_time(file, ec);
    if (ec)
        return "-";
    const auto size = fs::file_size(file, ec);
    return std::to_string(time.time_since_epoch().count()) + "/" + (ec ? std::string("d") : std::to_string(size));
}

const Json* find(const Json& object, std::initializer_list<const char*> path)
{
    const Json* at = &object;
    for (const char* key : path) {
        if (!at->is_object())
            return nullptr;
        const auto it = at->find(key);
        if (it == at->end())
            return nullptr;
        at = &*it;
    }
    return at;
}

double numberAt(const Json& object, std::initializer_list<const char*> path)
{
    const Json* value = find(object, path);
    try {
        return value ? toDouble(*value, "") : model::kMissing;
    } catch (const Error&) {
        return model::kMissing;
    }
}

std::int64_t integerAt(const Json& object, std::initializer_list<const char*> path, std::int64_t fallback)
{
    const Json* value = find(object, path);
    return value && value->is_number() ? value->get<std::int64_t>() : fallback;
}

std::string textAt(const Json& object, std::initializer_list<const char*> path)
{
    const Json* value = find(object, path);
    return value && value->is_string() ? value->get<std::string>() : std::string();
}

std::string schemeText(const Json* scheme)
{
    if (!scheme || scheme->is_null())
        return {};
    return scheme->is_string() ? scheme->get<std::string>() : dumpLine(*scheme);
}

// N of "step-N" anywhere in the text; −1 if there is none.
std::int64_t stepInName(const std::string& text)
{
    const auto at = text.rfind("step-");
    if (at == std::string::npos)
        return -1;
    std::size_t end = at + 5;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9')
        ++end;
    return parseInt(std::string_view(text).substr(at + 5, end - at - 5)).value_or(-1);
}

std::int64_t totalStepsOf(const Json& spec)
{
    const std::int64_t tokens = integerAt(spec, {"train", "tokens"}, 0);
    if (tokens <= 0)
        return integerAt(spec, {"train", "steps"}, 0);
    const std::int64_t perStep = integerAt(spec, {"train", "batch"}, 1) * integerAt(spec, {"train", "accumulate"}, 1) * integerAt(spec, {"model", "context"}, 1);
    return perStep > 0 ? (tokens + perStep - 1) / perStep : 0;
}

std::vector<fs::path> foldersIn(const fs::path& folder)
{
    std::vector<fs::path> folders;
    std::error_code ec;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
        std::error_code entryError;
        const std::string name = it->path().filename().string();
        if (it->is_directory(entryError) && !name.starts_with('.') && isUtf8(name))
            folders.push_back(it->path());
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

}  // namespace

IndexWriter::IndexWriter(Database& database, fs::path project)
    : m_database(database)
    , m_project(std::move(project))
{
    load();
}

void IndexWriter::load()
{
    Statement s(m_database, "SELECT id, key, events_offset, signature FROM run");
    while (s.step())
        m_known[s.text(0)] = {s.integer(1), static_cast<std::uint64_t>(s.integer(2)), s.text(3)};
}

std::string IndexWriter::signatureOf(const run::RunDirectory& run, run::RunState& state)
{
    state = run.state();
    std::string text = stamp(run.runFile()) + ' ' + stamp(run.eventsFile()) + ' ' + stamp(run.exitFile()) + ' ' + stamp(run.checkpointsFolder()) + ' '
        + std::string(run::stateName(state));
    for (const auto& folder : foldersIn(run.evalsFolder()))
        text += ' ' + stamp(folder / "summary.json");
    return text;
}

Changes IndexWriter::update()
{
    Changes changes;
    std::set<std::string> seen;
    std::vector<std::pair<run::RunDirectory, std::string>> pending;
    std::size_t settled = 0;
    for (const auto& folder : foldersIn(m_project / "runs")) {
        run::RunDirectory run(folder);
        seen.insert(run.id());
        const auto it = m_known.find(run.id());
        if (it != m_known.end() && it->second.settled) {
            const std::size_t number = settled++;
            if (number < m_turn || number - m_turn >= kSettledAtOnce)
                continue;
        }
        run::RunState state{};
        std::string signature = signatureOf(run, state);
        if (it != m_known.end())
            it->second.settled = state == run::RunState::Done || state == run::RunState::Failed || state == run::RunState::Interrupted;
        if (it == m_known.end() || it->second.signature != signature)
            pending.emplace_back(std::move(run), std::move(signature));
    }
    m_turn = m_turn + kSettledAtOnce < settled ? m_turn + kSettledAtOnce : 0;
    for (const auto& [id, known] : m_known)
        if (!seen.contains(id))
            changes.removed.push_back(id);
    if (pending.empty() && changes.removed.empty())
        return changes;

    const auto before = m_known;
    try {
        Transaction transaction(m_database);
        for (const auto& id : changes.removed) {
            Statement(m_database, "DELETE FROM run WHERE key = ?").bind(1, m_known[id].key).run();
            m_known.erase(id);
        }
        for (auto& [run, signature] : pending) {
            Known& known = m_known[run.id()];
            known.signature = signature;
            updateRun(run, known, changes);
            changes.runs.push_back(run.id());
        }
        transaction.commit();
    } catch (...) {
        m_known = before;
        throw;
    }
    return changes;
}

void IndexWriter::updateRun(const run::RunDirectory& run, Known& known, Changes& changes)
{
    if (known.key == 0) {
        Statement(m_database, "INSERT INTO run(id, arm, seed, state) VALUES(?, '', 0, 'waiting')").bind(1, run.id()).run();
        Statement key(m_database, "SELECT key FROM run WHERE id = ?");
        key.bind(1, run.id());
        key.step();
        known.key = key.integer(0);
    }
    readEvents(run, known, changes);
    if (readEvals(run, known))
        changes.evals.push_back(run.id());
    Statement(m_database, "DELETE FROM checkpoint WHERE run = ?").bind(1, known.key).run();
    for (const auto& checkpoint : run.checkpoints())
        Statement(m_database, "INSERT INTO checkpoint VALUES(?, ?)").bind(1, known.key).bind(2, checkpoint.step).run();
    writeSummary(run, known);
}

bool IndexWriter::readEvents(const run::RunDirectory& run, Known& known, Changes& changes)
{
    run::LineTail tail(run.eventsFile(), known.offset);
    Changes::Steps steps{run.id(), {}, false};
    Statement insertStep(m_database, "INSERT OR REPLACE INTO step VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    Statement insertEvent(m_database, "INSERT OR REPLACE INTO event VALUES(?, ?, ?, ?, ?, ?, ?)");
    static constexpr std::array kTypeNames = {"start", "step", "eval", "checkpoint", "note", "other"};
    std::uint64_t position = known.offset;
    for (;;) {
        const auto lines = tail.poll();
        if (tail.restarted()) {
            steps = {run.id(), {}, true};
            position = 0;
            Statement(m_database, "DELETE FROM step WHERE run = ?").bind(1, known.key).run();
            Statement(m_database, "DELETE FROM event WHERE run = ?").bind(1, known.key).run();
        }
        if (lines.empty())
            break;
        for (const auto& line : lines) {
            const auto event = model::parseEvent(line);
            if (event && event->type == model::EventType::Step) {
                const auto& s = event->step;
                insertStep.bind(1, known.key).bind(2, s.attempt).bind(3, s.step).bind(4, s.tokens);
                insertStep.bindPresent(5, s.t).bindPresent(6, s.active).bind(7, s.loss).bindPresent(8, s.gradNorm).bindPresent(9, s.lr).bindPresent(10, s.tokensPerSecond);
                insertStep.run();
                steps.records.push_back(s);
            }
            if (event && (event->type != model::EventType::Step || !std::isnan(event->valLoss))) {
                insertEvent.bind(1, known.key).bind(2, static_cast<std::int64_t>(position)).bind(3, kTypeNames[static_cast<std::size_t>(event->type)]);
                insertEvent.bind(4, event->step.attempt).bind(5, event->step.step).bindPresent(6, event->valLoss).bind(7, event->text);
                insertEvent.run();
            }
            position += line.size() + 1;
        }
    }
    known.offset = tail.offset();
    const bool any = !steps.records.empty() || steps.restarted;
    if (any)
        changes.steps.push_back(std::move(steps));
    return any;
}

bool IndexWriter::readEvals(const run::RunDirectory& run, const Known& known)
{
    std::map<std::string, std::string> stored;
    {
        Statement s(m_database, "SELECT id, signature FROM eval WHERE run = ?");
        s.bind(1, known.key);
        while (s.step())
            stored[s.text(0)] = s.text(1);
    }
    const auto removeEval = [&](const std::string& id) {
        for (const char* sql : {"DELETE FROM eval WHERE run = ? AND id = ?", "DELETE FROM cell WHERE run = ? AND eval = ?",
                 "DELETE FROM distance WHERE run = ? AND eval = ?", "DELETE FROM perplexity WHERE run = ? AND eval = ?"})
            Statement(m_database, sql).bind(1, known.key).bind(2, id).run();
    };
    bool any = false;
    for (const auto& folder : foldersIn(run.evalsFolder())) {
        const std::string id = folder.filename().string();
        const std::string signature = stamp(folder / "summary.json");
        if (signature == "-")
            continue;
        const auto it = stored.find(id);
        const bool isKnown = it != stored.end() && it->second == signature;
        if (it != stored.end())
            stored.erase(it);
        if (isKnown)
            continue;
        any = true;
        removeEval(id);
        try {
            writeEval(known, folder, signature);
        } catch (const Error& error) {
            removeEval(id);
            logWarning("store", error.what());
        }
    }
    for (const auto& [id, signature] : stored) {
        removeEval(id);
        any = true;
    }
    return any;
}

void IndexWriter::writeEval(const Known& known, const fs::path& folder, const std::string& signature)
{
    const std::string id = folder.filename().string();
    const fs::path file = folder / "summary.json";
    const Json document = readJsonFile(file);
    if (!document.is_object())
        throw Error(ErrorKind::Malformed, file.string() + ": is not an evaluation.", {file.string(), "", "", "an object"});
    const std::string protocol = textAt(document, {"protocol"});
    std::int64_t step = integerAt(document, {"step"}, -1);
    if (step < 0)
        step = stepInName(textAt(document, {"checkpoint"}));
    if (step < 0)
        step = stepInName(id);
    const std::string trained = schemeText(find(document, {"scheme_trained"}));
    const std::string scheme = schemeText(find(document, {"scheme_run"}));
    const bool swapped = !scheme.empty() && !trained.empty() && scheme != trained;
    double mean = numberAt(document, {"mean"});

    if (find(document, {"cells"})) {
        const model::NeedleGrid grid = model::needleGrid(document, file.string());
        if (std::isnan(mean))
            mean = grid.mean;
        Statement insert(m_database, "INSERT OR REPLACE INTO cell VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
        for (const auto& cell : grid.cells) {
            if (!cell)
                continue;
            insert.bind(1, known.key).bind(2, id).bind(3, cell->length).bind(4, cell->depth).bind(5, cell->depthReal).bind(6, cell->trials);
            insert.bind(7, cell->accuracy).bindPresent(8, cell->nll).bind(9, cell->low).bind(10, cell->high).bind(11, std::int64_t(cell->outsideTraining));
            insert.run();
        }
        Statement bins(m_database, "INSERT OR REPLACE INTO distance VALUES(?, ?, ?, ?, ?)");
        for (const auto& bin : grid.byDistance) {
            bins.bind(1, known.key).bind(2, id).bind(3, bin.delta).bind(4, bin.trials).bind(5, bin.accuracy);
            bins.run();
        }
    }
    if (const Json* rows = find(document, {"rows"}); rows && rows->is_array()) {
        Statement insert(m_database, "INSERT OR REPLACE INTO perplexity VALUES(?, ?, ?, ?, ?, ?)");
        for (const Json& row : *rows) {
            const double nll = numberAt(row, {"nll"});
            double ppl = numberAt(row, {"ppl"});
            if (std::isnan(ppl))
                ppl = std::exp(nll);
            insert.bind(1, known.key).bind(2, id).bind(3, integerAt(row, {"length"}, 0)).bind(4, integerAt(row, {"tokens"}, 0)).bind(5, nll).bind(6, ppl);
            insert.run();
        }
    }
    Statement(m_database, "INSERT OR REPLACE INTO eval VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(1, known.key).bind(2, id).bind(3, protocol).bind(4, step).bindPresent(5, mean).bindPresent(6, numberAt(document, {"chance"}))
        .bind(7, std::int64_t(swapped)).bind(8, scheme).bind(9, signature).bind(10, textAt(document, {"trials_file_hash"})).run();
}

void IndexWriter::writeSummary(const run::RunDirectory& run, const Known& known)
{
    std::string arm = run.id();
    std::string message;
    std::string scheme;
    std::int64_t seed = 0;
    std::int64_t total = 0;
    std::int64_t context = 0;
    std::error_code ec;
    try {
        // A folder that a start has just made has no run.json yet: that is no fault.
        const Json record = fs::exists(run.runFile(), ec) ? run.readRun() : Json::object();
        const Json* spec = find(record, {"spec"});
        if (!spec)
            spec = &record;
        const std::string name = textAt(*spec, {"arm"});
        if (!name.empty())
            arm = name;
        seed = integerAt(*spec, {"seed"}, integerAt(record, {"seed"}, 0));
        total = totalStepsOf(*spec);
        context = integerAt(*spec, {"model", "context"}, 0);
        scheme = schemeText(find(*spec, {"scheme"}));
    } catch (const Error& error) {
        message = error.what();
    }
    if (const auto exit = run.readExit(); exit && exit->code != 0)
        message = exit->message;

    double valLoss = model::kMissing;
    {
        Statement s(m_database, "SELECT val_loss FROM event WHERE run = ? AND val_loss IS NOT NULL ORDER BY attempt DESC, step DESC LIMIT 1");
        s.bind(1, known.key);
        if (s.step())
            valLoss = s.real(0);
    }
    double needle = model::kMissing;
    double worst = model::kMissing;
    {
        Statement s(m_database,
            "SELECT mean, (SELECT min(accuracy) FROM cell WHERE cell.run = eval.run AND cell.eval = eval.id) FROM eval"
            // Of one step the run's own evaluation, which all runs share, then the fullest: a quick look at one length replaces neither.
            " WHERE run = ? AND protocol = 'needle' AND swapped = 0 ORDER BY step DESC, id = 'needle-step-' || step DESC,"
            " (SELECT count(*) FROM cell WHERE cell.run = eval.run AND cell.eval = eval.id) DESC, id DESC LIMIT 1");
        s.bind(1, known.key);
        if (s.step()) {
            needle = s.real(0);
            worst = s.real(1);
        }
    }
    double perplexity = model::kMissing;
    {
        Statement s(m_database,
            "SELECT p.ppl, p.nll FROM perplexity p JOIN eval e ON e.run = p.run AND e.id = p.eval WHERE p.run = ? AND e.swapped = 0"
            " AND (? = 0 OR p.length <= ?) ORDER BY e.step DESC, e.id DESC, p.length DESC LIMIT 1");
        s.bind(1, known.key).bind(2, context).bind(3, context);
        if (s.step()) {
            perplexity = s.real(0);
            if (std::isnan(valLoss))
                valLoss = s.real(1);
        }
    }
    Statement last(m_database,
        "SELECT step, tokens, loss, tok_s, active, attempt FROM step WHERE run = ?1"
        " ORDER BY attempt DESC, step DESC LIMIT 1");
    last.bind(1, known.key);
    const bool hasSteps = last.step();
    Statement update(m_database,
        "UPDATE run SET arm = ?, seed = ?, state = ?, attempts = ?, step = ?, total_steps = ?, tokens = ?, loss = ?, val_loss = ?, needle = ?,"
        " worst = ?, perplexity = ?, tok_s = ?, active = ?, context = ?, scheme = ?, message = ?, events_offset = ?, signature = ?,"
        " checkpoints = (SELECT count(*) FROM checkpoint WHERE run = ?20), evals = (SELECT count(*) FROM eval WHERE run = ?20) WHERE key = ?20");
    update.bind(1, arm).bind(2, seed).bind(3, run::stateName(run.state()));
    update.bind(4, hasSteps ? last.integer(5) : 0).bind(5, hasSteps ? last.integer(0) : 0).bind(6, total).bind(7, hasSteps ? last.integer(1) : 0);
    if (hasSteps)
        update.bind(8, last.real(2));
    update.bindPresent(9, valLoss).bindPresent(10, needle).bindPresent(11, worst).bindPresent(12, perplexity);
    update.bindPresent(13, hasSteps ? last.real(3) : model::kMissing).bindPresent(14, hasSteps ? last.real(4) : model::kMissing);
    update.bind(15, context).bind(16, scheme).bind(17, message).bind(18, static_cast<std::int64_t>(known.offset)).bind(19, known.signature);
    update.bind(20, known.key).run();
}

}  // namespace holo::store
