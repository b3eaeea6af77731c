#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/config/project.h"
#include "core/ladder/plan.h"

namespace CLI {
class App;
class Option;
}

namespace holo::cli {

// Options whose values are read without any locale; a bad value is Error (usage) that names the option.
CLI::Option* addNumber(CLI::App* verb, const std::string& name, double& value, const std::string& help);
CLI::Option* addInteger(CLI::App* verb, const std::string& name, std::int64_t& value, const std::string& help, std::int64_t minimum = 0);
// "1,2,3" or "A:B" or "A:B:STEP" (both ends included).
CLI::Option* addIntegers(CLI::App* verb, const std::string& name, std::vector<std::int64_t>& values, const std::string& help);
// "0,0.5,1"
CLI::Option* addNumbers(CLI::App* verb, const std::string& name, std::vector<double>& values, const std::string& help);

std::vector<std::int64_t> parseIntegers(const std::string& text, const std::string& option);
std::vector<double> parseNumbers(const std::string& text, const std::string& option);

// SCHEME and the model it meets.
struct SchemeOptions {
    std::string scheme;
    std::int64_t headDim = 64;
    std::int64_t context = 512;
    std::int64_t rotaryDim = 0;  // 0: the whole head
    std::int64_t heads = 1;
    std::int64_t kvHeads = 0;    // 0: as heads
    std::int64_t layers = 1;
    double base = 10000;
    std::int64_t seed = 0;

    ladder::ModelShape shape() const;
    ladder::Plan plan() const;   // throws Error (usage)
};
void addScheme(CLI::App* verb, SchemeOptions& options);

// PROJECT and --param.
struct ProjectOptions {
    std::filesystem::path project;
    std::vector<std::string> parameters;

    config::Project read() const;
};
void addProject(CLI::App* verb, ProjectOptions& options);

// --device, --threads and --precision of the verbs that compute.
struct DeviceOptions {
    std::string device = "auto";     // auto | cpu | cuda:K
    std::int64_t threads = 0;        // 0: as many as cores
    std::string precision = "auto";  // auto | fp32 | bf16
};
void addDevice(CLI::App* verb, DeviceOptions& options);

}  // namespace holo::cli
