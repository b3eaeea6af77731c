#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/run/model_access.h"

namespace holo::cli {

namespace {

struct LogitsOptions {
    std::string checkpoint;
    std::string tokens;
    std::string scheme;
    std::vector<std::int64_t> positions;
    DeviceOptions device;
};

std::vector<std::int64_t> tokensOf(const std::string& text)
{
    std::error_code ec;
    if (!std::filesystem::is_regular_file(text, ec))
        return parseIntegers(text, "--tokens");
    std::string content = readFile(text, 64u << 20);
    for (char& c : content)
        if (c == '\n' || c == '\r' || c == '\t' || c == ' ')
            c = ',';
    std::vector<std::int64_t> tokens;
    for (const std::string& item : split(content, ',')) {
        if (item.empty())
            continue;
        const auto token = parseInt(item);
        if (!token)
            throw Error(ErrorKind::Malformed, text + ": holds " + item + "; allowed: token ids apart by blanks or commas.", {text, "", item, "token ids"});
        tokens.push_back(*token);
    }
    return tokens;
}

Output logits(const LogitsOptions& options)
{
    const auto tokens = tokensOf(options.tokens);
    const auto model = run::openModel(options.checkpoint, {options.scheme, int(options.device.threads), options.device.precision});
    std::vector<std::int64_t> positions = options.positions;
    if (positions.empty())
        for (std::size_t i = 0; i < tokens.size(); ++i)
            positions.push_back(std::int64_t(i));
    const auto rows = model->logits(tokens, positions);
    Json list = Json::array();
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Json row = Json::array();
        std::size_t best = 0;
        for (std::size_t v = 0; v < rows[i].size(); ++v) {
            row.push_back(number(double(rows[i][v])));
            if (rows[i][v] > rows[i][best])
                best = v;
        }
        list.push_back(std::move(row));
        text += "position " + std::to_string(positions[i]) + ": token " + std::to_string(best) + " (" + formatFixed(double(rows[i][best]), 4) + ")\n";
    }
    return {{{"format", 1}, {"tokens", tokens}, {"positions", positions}, {"logits", std::move(list)}}, text};
}

}  // namespace

void addLogitsVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<LogitsOptions>();
    CLI::App* verb = addVerb(app, context, "logits", "next-token logits of a checkpoint", "holonomy logits tiny/runs/RUN --tokens 0,1,2 --json", [options] { return logits(*options); });
    verb->add_option("CHECKPOINT", options->checkpoint, "run folder, step-N folder or model file")->required();
    verb->add_option("--tokens", options->tokens, "token ids (A,B,… or a file of them)")->required();
    addIntegers(verb, "--positions", options->positions, "positions whose logits are wanted (default: all)");
    verb->add_option("--scheme", options->scheme, "positional scheme to run with (default: as trained)");
    addDevice(verb, options->device);
}

}  // namespace holo::cli
