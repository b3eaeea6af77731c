#include "core/eval/evaluator.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::eval {

Json run(const std::string& protocol, LanguageModel& model, const data::Corpus& corpus, const Options& options)
{
    if (protocol == "needle")
        return needle(model, corpus, options);
    if (protocol == "passkey")
        return passkey(model, corpus, options);
    if (protocol == "perplexity")
        return perplexity(model, corpus, options);
    if (protocol == "probe")
        return probe(model, corpus, options);
    const std::vector<std::string> known{"needle", "passkey", "perplexity", "probe"};
    throw Error(ErrorKind::Usage, "Unknown protocol \"" + protocol + "\"; " + suggestion(protocol, known),
                {.field = "protocol", .found = "\"" + protocol + "\"", .allowed = join(known, ", ")});
}

}  // namespace holo::eval
