#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/result_rows.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/bench/bench.h"
#include "core/bench/environment.h"

namespace holo::cli {

namespace {

using Part = std::vector<bench::Row> (*)(const bench::BenchOptions&);

const std::vector<std::pair<std::string, Part>>& parts()
{
    static const std::vector<std::pair<std::string, Part>> all = {{"rotary", bench::benchRotary}, {"attention", bench::benchAttention}, {"train", bench::benchTrain}, {"eval", bench::benchEval}, {"step", bench::benchStep}, {"eager-step", bench::benchEagerStep}};
    return all;
}

struct Options {
    std::string part = "all";
    std::int64_t threads = 0;
    std::int64_t rounds = 15;
    std::string save;
    bool strict = false;
    bool cpuTime = false;
};

std::vector<bench::Row> measure(const Options& options)
{
    bench::BenchOptions how;
    how.rounds = int(options.rounds);
    if (options.cpuTime)
        how.clock = bench::cpuSeconds;
    std::vector<bench::Row> rows;
    std::vector<std::string> names = {"all"};
    for (const auto& [name, part] : parts()) {
        names.push_back(name);
        if (options.part == name || (options.part == "all" && name != "step" && name != "eager-step"))
            for (bench::Row& row : part(how))
                rows.push_back(std::move(row));
    }
    if (rows.empty())
        throw Error(ErrorKind::Usage, "There is no benchmark \"" + options.part + "\"; " + suggestion(options.part, names), {"", "bench", options.part, join(names, ", ")});
    return rows;
}

Output bench(const Options& options)
{
    const double load = bench::loadAverage();
    if (load > bench::kQuietLoad) {
        const std::string sentence = "The machine is busy (load " + formatFixed(load, 2) + ", quiet is at most " + formatFixed(bench::kQuietLoad, 1) + ")";
        if (options.strict)
            throw Error(ErrorKind::Busy, sentence + ": nothing was measured.", {"/proc/loadavg", "load", formatFixed(load, 2), "at most " + formatFixed(bench::kQuietLoad, 1)});
        logWarning("bench", sentence + ": ratios hold roughly, absolute figures do not.");
    }
    if (options.cpuTime && options.threads != 1)
        throw Error::at(ErrorKind::Usage, {"", "--threads", std::to_string(options.threads), "1 together with --cpu-time, since threads that wait would count"});
    bench::useThreads(int(options.threads));
    const auto rows = measure(options);
    Json document = {{"format", 1}, {"revision", HOLO_REVISION}, {"device", bench::cpuDevice()}, {"environment", bench::environmentJson()}, {"load_before", number(load)}, {"clock", options.cpuTime ? "cpu" : "wall"}, {"rows", bench::toJson(rows)}};
    if (!options.save.empty())
        AppendFile(options.save).append(dumpLine(document) + "\n");
    return {std::move(document), resultText(rows), options.strict && bench::anyFailed(rows) ? exitCode(ErrorKind::Internal) : 0};
}

}  // namespace

void addBenchVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<Options>();
    CLI::App* verb = addVerb(app, context, "bench", "speed as ratios to copies, stock LibTorch and matrix products", "holonomy bench rotary --threads 2 --save results.jsonl",
                             [options] { return bench(*options); });
    verb->add_option("PART", options->part, "rotary, attention, train, eval or all; step: the training step alone; eager-step: the same in stock LibTorch")->capture_default_str();
    addInteger(verb, "--threads", options->threads, "threads; 0: as many as cores", 0);
    addInteger(verb, "--rounds", options->rounds, "interleaved rounds; every figure is a median over them", 1);
    verb->add_option("--save", options->save, "append the document as one line to a file")->type_name("FILE");
    verb->add_flag("--cpu-time", options->cpuTime, "count the CPU time of one thread in place of the wall clock, for a busy machine");
    verb->add_flag("--strict", options->strict, "refuse on a busy machine; exit 1 if a goal is missed");
}

}  // namespace holo::cli
