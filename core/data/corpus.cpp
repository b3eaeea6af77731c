#include "core/data/corpus.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/synthetic.h"

namespace holo::data {

std::unique_ptr<Corpus> openCorpus(const config::DataSpec& spec, std::int64_t context, const std::filesystem::path& /*baseFolder*/,
                                   const std::filesystem::path& /*cacheFolder*/, const std::function<void(double)>& /*progress*/)
{
    if (spec.source.size() == 1 && spec.source.front() == "synthetic")
        return std::make_unique<SyntheticCorpus>(spec.synthetic, context);
    throw Error::at(ErrorKind::Unsupported, {.field = "data.source", .found = join(spec.source, ", "), .allowed = "synthetic"});
}

}  // namespace holo::data
