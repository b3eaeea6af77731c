#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/origin.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

struct SlurmOptions {
    ProjectOptions project;
    std::int64_t gpus = 0;
    std::int64_t cpus = 4;
    std::int64_t parallel = 0;
    std::string time = "24:00:00";
    std::string memory;
    std::string partition;
    std::string account;
    fs::path out;
};

// A word of a shell command, quoted so that nothing in it is special.
std::string quoted(const std::string& text)
{
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

void refuseLineBreaks(const std::string& option, const std::string& value)
{
    if (value.find_first_of(" \t\r\n") != std::string::npos)
        throw Error::at(ErrorKind::Usage, {"", option, "\"" + value + "\"", "one word"});
}

std::string script(const SlurmOptions& options, const fs::path& folder, std::size_t runs)
{
    const auto directive = [](const std::string& key, const std::string& value) { return value.empty() ? std::string() : "#SBATCH --" + key + "=" + value + "\n"; };
    std::string parameters;
    for (const std::string& parameter : options.project.parameters)
        parameters += " --param " + quoted(parameter);
    std::string text = "#!/bin/bash\n";
    text += directive("job-name", "holonomy");
    text += directive("array", "0-" + std::to_string(runs - 1) + (options.parallel > 0 ? "%" + std::to_string(options.parallel) : ""));
    text += directive("cpus-per-task", std::to_string(options.cpus));
    if (options.gpus > 0)
        text += directive("gpus-per-task", std::to_string(options.gpus)) + directive("ntasks", "1");
    text += directive("time", options.time) + directive("mem", options.memory) + directive("partition", options.partition) + directive("account", options.account);
    text += directive("signal", "B:USR1@120");
    text += "#SBATCH --requeue\n#SBATCH --open-mode=append\n";
    text += directive("output", "slurm-%A_%a.log");
    text += "# One run of the project an array task. Two minutes before the time limit, and at preemption, the run saves a checkpoint and leaves with\n"
            "# exit code 75; the task is then queued again and goes on from there.\n"
            "set -u\n"
            "if [ -z \"${HOLONOMY:-}\" ]; then HOLONOMY=" + quoted(fs::read_symlink("/proc/self/exe").string()) + "; fi\n"
            "PROJECT=" + quoted(fs::absolute(folder).lexically_normal().string()) + "\n"
            "\"$HOLONOMY\" --batch \"$PROJECT\" --index \"$SLURM_ARRAY_TASK_ID\" --threads \"${SLURM_CPUS_PER_TASK:-1}\"" + parameters + " &\n"
            "child=$!\n"
            "signalled=0\n"
            "trap 'signalled=1; kill -USR1 \"$child\" 2>/dev/null' USR1 TERM\n"
            "wait \"$child\"\n"
            "code=$?\n"
            "# A trapped signal ends wait before the run has ended; waiting again gives the code of the run itself.\n"
            "while [ \"$signalled\" -eq 1 ]; do\n"
            "  signalled=0\n"
            "  wait \"$child\"\n"
            "  code=$?\n"
            "done\n"
            "if [ \"$code\" -eq 75 ]; then\n"
            "  scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n"
            "fi\n"
            "exit \"$code\"\n";
    return text;
}

Output writeScript(const SlurmOptions& options)
{
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"--time", options.time}, {"--mem", options.memory}, {"--partition", options.partition}, {"--account", options.account}})
        refuseLineBreaks(name, value);
    const config::Project project = options.project.read();
    const std::vector<config::PlannedRun> planned = config::plannedRuns(project);
    const std::size_t runs = planned.size();
    const fs::path file = config::projectFile(options.project.project);
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    const fs::path out = options.out.empty() ? folder / "slurm.sh" : options.out;
    writeFileAtomic(out, script(options, folder, runs));
    // Tasks of one array do not wait for each other.
    std::vector<std::string> goingOn;
    for (std::size_t i = 0; i < planned.size(); ++i)
        if (!planned[i].from.empty())
            goingOn.push_back(std::to_string(i));
    const std::string note = goingOn.empty() ? "" : "Tasks " + join(goingOn, ",") + " go on from runs of other tasks: submit the others first (sbatch --array), then these.\n";
    fs::permissions(out, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
    return {{{"format", 1}, {"path", out.string()}, {"runs", runs}, {"command", "sbatch " + quoted(out.string())}, {"going_on", goingOn}}, out.string() + "\n" + note};
}

}  // namespace

void addSlurmVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<SlurmOptions>();
    CLI::App* verb = addVerb(app, context, "slurm", "an sbatch array script, one run a task, that resumes after preemption",
                             "holonomy slurm mobius-160m --gpus-per-task 1 --time 12:00:00 --parallel 8 && sbatch mobius-160m/slurm.sh", [options] { return writeScript(*options); });
    addProject(verb, options->project);
    addInteger(verb, "--gpus-per-task", options->gpus, "GPUs of a task");
    addInteger(verb, "--cpus-per-task", options->cpus, "cores of a task", 1);
    addInteger(verb, "--parallel", options->parallel, "most tasks at once (default: no limit)", 1);
    verb->add_option("--time", options->time, "time limit of a task")->capture_default_str();
    verb->add_option("--mem", options->memory, "memory of a task, as 16G");
    verb->add_option("--partition", options->partition, "partition");
    verb->add_option("--account", options->account, "account");
    verb->add_option("--out", options->out, "file of the script (default: PROJECT/slurm.sh)");
}

}  // namespace holo::cli
