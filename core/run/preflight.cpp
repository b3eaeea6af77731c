#include "core/run/preflight.h"

#include "core/base/error.h"
#include "core/data/corpus.h"

namespace holo::run {

void checkInputs(const config::RunSpec& spec, const std::filesystem::path& project)
{
    const auto needed = data::checkSources(spec.data, project);
    if (needed && spec.model.vocab > 0)
        checkVocabulary(spec.model.vocab, *needed);
}

void checkVocabulary(std::int64_t vocabulary, std::int64_t needed)
{
    if (vocabulary < needed)
        throw Error(ErrorKind::Usage, "model.vocab is " + std::to_string(vocabulary) + "; the data need " + std::to_string(needed) + ".",
            {"", "model.vocab", std::to_string(vocabulary), std::to_string(needed) + " or more"});
}

}  // namespace holo::run
