#include "app/cli/batch_table.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

#include "app/cli/text_table.h"
#include "core/base/text.h"

namespace holo::cli {

namespace {

constexpr std::size_t kNeedleColumns = 4;

double orMissing(const Json& value) { return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : toDouble(value, "result"); }

std::string fixed(double value, int digits) { return std::isnan(value) ? "–" : std::isinf(value) ? formatDouble(value) : formatFixed(value, digits); }

const Json& rowsOf(const Json& result, const char* protocol, const char* key)
{
    static const Json none = Json::array();
    const Json& evals = result.at("evals");
    return evals.contains(protocol) && evals.at(protocol).contains(key) ? evals.at(protocol).at(key) : none;
}

std::set<std::int64_t> lengthsOf(const Json& results, const char* protocol, const char* key)
{
    std::set<std::int64_t> lengths;
    for (const Json& result : results)
        for (const Json& row : rowsOf(result, protocol, key))
            if (row.contains("length"))
                lengths.insert(row.at("length").get<std::int64_t>());
    return lengths;
}

double valueAt(const Json& rows, std::int64_t length, const char* key)
{
    for (const Json& row : rows)
        if (row.value("length", std::int64_t(-1)) == length)
            return row.contains(key) ? orMissing(row.at(key)) : std::numeric_limits<double>::quiet_NaN();
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string batchTable(const Json& results)
{
    auto needle = lengthsOf(results, "needle", "by_length");
    const bool hasNeedle = !needle.empty();
    if (needle.size() > kNeedleColumns)
        needle.clear();
    const auto perplexity = lengthsOf(results, "perplexity", "rows");
    std::vector<std::string> header{"run", "result", "step", "loss", "val loss"};
    if (hasNeedle && needle.empty())
        header.push_back("needle");
    for (const std::int64_t length : needle)
        header.push_back("needle " + std::to_string(length));
    for (const std::int64_t length : perplexity)
        header.push_back("ppl " + std::to_string(length));
    TextTable table(header);
    for (const Json& result : results) {
        std::vector<std::string> row{result.at("run").get<std::string>(), result.at("class").get<std::string>(), std::to_string(result.at("step").get<std::int64_t>()),
                                     fixed(orMissing(result.at("train_loss")), 3), fixed(orMissing(result.at("val_loss")), 3)};
        if (hasNeedle && needle.empty())
            row.push_back(result.at("evals").contains("needle") ? fixed(orMissing(result.at("evals").at("needle").value("mean", Json())), 3) : "–");
        for (const std::int64_t length : needle)
            row.push_back(fixed(valueAt(rowsOf(result, "needle", "by_length"), length, "exact"), 3));
        for (const std::int64_t length : perplexity)
            row.push_back(shortNumber(valueAt(rowsOf(result, "perplexity", "rows"), length, "ppl"), 4));
        table.add(std::move(row));
    }
    return table.text();
}

}  // namespace holo::cli
