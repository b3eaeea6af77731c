#include "core/eval/result_files.h"

#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"

namespace holo::eval {

namespace {

struct ToJson {
    Json json = Json::object();
    template <class T> void operator()(const config::Field& field, const T& value) { json[std::string(field.key)] = value; }
};

Json specJson(config::EvalSpec spec)
{
    ToJson visitor;
    config::EvalSpec::fields(spec, visitor);
    return visitor.json;
}

}  // namespace

Json documentHead(const std::string& protocol, const data::Corpus& corpus, const Options& options)
{
    return Json{{"format", kDocumentFormat}, {"protocol", protocol}, {"checkpoint", options.checkpoint}, {"scheme_trained", options.schemeTrained},
                {"scheme_run", options.schemeRun}, {"corpus", corpus.hash()}, {"seed", options.spec.seed}};
}

void writeResult(const Json& document, const std::string& trials, const Options& options)
{
    if (options.out.empty())
        return;
    std::error_code ec;
    std::filesystem::create_directories(options.out, ec);
    if (ec)
        throw Error::at(ErrorKind::Resource, {options.out.string(), "folder", ec.message(), "a writable folder"});
    std::filesystem::remove(options.out / "summary.json", ec);
    writeFileAtomic(options.out / "spec.json", dumpPretty(Json{{"format", kDocumentFormat}, {"protocol", document["protocol"]}, {"spec", specJson(options.spec)},
                                                               {"scheme_run", options.schemeRun}, {"perplexity_mode", options.perplexityMode}}));
    if (!trials.empty())
        writeFileAtomic(options.out / "trials.jsonl", trials);
    writeFileAtomic(options.out / "summary.json", dumpPretty(document));
}

void report(const Options& options, double done)
{
    if (options.progress && !options.progress(done))
        throw Error(ErrorKind::Interrupted, "The evaluation was stopped.");
}

}  // namespace holo::eval
