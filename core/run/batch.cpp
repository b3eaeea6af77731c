#include "core/run/batch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/origin.h"
#include "core/run/child_process.h"
#include "core/run/continuation.h"
#include "core/run/evaluation_digest.h"
#include "core/run/machine.h"
#include "core/run/preflight.h"
#include "core/run/run_directory.h"
#include "core/run/run_record.h"
#include "core/run/stop_signals.h"

namespace holo::run {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBatchFormat = 1;
constexpr auto kPollInterval = std::chrono::milliseconds(100);
constexpr int kLockAttempts = 300;
constexpr auto kSayInterval = std::chrono::seconds(60);

std::int64_t goalOf(const Job& job, const BatchOptions& options)
{
    const std::int64_t total = config::totalSteps(job.spec);
    return options.stopAt >= 0 ? std::min(options.stopAt, total) : total;
}

bool isFinished(const Job& job, const BatchOptions& options)
{
    const RunDirectory run(job.folder);
    const auto newest = run.newestCheckpoint();
    if (!newest || newest->step < goalOf(job, options))
        return false;
    if (options.stopAt >= 0)
        return true;
    const auto exit = run.readExit();
    if (!exit || exit->code != 0)
        return false;
    const Json evals = evaluationsAt(run, newest->step);
    return std::all_of(job.spec.eval.protocols.begin(), job.spec.eval.protocols.end(), [&](const std::string& protocol) { return evals.contains(protocol); });
}

// run.json with the spec in force, so that the worker needs nothing but its folder.
void prepareRun(const Job& job, bool startOver)
{
    std::error_code ec;
    const RunDirectory run(job.folder);
    const bool isStored = fs::exists(run.runFile(), ec);
    Json stored = isStored ? run.readRun() : Json();
    // A run that has begun keeps its origin, whatever became of the run that it went on from.
    const bool hasBegun = !startOver && stored.is_object() && stored.contains("initial") && run.newestCheckpoint();
    Json json = preparedRunJson(job.id(), job.spec, hasBegun ? stored.at("initial") : continuationFromRun(job.from, job.spec, job.folder));
    fs::create_directories(job.folder, ec);
    if (ec)
        throw Error(ErrorKind::Resource, job.folder.string() + ": cannot be made (" + ec.message() + ").", {job.folder.string(), "", ec.message(), "a folder that can be written"});
    if (isStored) {
        if (stored.is_object() && stored.contains("spec") && stored.at("spec") == json.at("spec") && stored.value("initial", Json()) == json.value("initial", Json()))
            return;
        if (stored.is_object())
            for (auto& [key, value] : json.items())
                stored[key] = value;
        json = std::move(stored);
    }
    writeFileAtomic(run.runFile(), dumpPretty(json));
}

// Loss of the newest step row; nothing if there is none.
std::optional<double> trainLoss(const RunDirectory& run)
{
    std::optional<double> loss;
    LineTail tail(run.eventsFile());
    for (auto lines = tail.poll(); !lines.empty(); lines = tail.poll())
        for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
            if (line->find("\"type\":\"step\"") == std::string::npos)
                continue;
            try {
                loss = toDouble(parseJson(*line, run.eventsFile().string()).at("loss"), "loss");
                break;
            } catch (const std::exception&) {
                continue;
            }
        }
    return loss;
}

// Mean loss on validation text at the longest scored length within the training context, or at the shortest if all lie beyond it.
Json validationLoss(const Json& evals, std::int64_t context)
{
    if (!evals.contains("perplexity"))
        return nullptr;
    Json loss = nullptr;
    std::int64_t best = 0;
    for (const Json& row : evals.at("perplexity").value("rows", Json::array())) {
        const std::int64_t length = row.value("length", std::int64_t(0));
        if (!row.contains("nll") || row.at("nll").is_null())
            continue;
        if (loss.is_null() || (length <= context ? length > best || best > context : length < best)) {
            best = length;
            loss = row.at("nll");
        }
    }
    return loss;
}

struct Outcome {
    int code = 0;
    std::string message;
};

Json resultOf(const Job& job, const Outcome& outcome)
{
    const RunDirectory run(job.folder);
    const auto newest = run.newestCheckpoint();
    const auto exit = run.readExit();
    const std::int64_t step = exit ? exit->step : newest ? newest->step : 0;
    std::int64_t tokens = exit ? exit->tokens : 0;
    const Json evals = evaluationsAt(run, config::totalSteps(job.spec));
    const auto loss = trainLoss(run);
    return {{"run", job.id()}, {"arm", job.spec.arm}, {"seed", job.spec.seed}, {"class", className(outcome.code)}, {"exit", outcome.code}, {"step", step}, {"tokens", tokens},
        {"train_loss", loss ? number(*loss) : Json()}, {"val_loss", validationLoss(evals, job.spec.model.context)}, {"evals", evals}, {"message", outcome.message}};
}

struct Running {
    std::size_t job;
    ChildProcess child;
};

// Waits for the others, who only write a small file.
FileLock acquirePatiently(const fs::path& file)
{
    for (int attempt = 0;; ++attempt) {
        try {
            return FileLock::acquire(file);
        } catch (const Error& e) {
            if (e.kind() != ErrorKind::Busy || attempt == kLockAttempts)
                throw;
        }
        std::this_thread::sleep_for(kPollInterval);
    }
}

class Batch {
public:
    explicit Batch(const BatchOptions& options)
        : m_options(options)
        , m_jobs(listJobs(options))
        , m_outcomes(m_jobs.size())
        , m_waiting(m_jobs.size())
    {
        std::iota(m_waiting.begin(), m_waiting.end(), std::size_t(0));
    }

    BatchOutcome run()
    {
        // Tasks of a Slurm array share a project and run at the same time; each run's own lock keeps them apart.
        const bool shared = m_options.index >= 0;
        for (const Job& job : m_jobs)
            if (!m_locks.contains(job.project))
                m_locks.emplace(job.project, shared ? FileLock() : FileLock::acquire(job.project / ".lock"));
        checkAny();
        installStopSignals();
        m_lastSaid = Clock::now();
        while (m_waiting.size() > 0 || !m_running.empty()) {
            if (stopRequested())
                passOnStop();
            while (!stopRequested() && int(m_running.size()) < std::max(1, m_options.jobs)) {
                const auto next = std::find_if(m_waiting.begin(), m_waiting.end(), [this](std::size_t index) { return !waitsForAnother(index); });
                if (next == m_waiting.end())
                    break;
                const std::size_t index = *next;
                m_waiting.erase(next);
                start(index);
            }
            if (stopRequested() && m_running.empty())
                break;
            collect();
            show();
            if (!m_running.empty())
                std::this_thread::sleep_for(kPollInterval);
        }
        return conclude();
    }

private:
    // Nothing is begun where no run can be: the first reason is thrown. A run that alone cannot be leaves the others to their work.
    void checkAny() const
    {
        std::optional<Error> first;
        std::set<std::string> seen;
        for (const Job& job : m_jobs) {
            const bool isMissing = m_options.startOver || !isFinished(job, m_options);
            if (!isMissing || !seen.insert(job.project.string() + "\n" + join(job.spec.data.source, "\n") + "\n" + std::to_string(job.spec.model.vocab)).second)
                continue;
            try {
                checkInputs(job.spec, job.project);
                return;
            } catch (const Error& error) {
                if (!first)
                    first = error;
            }
        }
        if (first)
            throw *first;
    }

    // The run that it goes on from is still to come or under way.
    bool waitsForAnother(std::size_t index) const
    {
        const Job& job = m_jobs[index];
        for (std::size_t i = 0; i < m_jobs.size(); ++i)
            if (m_jobs[i].project == job.project && m_jobs[i].id() == job.from && !m_outcomes[i])
                return true;
        return false;
    }

    void start(std::size_t index)
    {
        const Job& job = m_jobs[index];
        try {
            if (!m_options.startOver && isFinished(job, m_options)) {
                m_outcomes[index] = Outcome{0, "Was done."};
                return;
            }
            prepareRun(job, m_options.startOver);
            const int threads = m_options.threads > 0 ? m_options.threads : m_options.jobs > 1 ? std::max(1, availableCores() / m_options.jobs) : 0;
            std::vector<std::string> command = {m_options.executable.string(), "train", "--run", job.folder.string(), "--device", m_options.device};
            if (threads > 0)
                command.insert(command.end(), {"--threads", std::to_string(threads)});
            if (m_options.stopAt >= 0)
                command.insert(command.end(), {"--stop-at", std::to_string(m_options.stopAt)});
            if (m_options.startOver)
                command.insert(command.end(), {"--resume", "no"});
            m_running.push_back({index, ChildProcess(command, RunDirectory(job.folder).logFile())});
        } catch (const Error& error) {
            // A batch that stops early leaves what goes on from its runs for later.
            const bool comesLater = m_options.stopAt >= 0 && error.place().field == "from";
            end(index, {comesLater ? 0 : exitCode(error.kind()), error.what()});
        }
    }

    void passOnStop()
    {
        if (m_stopPassedOn)
            return;
        m_stopPassedOn = true;
        for (const Running& running : m_running)
            running.child.signal(SIGTERM);
    }

    void collect()
    {
        for (auto it = m_running.begin(); it != m_running.end();) {
            const auto code = it->child.poll();
            if (!code) {
                ++it;
                continue;
            }
            end(it->job, outcomeOf(m_jobs[it->job], *code));
            it = m_running.erase(it);
        }
    }

    static Outcome outcomeOf(const Job& job, int code)
    {
        const auto exit = RunDirectory(job.folder).readExit();
        if (exit && exit->code == code)
            return {code, exit->message};
        for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1})
            if (code == 128 + number)
                return {exitCode(ErrorKind::Interrupted), job.id() + ": stopped before it began."};
        if (code > 128)
            return {exitCode(ErrorKind::Internal), job.id() + ": the worker died of signal " + std::to_string(code - 128) + "; see worker.log."};
        return {code, job.id() + ": the worker left with code " + std::to_string(code) + "; see worker.log."};
    }

    void end(std::size_t index, Outcome outcome)
    {
        const Job& job = m_jobs[index];
        if (m_options.say)
            m_options.say(job.id() + ": " + std::string(className(outcome.code)) + (outcome.message.empty() || outcome.code == 0 ? "." : ". " + outcome.message));
        m_outcomes[index] = std::move(outcome);
        writeResults();
    }

    std::string status() const
    {
        std::string text = std::to_string(std::count_if(m_outcomes.begin(), m_outcomes.end(), [](const auto& o) { return o.has_value(); })) + "/" + std::to_string(m_jobs.size()) + " runs";
        for (const Running& running : m_running) {
            const Job& job = m_jobs[running.job];
            const auto heartbeat = RunDirectory(job.folder).readHeartbeat();
            text += " | " + job.id() + " step " + std::to_string(heartbeat ? heartbeat->step : 0) + "/" + std::to_string(goalOf(job, m_options));
        }
        return text;
    }

    void show()
    {
        if (m_options.bar)
            m_options.bar(status());
        if (m_options.say && !m_options.bar && Clock::now() - m_lastSaid >= kSayInterval) {
            m_lastSaid = Clock::now();
            m_options.say(status());
        }
    }

    Outcome outcome(std::size_t index) const { return m_outcomes[index].value_or(Outcome{exitCode(ErrorKind::Interrupted), "Not started."}); }

    Json results(const fs::path* project) const
    {
        Json rows = Json::array();
        for (std::size_t i = 0; i < m_jobs.size(); ++i)
            if (!project || m_jobs[i].project == *project)
                rows.push_back(resultOf(m_jobs[i], outcome(i)));
        return {{"format", kBatchFormat}, {"results", std::move(rows)}};
    }

    void writeResults() const
    {
        for (const auto& [project, lock] : m_locks) {
            const fs::path file = project / "batch-result.json";
            if (lock.isHeld()) {
                writeFileAtomic(file, dumpPretty(results(&project)));
                continue;
            }
            const FileLock turn = acquirePatiently(project / ".batch-result.lock");
            writeFileAtomic(file, dumpPretty(mergedResults(file, project)));
        }
    }

    // Rows of this task in place among those that other tasks have written, in the order of the project's list.
    Json mergedResults(const fs::path& file, const fs::path& project) const
    {
        std::map<std::string, Json> rows;
        try {
            const Json before = readJsonFile(file);
            for (const Json& row : before.at("results"))
                rows[row.at("run").get<std::string>()] = row;
        } catch (const std::exception&) {
            rows.clear();  // none yet, or not one of ours
        }
        Json document = results(&project);
        for (const Json& row : document.at("results"))
            rows[row.at("run").get<std::string>()] = row;
        BatchOptions all = m_options;
        all.projects = {project};
        all.arm.clear();
        all.seed = -1;
        all.index = -1;
        Json merged = Json::array();
        for (const Job& job : listJobs(all))
            if (const auto row = rows.find(job.id()); row != rows.end())
                merged.push_back(row->second);
        document["results"] = std::move(merged);
        return document;
    }

    BatchOutcome conclude() const
    {
        writeResults();
        std::set<int> codes;
        for (std::size_t i = 0; i < m_jobs.size(); ++i)
            codes.insert(outcome(i).code);
        BatchOutcome result{results(nullptr), codes.empty() ? 0 : *codes.begin()};
        if (stopRequested())
            result.code = exitCode(ErrorKind::Interrupted);
        else if (codes.size() > 1)
            result.code = exitCode(ErrorKind::Partial);
        return result;
    }

    const BatchOptions& m_options;
    std::vector<Job> m_jobs;
    std::vector<std::optional<Outcome>> m_outcomes;
    std::map<fs::path, FileLock> m_locks;
    std::vector<std::size_t> m_waiting;  // in order
    std::vector<Running> m_running;
    bool m_stopPassedOn = false;
    Clock::time_point m_lastSaid;
};

[[noreturn]] void refuseName(const fs::path& file, const std::string& field, const std::string& found, const std::vector<std::string>& names)
{
    throw Error(ErrorKind::Usage, file.string() + ": has no " + field + " \"" + found + "\"; " + suggestion(found, names), {file.string(), field, found, join(names, ", ")});
}

}  // namespace

std::vector<Job> listJobs(const BatchOptions& options)
{
    std::vector<Job> jobs;
    for (const fs::path& path : options.projects) {
        const config::Project project = config::readProject(path, options.parameters);
        const fs::path file = fs::absolute(config::projectFile(path)).lexically_normal();
        if (project.arms.empty() || project.seeds.empty())
            throw Error(ErrorKind::Usage, file.string() + ": " + (project.arms.empty() ? "arms" : "seeds") + " is empty; allowed: at least one.",
                {file.string(), project.arms.empty() ? "arms" : "seeds", "[]", "at least one"});
        std::vector<std::string> arms, seeds;
        for (const auto& arm : project.arms)
            arms.push_back(arm.name);
        for (const auto seed : project.seeds)
            seeds.push_back(std::to_string(seed));
        if (!options.arm.empty() && std::find(arms.begin(), arms.end(), options.arm) == arms.end())
            refuseName(file, "arm", options.arm, arms);
        if (options.seed >= 0 && std::find(project.seeds.begin(), project.seeds.end(), options.seed) == project.seeds.end())
            refuseName(file, "seed", std::to_string(options.seed), seeds);
        for (config::PlannedRun& planned : config::plannedRuns(project))
            jobs.push_back({file.parent_path(), file.parent_path() / "runs" / planned.id, std::move(planned.spec), std::move(planned.from)});
    }
    if (options.index >= 0) {
        if (options.index >= std::int64_t(jobs.size()))
            throw Error(ErrorKind::Usage, "--index is " + std::to_string(options.index) + "; allowed: 0 to " + std::to_string(jobs.size() - 1) + ".",
                {"", "--index", std::to_string(options.index), "0 to " + std::to_string(jobs.size() - 1)});
        jobs = {jobs[std::size_t(options.index)]};
    }
    std::erase_if(jobs, [&](const Job& job) { return (!options.arm.empty() && job.spec.arm != options.arm) || (options.seed >= 0 && job.spec.seed != options.seed); });
    return jobs;
}

Json describeJobs(const std::vector<Job>& jobs)
{
    Json rows = Json::array();
    for (const Job& job : jobs) {
        const RunDirectory run(job.folder);
        const auto newest = run.newestCheckpoint();
        rows.push_back({{"index", rows.size()}, {"run", job.id()}, {"arm", job.spec.arm}, {"seed", job.spec.seed}, {"state", stateName(run.state())}, {"step", newest ? newest->step : 0},
            {"steps", config::totalSteps(job.spec)}});
    }
    return {{"format", kBatchFormat}, {"runs", std::move(rows)}};
}

BatchOutcome runBatch(const BatchOptions& options) { return Batch(options).run(); }

}  // namespace holo::run
