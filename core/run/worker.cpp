#include "core/run/worker.h"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include <ATen/Parallel.h>

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/interop/safetensors.h"
#include "core/nn/transformer.h"
#include "core/ops/device.h"
#include "core/run/control.h"
#include "core/run/event_log.h"
#include "core/run/heartbeat.h"
#include "core/run/machine.h"
#include "core/run/preflight.h"
#include "core/run/run_evaluation.h"
#include "core/run/run_record.h"
#include "core/run/stop_signals.h"
#include "core/train/trainer.h"

namespace holo::run {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// One worker's life, in the order of its methods.
class Worker {
public:
    explicit Worker(const WorkerOptions& options)
        : m_options(options)
        , m_run(options.folder)
        , m_spec(options.spec)
    {
    }

    Exit run()
    {
        Exit exit;
        try {
            open();
            loop();
            finish(exit);
        } catch (...) {
            const Error error = m_options.translate(std::current_exception());
            exit.code = exitCode(error.kind());
            exit.message = error.what();
            afterError(error, exit);
        }
        exit.className = className(exit.code);
        if (m_trainer) {
            exit.step = m_trainer->state().step;
            exit.tokens = m_trainer->state().tokens;
        }
        return exit;
    }

private:
    void open()
    {
        std::optional<StoredRun> stored;
        std::error_code ec;
        if (fs::exists(m_run.runFile(), ec))
            stored = readStoredRun(m_run);
        const Json initial = stored ? stored->initial : m_options.initial;
        const auto notes = prepareCheckpoints();
        const at::Device device = ops::selectDevice(m_options.device);
        at::set_num_threads(threadsFor(m_options.threads > 0 || !stored ? m_options.threads : stored->threads));
        if (openMpLibraries().size() > 1)
            logWarning("run", "two OpenMP libraries are loaded: " + join(openMpLibraries(), ", ") + ".");

        m_corpus = data::openCorpus(m_spec.data, m_spec.model.context, m_options.project, m_options.project / "data", [this](double share) { report("prepare data", share); });
        if (stored && !stored->dataHash.empty() && stored->dataHash != m_corpus->hash())
            throw Error(ErrorKind::Malformed, m_run.id() + ": the data have changed since the run began (hash " + m_corpus->hash() + ", it was " + stored->dataHash + ").",
                {m_run.folder().string(), "data.hash", m_corpus->hash(), stored->dataHash});
        const config::ModelSpec model = config::resolved(m_spec.model, m_corpus->vocabulary());
        checkVocabulary(model.vocab, m_corpus->vocabulary());
        const ladder::Plan plan = ladder::resolve(m_spec.scheme, config::modelShape(model, m_spec.seed));
        train::checkFreeSpace(m_run.folder(), config::checkpointBytes(model), m_spec.train.keep);

        m_model = std::make_unique<nn::Transformer>(model, plan, std::uint64_t(m_spec.seed), device);
        m_trainer = std::make_unique<train::Trainer>(m_spec, *m_model, *m_corpus);
        std::string precisionNote;
        if (m_resumeFrom) {
            m_trainer->restore(m_resumeFrom->folder);
            precisionNote = "Precision " + m_trainer->state().precision + ", as the run began.";
        } else {
            loadInitial(initial);
            precisionNote = m_trainer->setPrecision(m_spec.train.precision);
        }

        RunRecord record;
        record.run = m_run.id();
        record.spec = m_spec;
        record.model = model;
        record.plan = &plan;
        record.corpus = m_corpus.get();
        record.argv = m_options.argv;
        record.revision = m_options.revision;
        record.device = ops::deviceText(device);
        record.precision = m_trainer->state().precision;
        record.precisionNote = precisionNote;
        record.threads = at::get_num_threads();
        record.initial = initial;
        writeFileAtomic(m_run.runFile(), dumpPretty(runRecordJson(record)));

        m_header.run = m_run.id();
        m_header.vocab = model.vocab;
        m_header.dataHash = m_corpus->hash();
        m_header.spec = m_spec;
        m_header.initial = initial;
        // The weights do not depend on these, so the files must not either.
        const std::int64_t every = m_spec.eval.every;
        m_header.spec.eval = config::EvalSpec();
        m_header.spec.eval.every = every;
        m_header.spec.train.keep = config::TrainSpec().keep;
        for (const auto& ladder : plan.ladders)
            m_header.ladders.push_back({ladder.name, ladder.parameters, ladder.hash});

        const std::int64_t from = m_trainer->state().step;
        Json start = {{"run", m_run.id()}, {"arm", m_spec.arm}, {"seed", m_spec.seed}, {"from_step", from}, {"steps", m_trainer->totalSteps()}, {"threads", at::get_num_threads()},
            {"precision", m_trainer->state().precision}, {"revision", m_options.revision}};
        m_events = std::make_unique<EventLog>(m_run.eventsFile(), start);
        for (const std::string& note : notes) {
            m_events->note(note, from);
            logInfo("run", note);
        }
        if (m_resumeFrom)
            logInfo("run", m_run.id() + ": resumes after step " + std::to_string(from) + ".");
        logInfo("run", precisionNote);
        m_heartbeat = std::make_unique<HeartbeatWriter>(m_run, from);
        m_control = readControl(m_run.controlFile());
        m_metCheckpoint = m_control.checkpoint;  // requests of the past were for the past
        m_metEvaluate = m_control.evaluate;
    }

    // What is on disk from earlier attempts; one sentence for each thing removed or passed over.
    std::vector<std::string> prepareCheckpoints()
    {
        std::error_code ec;
        fs::remove(m_run.exitFile(), ec);
        if (m_options.startOver)
            fs::remove_all(m_run.checkpointsFolder(), ec);
        std::vector<std::string> notes = train::removeLeftovers(m_run.checkpointsFolder());
        m_resumeFrom = m_run.newestCheckpoint(true, &notes);
        return notes;
    }

    void loadInitial(const Json& initial)
    {
        if (initial.is_null())
            return;
        fs::path file = initial.at("checkpoint").get<std::string>();
        if (file.is_relative())
            file = m_run.folder() / file;
        if (const std::string hash = sha256OfFile(file); hash != initial.at("sha256").get<std::string>())
            throw Error(ErrorKind::Malformed, file.string() + ": is not the checkpoint that this run continues (SHA-256 " + hash + ").", {file.string(), "sha256", hash, initial.at("sha256").get<std::string>()});
        train::loadWeights(interop::SafetensorsFile::open(file), *m_model);
    }

    std::int64_t lastStep() const
    {
        std::int64_t last = m_trainer->totalSteps();
        for (const std::int64_t limit : {m_options.stopAt, m_control.stopAt})
            if (limit >= 0)
                last = std::min(last, limit);
        return last;
    }

    void loop()
    {
        const config::TrainSpec& train = m_spec.train;
        while (m_trainer->state().step < lastStep()) {
            if (stopRequested())
                return;
            obeyControl();
            if (m_trainer->state().step >= lastStep() || stopRequested())
                continue;
            const auto begin = Clock::now();
            const train::StepResult result = m_trainer->step();
            const double seconds = secondsSince(begin);
            m_trainer->addActiveSeconds(seconds);
            m_heartbeat->setStep(result.step);
            record(result, seconds);
            if (train.checkpointEvery > 0 && result.step % train.checkpointEvery == 0)
                save();
            if (m_spec.eval.every > 0 && result.step % m_spec.eval.every == 0 && !m_trainer->done())
                evaluate(true);
        }
    }

    void record(const train::StepResult& result, double seconds)
    {
        const double speed = double(result.tokens) / double(result.step) / seconds;
        if (result.step % m_spec.train.logEvery == 0 || !result.skipped.empty() || m_trainer->done())
            m_events->step({result.step, result.tokens, result.loss, result.gradNorm, result.learningRate, m_trainer->state().activeSeconds, speed, result.skipped});
        if (!result.skipped.empty())
            logWarning("train", "step " + std::to_string(result.step) + " changed nothing: " + result.skipped + ".");
        if (m_options.progress)
            m_options.progress({result.step, m_trainer->totalSteps(), result.loss, speed, "train", double(result.step) / double(std::max<std::int64_t>(1, m_trainer->totalSteps()))});
    }

    void report(const std::string& phase, double share)
    {
        if (m_options.progress)
            m_options.progress({m_trainer ? m_trainer->state().step : 0, config::totalSteps(m_spec), 0, 0, phase, share});
    }

    void obeyControl()
    {
        if (secondsSince(m_lastControl) < 0.05)
            return;
        m_lastControl = Clock::now();
        m_control = readControl(m_run.controlFile());
        if (m_control.pause) {
            m_events->note("paused", m_trainer->state().step);
            m_heartbeat->setPaused(true);
            while (m_control.pause && !stopRequested()) {
                meetRequests();
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
                m_control = readControl(m_run.controlFile());
            }
            m_heartbeat->setPaused(false);
            m_events->note("resumed", m_trainer->state().step);
        }
        meetRequests();
    }

    void meetRequests()
    {
        if (m_control.checkpoint > m_metCheckpoint) {
            m_metCheckpoint = m_control.checkpoint;
            save();
        }
        if (m_control.evaluate > m_metEvaluate) {
            m_metEvaluate = m_control.evaluate;
            evaluate(true);
        }
    }

    void save()
    {
        const auto begin = Clock::now();
        const std::int64_t step = m_trainer->state().step;
        if (m_savedStep == step)
            return;
        const auto saved = m_trainer->save(m_run.checkpointsFolder(), m_header);
        m_savedStep = step;
        m_events->checkpoint(step, "checkpoints/" + saved.folder.filename().string(), saved.modelSha256, secondsSince(begin));
    }

    void evaluate(bool duringTraining)
    {
        EvaluationRequest request;
        request.spec = &m_spec;
        request.project = m_options.project;
        request.step = m_trainer->state().step;
        request.tokens = m_trainer->state().tokens;
        request.duringTraining = duringTraining;
        request.progress = m_options.progress;
        try {
            evaluateRun(m_run, *m_model, *m_corpus, request, *m_events);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Interrupted)
                throw;
        }
    }

    void finish(Exit& exit)
    {
        if (m_trainer->state().step > 0 || m_trainer->done())
            save();
        const bool orderly = !stopRequested();
        if (orderly && m_trainer->done() && m_options.evaluate && m_options.stopAt < 0)
            evaluate(false);
        if (stopRequested()) {
            exit.code = exitCode(ErrorKind::Interrupted);
            exit.message = "Stopped by signal " + std::to_string(stopSignal()) + " after step " + std::to_string(m_trainer->state().step) + "; the run can be resumed.";
        } else if (m_trainer->done()) {
            exit.message = "Done.";
        } else {
            exit.message = "Stopped as asked after step " + std::to_string(m_trainer->state().step) + "; the run can be resumed.";
        }
    }

    // Leaves what can be left: the reason in the log, and after a numeric stop the good weights of the step before.
    void afterError(const Error& error, Exit& exit)
    {
        try {
            if (m_events)
                m_events->note(error.what(), m_trainer->state().step);
            if (m_events && error.kind() == ErrorKind::Numeric && m_trainer->state().step > 0)
                save();
        } catch (const std::exception& second) {
            logWarning("run", std::string("after an error: ") + second.what());
        }
        if (error.kind() == ErrorKind::Interrupted && exit.message.empty())
            exit.message = "Stopped.";
    }

    const WorkerOptions& m_options;
    RunDirectory m_run;
    config::RunSpec m_spec;
    std::optional<CheckpointEntry> m_resumeFrom;
    std::unique_ptr<data::Corpus> m_corpus;
    std::unique_ptr<nn::Transformer> m_model;
    std::unique_ptr<train::Trainer> m_trainer;
    std::unique_ptr<EventLog> m_events;
    std::unique_ptr<HeartbeatWriter> m_heartbeat;
    CheckpointHeader m_header;
    Control m_control;
    std::int64_t m_metCheckpoint = 0;
    std::int64_t m_metEvaluate = 0;
    std::int64_t m_savedStep = -1;
    Clock::time_point m_lastControl{};
};

}  // namespace

Exit runWorker(const WorkerOptions& options)
{
    const RunDirectory run(options.folder);
    std::error_code ec;
    fs::create_directories(run.folder(), ec);
    if (ec)
        throw Error(ErrorKind::Resource, run.folder().string() + ": cannot be made (" + ec.message() + ").", {run.folder().string(), "", ec.message(), "a folder that can be written"});
    const FileLock lock = FileLock::acquire(run.folder() / ".lock");
    installStopSignals();
    Exit exit = [&] {
        Worker worker(options);
        return worker.run();
    }();
    try {
        run.writeExit(exit);
    } catch (const Error& error) {
        logWarning("run", error.what());
    }
    return exit;
}

}  // namespace holo::run
