#include "core/run/run_evaluation.h"

#include "core/config/scheme_json.h"
#include "core/eval/evaluator.h"
#include "core/run/evaluation_digest.h"
#include "core/run/stop_signals.h"

namespace holo::run {

namespace fs = std::filesystem;

void evaluateRun(const RunDirectory& run, const nn::Transformer& model, const data::Corpus& corpus, const EvaluationRequest& request, EventLog& events)
{
    const config::RunSpec& spec = *request.spec;
    for (const std::string& protocol : spec.eval.protocols) {
        const std::string id = evaluationId(protocol, request.step);
        std::error_code ec;
        if (fs::exists(run.evalsFolder() / id / "summary.json", ec))
            continue;
        nn::Transformer frozen = model.clone();
        const auto languageModel = eval::languageModel(frozen);
        eval::Options options;
        options.spec = spec.eval;
        options.controls = !request.duringTraining;
        if (request.duringTraining)
            options.spec.trials = spec.eval.everyTrials;
        options.out = run.evalsFolder() / id;
        options.checkpoint = "checkpoints/step-" + std::to_string(request.step);
        options.schemeTrained = config::toJson(spec.scheme);
        options.schemeRun = options.schemeTrained;
        options.baseFolder = request.project;
        options.progress = [&](double share) {
            if (request.progress)
                request.progress({request.step, config::totalSteps(spec), 0, 0, "evaluate " + protocol, share});
            return !stopRequested();
        };
        const Json document = eval::run(protocol, *languageModel, corpus, options);
        events.evaluation(id, protocol, request.step, request.tokens, evaluationDigest(protocol, document));
    }
}

}  // namespace holo::run
