#include "app/cli/export_hf.h"

#include "core/base/error.h"
#include "core/run/hf_export.h"

namespace holo::cli {

Output exportModel(const ModelExport& options)
{
    if (options.format == "safetensors" && !options.scheme.empty())
        throw Error::at(ErrorKind::Usage, {"", "--scheme", options.scheme, "none with --format safetensors, which keeps the scheme of the training"});
    if (options.format == "safetensors" && options.customCode)
        throw Error::at(ErrorKind::Usage, {"", "--custom-code", "given", "none with --format safetensors, which holds weights alone"});
    const run::ExportOptions how{options.scheme, options.dtype, std::string(HOLO_VERSION) + " " + HOLO_REVISION, options.customCode, options.dryRun};
    Json document = options.format == "hf" ? run::exportHf(options.checkpoint, options.destination, how) : run::exportSafetensors(options.checkpoint, options.destination, how);
    std::string text = (document.contains("family") ? document["family"].get<std::string>() + ", " : std::string()) + document["dtype"].get<std::string>() + (options.dryRun ? ", would be written to " : ", written to ")
                       + document["destination"].get<std::string>() + "\n";
    for (const Json& note : document["notes"])
        text += "note: " + note.get<std::string>() + "\n";
    return {std::move(document), std::move(text)};
}

}  // namespace holo::cli
