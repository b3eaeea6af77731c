#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/result_rows.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/bench/environment.h"
#include "core/bench/selftest.h"

namespace holo::cli {

namespace {

Output selftest(std::int64_t threads)
{
    bench::useThreads(int(threads));
    bench::SelftestOptions options;
    options.threads = int(threads);
    const auto rows = bench::selftest(options);
    Json document = {{"format", 1}, {"environment", bench::environmentJson()}, {"rows", bench::toJson(rows)}};
    return {std::move(document), resultText(rows), bench::anyFailed(rows) ? exitCode(ErrorKind::Internal) : 0};
}

}  // namespace

void addSelftestVerb(CLI::App& app, Context& context)
{
    const auto threads = std::make_shared<std::int64_t>(0);
    CLI::App* verb = addVerb(app, context, "selftest", "accuracy of every kernel against float64; exit 1 if one is wrong", "holonomy selftest --json",
                             [threads] { return selftest(*threads); });
    addInteger(verb, "--threads", *threads, "threads; 0: as many as cores", 0);
}

}  // namespace holo::cli
