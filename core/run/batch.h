#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/project.h"

namespace holo::run {

struct BatchOptions {
    std::vector<std::filesystem::path> projects;
    std::vector<config::Parameter> parameters;
    std::string arm;                 // empty: all
    std::int64_t seed = -1;          // −1: all
    std::int64_t index = -1;         // −1: all; otherwise the one run of this number over arms × seeds (and projects), from 0
    int jobs = 1;                    // processes at once
    int threads = 0;                 // of each; 0: cores / jobs
    std::int64_t stopAt = -1;
    bool startOver = false;
    std::string device = "auto";
    std::filesystem::path executable;  // this program
    std::function<void(const std::string&)> say;  // a line for people, once a minute and at each end
    std::function<void(const std::string&)> bar;  // the progress line of a terminal, rewritten; none: no terminal
};

// One run of the list.
struct Job {
    std::filesystem::path project;  // folder
    std::filesystem::path folder;
    config::RunSpec spec;
    std::string from;               // id of the run beside it whose weights it goes on from; empty: trained from the start
    std::string id() const { return folder.filename().string(); }
};

// Reads and checks all projects and lists their runs in order: arm by arm, seeds rising within. Throws Error: usage for an unknown arm, seed
// or index, or a project without arms or seeds.
std::vector<Job> listJobs(const BatchOptions& options);

// {format, runs: [{index, run, arm, seed, state, step, steps}]}
Json describeJobs(const std::vector<Job>& jobs);

struct BatchOutcome {
    Json document;  // {format, results: […]}
    int code = 0;   // what all jobs share, 8 if they differ, 75 after an interruption
};

// Runs what is missing, each job in a process of its own; resumes what was interrupted, passes over what is done, goes on after a failure.
// Writes batch-result.json into each project folder. Holds <project>/.lock meanwhile; throws Error (busy) if another batch has it. With an
// index, several may share a project (tasks of a Slurm array): only the run is locked, and rows are put among those already written.
BatchOutcome runBatch(const BatchOptions& options);

}  // namespace holo::run
