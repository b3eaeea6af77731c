#include "core/bench/row.h"

#include <cmath>
#include <utility>

#include "core/base/text.h"

namespace holo::bench {

namespace {

template <class T>
Json orNull(const std::optional<T>& value)
{
    return value ? Json(*value) : Json();
}

Json textOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string Goal::text() const
{
    if (kind == Kind::None)
        return {};
    return (kind == Kind::AtLeast ? ">= " : "<= ") + formatDouble(limit);
}

Row skipped(std::string name, std::string variant, std::string device, std::string why)
{
    Row row;
    row.name = std::move(name);
    row.variant = std::move(variant);
    row.value = std::nan("");
    row.device = std::move(device);
    row.note = "skipped, " + std::move(why);
    return row;
}

Row valueRow(std::string name, std::string variant, double value, std::string unit, Goal goal, std::string device)
{
    Row row;
    row.name = std::move(name);
    row.variant = std::move(variant);
    row.value = value;
    row.unit = std::move(unit);
    row.goal = goal;
    row.device = std::move(device);
    if (goal.kind != Goal::Kind::None)
        row.pass = goal.meets(value);
    return row;
}

Row ratioRow(std::string name, std::string variant, double value, double reference, std::string unit, Goal goal, std::string device, std::string note)
{
    Row row = valueRow(std::move(name), std::move(variant), value, std::move(unit), goal, std::move(device));
    row.reference = reference;
    row.ratio = value / reference;
    row.note = std::move(note);
    if (goal.kind != Goal::Kind::None)
        row.pass = goal.meets(*row.ratio);
    return row;
}

Json toJson(const Row& row)
{
    const auto numberOrNull = [](const std::optional<double>& x) { return x ? number(*x) : Json(); };
    Json json = {{"name", row.name},
                 {"variant", row.variant},
                 {"value", std::isnan(row.value) && !row.pass ? Json() : number(row.value)},
                 {"unit", textOrNull(row.unit)},
                 {"reference", numberOrNull(row.reference)},
                 {"ratio", numberOrNull(row.ratio)},
                 {"goal", textOrNull(row.goal.text())},
                 {"pass", orNull(row.pass)},
                 {"device", row.device},
                 {"note", textOrNull(row.note)}};
    json.update(row.details);
    return json;
}

Json toJson(const std::vector<Row>& rows)
{
    Json list = Json::array();
    for (const Row& row : rows)
        list.push_back(toJson(row));
    return list;
}

bool anyFailed(const std::vector<Row>& rows)
{
    for (const Row& row : rows)
        if (row.pass && !*row.pass)
            return true;
    return false;
}

}  // namespace holo::bench
