#include <CLI/CLI.hpp>

#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/interop/inspect.h"
#include "core/run/checkpoint_header.h"

namespace holo::cli {

namespace {

std::string plainText(const Json& value) { return value.is_string() ? value.get<std::string>() : dumpLine(value); }

Output inspect(const std::filesystem::path& checkpoint, bool tensors)
{
    Json document = interop::inspectCheckpoint(run::modelFileOf(checkpoint).value_or(checkpoint), tensors);
    TextTable table({"field", "value"});
    for (const auto& [key, value] : document.items()) {
        if (key == "conflicts" || key == "notes" || (key == "tensors" && value.is_array()))
            continue;
        std::string text = plainText(value);
        if (text.size() > 160)
            text = text.substr(0, text.find(' ', 140)).substr(0, 160) + " …";
        table.add({key, text});
    }
    std::string text = table.text();
    if (document["tensors"].is_array()) {
        TextTable list({"tensor", "dtype", "shape", "bytes", "non-finite"});
        for (const Json& tensor : document["tensors"])
            list.add({plainText(tensor["name"]), plainText(tensor["dtype"]), plainText(tensor["shape"]), plainText(tensor["bytes"]), plainText(tensor["nonfinite"])});
        text += "\n" + list.text();
    }
    for (const Json& conflict : document["conflicts"])
        text += "conflict: " + plainText(conflict["message"]) + "\n";
    for (const Json& note : document["notes"])
        text += plainText(note) + "\n";
    return {std::move(document), std::move(text)};
}

}  // namespace

void addInspectVerb(CLI::App& app, Context& context)
{
    struct Options {
        std::filesystem::path checkpoint;
        bool tensors = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* verb = addVerb(app, context, "inspect", "what a checkpoint is: architecture, ladder, conflicts", "holonomy inspect pythia-160m/ --json",
                             [options] { return inspect(options->checkpoint, options->tensors); });
    verb->add_option("CHECKPOINT", options->checkpoint, "run folder, step folder, .safetensors file or Hugging Face folder")->required();
    verb->add_flag("--tensors", options->tensors, "list every tensor with its SHA-256 and count of non-finite values");
}

}  // namespace holo::cli
