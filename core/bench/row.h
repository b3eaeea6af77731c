#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace holo::bench {

// A limit on a row's ratio (or on its value, where it has no ratio).
struct Goal {
    enum class Kind { None, AtLeast, AtMost };
    Kind kind = Kind::None;
    double limit = 0;

    bool meets(double x) const { return kind == Kind::AtLeast ? x >= limit : kind == Kind::AtMost ? x <= limit : true; }
    std::string text() const;  // ">= 1.15"; empty for None
};
inline Goal atLeast(double limit) { return {Goal::Kind::AtLeast, limit}; }
inline Goal atMost(double limit) { return {Goal::Kind::AtMost, limit}; }

// One result of a self-test or benchmark.
struct Row {
    std::string name;     // what is measured; goals of the engine's specification lead ("R1 rotary forward / copy")
    std::string variant;  // shape, type, path
    double value = 0;
    std::string unit;
    std::optional<double> reference;  // of what it is compared with, in the same unit
    std::optional<double> ratio;      // value / reference
    Goal goal;
    std::optional<bool> pass;         // nothing: not measured here, or no goal
    std::string device;
    std::string note;                 // what the reference is, why a row was skipped
    Json details = Json::object();    // spread of timings, histogram, …: further fields of the row
};

// A row without its device, processor feature or part.
Row skipped(std::string name, std::string variant, std::string device, std::string why);
// A value judged by itself.
Row valueRow(std::string name, std::string variant, double value, std::string unit, Goal goal, std::string device);
// A value beside a reference in the same unit; ratio = value / reference is what is judged.
Row ratioRow(std::string name, std::string variant, double value, double reference, std::string unit, Goal goal, std::string device, std::string note);

// {name, variant, value, unit, reference, ratio, goal, pass, device, note, …details}; what there is not is null.
Json toJson(const Row& row);
Json toJson(const std::vector<Row>& rows);
bool anyFailed(const std::vector<Row>& rows);

}  // namespace holo::bench
