#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/field_visitors.h"
#include "core/config/origin.h"
#include "core/config/overrides.h"
#include "core/config/project.h"

namespace holo::config {

namespace {

class Checker {
public:
    explicit Checker(std::vector<Problem>& problems)
        : m_problems(problems)
    {
    }

    void add(const std::string& field, const std::string& found, const std::string& allowed)
    {
        const std::string message = field + " is " + (found.empty() ? "empty" : found) + "; allowed: " + allowed + ".";
        for (const Problem& problem : m_problems)
            if (problem.field == field && problem.message == message)
                return;
        m_problems.push_back({field, found, allowed, message});
    }
private:
    std::vector<Problem>& m_problems;
};

bool hasControlCharacter(const std::string& text)
{
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

bool isAddress(const std::string& source) { return source.find("://") != std::string::npos; }

void checkModel(const ModelSpec& m, Checker& check)
{
    const std::string heads = std::to_string(m.heads);
    if (m.headDim == 0 && m.hidden % m.heads != 0) {
        check.add("model.hidden", std::to_string(m.hidden), "a multiple of model.heads (" + heads + "), or an explicit model.head_dim");
        return;
    }
    if (m.kvHeads > 0 && m.heads % m.kvHeads != 0)
        check.add("model.kv_heads", std::to_string(m.kvHeads), "a divisor of model.heads (" + heads + ")");
    const ladder::ModelShape shape = modelShape(m, 0);
    if (shape.headDim < 2)
        check.add("model.head_dim", std::to_string(shape.headDim), "at least 2");
    else if (shape.rotaryDim % 2 != 0)
        check.add("model.rotary_pct", formatDouble(m.rotaryPct), "a share that rotates an even number of the " + std::to_string(shape.headDim) + " lanes of a head, not "
                  + std::to_string(shape.rotaryDim));
}

void checkTokenizer(const std::string& tokenizer, Checker& check)
{
    static constexpr std::string_view kTrained = "sentencepiece:";
    const std::string allowed = "bytes, sentencepiece:V with V from 16 to 1000000, or a tokenizer file";
    if (tokenizer.starts_with(kTrained)) {
        const auto size = parseInt(std::string_view(tokenizer).substr(kTrained.size()));
        if (!size || *size < 16 || *size > 1000000)
            check.add("data.tokenizer", "\"" + tokenizer + "\"", allowed);
    } else if (tokenizer.empty()) {
        check.add("data.tokenizer", "\"\"", allowed);
    }
}

void checkData(const DataSpec& d, Checker& check)
{
    if (d.source.empty())
        check.add("data.source", "[]", "\"synthetic\", a path or a list of paths");
    for (const std::string& source : d.source) {
        if (source.empty())
            check.add("data.source", "\"\"", "\"synthetic\", a path or a list of paths");
        else if (isAddress(source))
            check.add("data.source", "\"" + source + "\"", "files of this machine; nothing is fetched");
        else if (source == "synthetic" && d.source.size() > 1)
            check.add("data.source", "\"synthetic\" beside paths", "\"synthetic\" alone, or paths");
    }
    checkTokenizer(d.tokenizer, check);
    const SyntheticSpec& s = d.synthetic;
    if (d.source == std::vector<std::string>{"synthetic"} && s.distractors + 1 > s.names)
        check.add("data.synthetic.distractors", std::to_string(s.distractors), "fewer than data.synthetic.names (" + std::to_string(s.names) + ")");
}

template <class T>
void checkUnique(const std::vector<T>& values, const std::string& field, Checker& check)
{
    if (std::set<T>(values.begin(), values.end()).size() != values.size())
        check.add(field, "a list that names a value twice", "each value once");
}

void checkEval(const EvalSpec& e, Checker& check)
{
    checkUnique(e.protocols, "eval.protocols", check);
    checkUnique(e.lengths, "eval.lengths", check);
    checkUnique(e.depths, "eval.depths", check);
    if (!e.protocols.empty() && e.lengths.empty())
        check.add("eval.lengths", "[]", "at least one length, or no protocols");
    const bool placesNeedles = std::count(e.protocols.begin(), e.protocols.end(), "needle") > 0;
    if (placesNeedles && e.depths.empty())
        check.add("eval.depths", "[]", "at least one depth, or no needle protocol");
}

void checkTrain(const RunSpec& spec, Checker& check)
{
    if (totalSteps(spec) > 1'000'000'000'000)
        check.add("train.tokens", std::to_string(spec.train.tokens), "at most 1e12 steps' worth");
}

// Why weights of one model cannot go on in another; empty if they can.
std::string misfit(const ModelSpec& before, const ModelSpec& after)
{
    const Json a = detail::writeFields(before);
    const Json b = detail::writeFields(after);
    for (const char* key : {"style", "layers", "hidden", "heads", "kv_heads", "head_dim", "mlp", "residual", "norm", "biases", "tied", "vocab"})
        if (a.at(key) != b.at(key))
            return "model." + std::string(key) + " " + dumpLine(b.at(key)) + " in place of " + dumpLine(a.at(key));
    return {};
}

void checkOrigin(const Project& project, std::size_t index, Checker& check)
{
    const Arm& arm = project.arms[index];
    const std::string field = "arms[" + std::to_string(index) + "].from";
    const auto named = [&](const std::string& name) { return std::find_if(project.arms.begin(), project.arms.end(), [&](const Arm& other) { return other.name == name; }); };
    std::vector<std::string> others;
    for (const Arm& other : project.arms)
        if (other.name != arm.name)
            others.push_back(other.name);
    auto source = named(arm.name);
    for (std::size_t steps = 0; !fromOf(*source).empty(); ++steps) {
        source = named(fromOf(*source));
        if (source == project.arms.end() || steps == project.arms.size()) {
            check.add(field, "\"" + fromOf(arm) + "\"", "an arm that does not go on from this one, of " + join(others, ", "));
            return;
        }
    }
    const Arm& direct = *named(fromOf(arm));
    const auto theirs = seedsOf(project, direct);
    for (const std::int64_t seed : seedsOf(project, arm))
        if (std::find(theirs.begin(), theirs.end(), seed) == theirs.end())
            check.add("arms[" + std::to_string(index) + "].seeds", std::to_string(seed), "seeds of arm \"" + direct.name + "\", which this one goes on from");
    std::vector<Problem> ignored;
    RunSpec before{project.name, direct.name, 0, direct.scheme, project.model, project.data, project.train, project.eval};
    RunSpec after{project.name, arm.name, 0, arm.scheme, project.model, project.data, project.train, project.eval};
    applyOverrides(before, fieldOverrides(direct), ignored, "");
    applyOverrides(after, fieldOverrides(arm), ignored, "");
    if (const std::string difference = misfit(before.model, after.model); !difference.empty())
        check.add(field, "\"" + direct.name + "\", with " + difference, "an arm of the same shape");
}

void checkSeeds(const Project& project, std::size_t index, Checker& check)
{
    const std::string field = "arms[" + std::to_string(index) + "].seeds";
    const auto seeds = seedsOf(project, project.arms[index]);
    for (const std::int64_t seed : seeds)
        if (std::find(project.seeds.begin(), project.seeds.end(), seed) == project.seeds.end())
            check.add(field, std::to_string(seed), "some of the project's seeds");
    checkUnique(seeds, field, check);
}

void checkScheme(const RunSpec& spec, const std::string& armField, std::vector<Problem>& problems)
{
    try {
        ladder::resolve(spec.scheme, modelShape(spec.model, 0));
    } catch (const Error& e) {
        const std::string field = armField + ".scheme" + (e.place().field.empty() ? "" : "." + e.place().field);
        problems.push_back({field, e.place().found, e.place().allowed, armField + ".scheme (arm \"" + spec.arm + "\"): " + e.what()});
    }
}

void checkRun(const RunSpec& spec, const std::string& armField, std::vector<Problem>& problems, bool schemeIsComplete)
{
    Checker check(problems);
    const std::size_t before = problems.size();
    checkModel(spec.model, check);
    checkData(spec.data, check);
    checkTrain(spec, check);
    checkEval(spec.eval, check);
    if (problems.size() == before && schemeIsComplete)
        checkScheme(spec, armField, problems);
}

void checkNames(const Project& project, Checker& check)
{
    if (hasControlCharacter(project.name))
        check.add("name", "a text with control characters", "a text without them");
    std::set<std::string> names;
    for (std::size_t i = 0; i < project.arms.size(); ++i) {
        const std::string& name = project.arms[i].name;
        const std::string field = "arms[" + std::to_string(i) + "].name";
        if (hasControlCharacter(name))
            check.add(field, "a text with control characters", "a text without them");
        else if (!names.insert(name).second)
            check.add(field, "\"" + name + "\" again", "a name that no other arm has");
    }
}

}  // namespace

std::vector<Problem> validate(const Project& project)
{
    std::vector<Problem> problems;
    detail::checkFields(project.model, "model", problems);
    detail::checkFields(project.data, "data", problems);
    detail::checkFields(project.train, "train", problems);
    detail::checkFields(project.eval, "eval", problems);
    Checker check(problems);
    if (project.arms.empty())
        check.add("arms", "[]", "at least one arm");
    if (project.seeds.empty())
        check.add("seeds", "[]", "at least one seed");
    checkUnique(project.seeds, "seeds", check);
    if (std::any_of(project.seeds.begin(), project.seeds.end(), [](std::int64_t seed) { return seed < 0; }))
        check.add("seeds", "a negative seed", "whole numbers of at least 0");
    checkNames(project, check);
    if (!problems.empty())
        return problems;
    for (std::size_t i = 0; i < project.arms.size(); ++i) {
        checkSeeds(project, i, check);
        if (!fromOf(project.arms[i]).empty())
            checkOrigin(project, i, check);
    }
    if (!problems.empty())
        return problems;
    std::vector<std::size_t> goingOn;  // arms whose scheme is complete only with that of another
    for (std::size_t i = 0; i < project.arms.size(); ++i) {
        const Arm& arm = project.arms[i];
        const std::string field = "arms[" + std::to_string(i) + "]";
        RunSpec spec{project.name, arm.name, 0, arm.scheme, project.model, project.data, project.train, project.eval};
        std::vector<Problem> ofArm;
        applyOverrides(spec, fieldOverrides(arm), ofArm, field);
        problems.insert(problems.end(), ofArm.begin(), ofArm.end());
        if (!ofArm.empty())
            continue;
        const std::size_t before = problems.size();
        checkRun(spec, field, problems, fromOf(arm).empty());
        if (!fromOf(arm).empty() && problems.size() == before)
            goingOn.push_back(i);
    }
    if (!problems.empty() || goingOn.empty())
        return problems;
    const std::vector<RunSpec> runs = expand(project);
    for (const std::size_t i : goingOn) {
        const auto run = std::find_if(runs.begin(), runs.end(), [&](const RunSpec& r) { return r.arm == project.arms[i].name; });
        checkScheme(*run, "arms[" + std::to_string(i) + "]", problems);
    }
    return problems;
}

}  // namespace holo::config
