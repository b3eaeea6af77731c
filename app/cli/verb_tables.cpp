#include <algorithm>

#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/config/scheme_json.h"
#include "core/ladder/phase_table.h"

namespace holo::cli {

namespace {

constexpr std::int64_t kMostEntries = 50'000'000;

struct TablesOptions {
    SchemeOptions scheme;
    std::vector<std::int64_t> positions;
    std::int64_t length = 0;
};

Json rows(const ladder::PhaseTable& table, const std::vector<float>& values)
{
    Json list = Json::array();
    for (std::int64_t p = 0; p < table.positions; ++p) {
        Json row = Json::array();
        for (int plane = 0; plane < table.planes; ++plane)
            row.push_back(number(values[std::size_t(p * table.planes + plane)]));
        list.push_back(std::move(row));
    }
    return list;
}

Output tables(const TablesOptions& options)
{
    const ladder::Scheme scheme = config::parseScheme(options.scheme.scheme);
    const ladder::Plan plan = ladder::resolve(scheme, options.scheme.shape());
    const std::int64_t largest = *std::max_element(options.positions.begin(), options.positions.end());
    const std::int64_t length = options.length > 0 ? options.length : std::max(options.scheme.context, largest + 1);
    if (std::int64_t(options.positions.size()) * std::int64_t(plan.ladders.size()) * (plan.shape.rotaryDim / 2) > kMostEntries)
        throw Error::at(ErrorKind::Usage, {"", "--positions", std::to_string(options.positions.size()) + " positions", "at most " + std::to_string(kMostEntries) + " entries in all"});

    Json document = {{"format", 1}, {"scheme", config::toJson(config::resolvedScheme(scheme, plan.shape))}, {"positions", options.positions}, {"length", length}};
    Json names = Json::array();
    for (const char* key : {"cos", "sin"})
        document[key] = Json::array();
    if (plan.separateKeyTables())
        for (const char* key : {"key_cos", "key_sin"})
            document[key] = Json::array();
    TextTable text({"ladder", "position", "plane", "cos", "sin"});
    for (const ladder::Ladder& ladder : plan.ladders) {
        names.push_back(ladder.name);
        const ladder::PhaseTable table = ladder::phaseTableAt(ladder, options.positions, length);
        document["cos"].push_back(rows(table, table.cos));
        document["sin"].push_back(rows(table, table.sin));
        if (plan.separateKeyTables()) {
            const ladder::PhaseTable keys = ladder::phaseTableAt(ladder, options.positions, length, ladder::Side::Key);
            document["key_cos"].push_back(rows(keys, keys.cos));
            document["key_sin"].push_back(rows(keys, keys.sin));
        }
        for (std::int64_t p = 0; p < table.positions; ++p)
            for (int plane = 0; plane < table.planes; ++plane) {
                const std::size_t at = std::size_t(p * table.planes + plane);
                text.add({ladder.name, std::to_string(options.positions[std::size_t(p)]), std::to_string(plane), shortNumber(table.cos[at], 8), shortNumber(table.sin[at], 8)});
            }
    }
    document["ladders"] = std::move(names);
    return {std::move(document), text.text()};
}

}  // namespace

void addTablesVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<TablesOptions>();
    CLI::App* verb = addVerb(app, context, "tables", "phase tables of a positional scheme (float32, built in float64)",
                             "holonomy tables fope:gain=0.3 --head-dim 64 --context 512 --positions 0,1,5,63 --json", [options] { return tables(*options); });
    addScheme(verb, options->scheme);
    addIntegers(verb, "--positions", options->positions, "positions, also negative")->required();
    addInteger(verb, "--length", options->length, "final length of the sequence, where the tables depend on it", 1);
}

}  // namespace holo::cli
