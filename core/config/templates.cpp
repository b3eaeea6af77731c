#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/paper_templates.h"
#include "core/config/templates.h"

namespace holo::config {

using detail::arm;
using detail::hybrid;
using detail::seedsUpTo;

// The defaults of the specs: 122 880 parameters on the corpus of facts, N/d = 32 as in arXiv 2607.21405.
Project detail::tinyTemplate()
{
    Project p;
    p.name = "tiny";
    p.notes = "A small model that learns in-context retrieval on the CPU within minutes: standard rotary heads against a Möbius ladder on a quarter of them.";
    p.train.precision = "fp32";
    p.eval.every = 200;
    p.arms = {arm("standard", "standard"), arm("mobius25", hybrid("mobius"))};
    p.seeds = {1, 2};
    return p;
}

namespace {

using detail::tinyTemplate;

Project text()
{
    Project p;
    p.name = "text";
    p.notes = "A byte-level model of your own text. Put the text at text.txt beside this file, or name files and folders in data.source.";
    p.model.layers = 4;
    p.model.hidden = 128;
    p.model.heads = 4;
    p.model.context = 512;
    p.data.source = {"text.txt"};
    p.train.steps = 1000;
    p.train.batch = 8;
    p.train.lr = 2e-3;
    p.train.precision = "fp32";
    p.eval.lengths = {256, 384, 480, 512};
    p.eval.depths = {0, .25, .5, .75, 1};
    p.eval.trials = 20;
    p.arms = {arm("standard", "standard"), arm("mobius25", hybrid("mobius")), arm("nope", "nope")};
    p.seeds = {1, 2};
    return p;
}

// Four heads of 16 lanes, so that every ladder has eight planes of its own kind; perplexity and needles at one, two and four times the training context.
Project zoo()
{
    Project p = tinyTemplate();
    p.name = "zoo";
    p.notes = "Every trainable positional scheme for a few hundred steps: shows that each of them trains and what it does beyond its training context, not which is best.";
    p.model.heads = 4;
    p.train.steps = 300;
    p.train.warmup = 60;
    p.train.checkpointEvery = 0;
    p.eval.every = 0;
    p.eval.lengths = {256, 512, 1024};
    p.eval.depths = {0, .25, .5, .75, 1};
    p.eval.trials = 10;
    p.arms.clear();
    const std::vector<std::pair<const char*, const char*>> schemes = {
        {"standard", "standard"}, {"mobius", "mobius"}, {"mobius25", "hybrid:share=0.25,special=mobius"},
        {"mobius-scales", R"({"kind":"hybrid","parts":[{"name":"N","scheme":"mobius:context=256","heads":[0]},{"name":"N/2","scheme":"mobius:context=128","heads":[1]},{"name":"rest","scheme":"standard"}]})"},
        {"periodic-A", "periodic:variant=A"}, {"periodic-B", "periodic:variant=B"}, {"twisted-90", "twisted:phi=1.5707963267948966"}, {"band-C1", "band:variant=C1"},
        {"band-C2", "band:variant=C2"}, {"snapped-half", "snapped:mode=half"}, {"snapped-whole", "snapped:mode=whole"}, {"fope-official", "fope:mode=official,gain=0.3"},
        {"fope-clean", "fope:mode=clean,gain=0.3"}, {"fope-fs", "fope:gain=0.3,parts=fs"}, {"fope-cf", "fope:gain=0.3,parts=cf"}, {"p-rope", "p-rope:share=0.75"},
        {"clipped-taper", "clipped:planes=2"}, {"clipped-hard", "clipped:planes=2,mode=hard"}, {"resonance", "resonance"}, {"linear", "linear:factor=2"}, {"ntk", "ntk:factor=2"},
        {"dynamic-ntk", "dynamic-ntk:factor=2"}, {"yarn", "yarn:factor=2"}, {"longrope", R"({"kind":"longrope","factor":2,"short":[1,1,1,1,1,1,1,1],"long":[1,1,1.1,1.25,1.5,1.75,2,2]})"},
        {"llama3", "llama3:factor=2,original=128"}, {"mrrope-uni", "mrrope:factor=2,variant=uni"}, {"mrrope-pro", "mrrope:factor=2,variant=pro"}, {"xpos", "xpos"}, {"alibi", "alibi"},
        {"alibi-plain", "alibi:series=plain"}, {"window", "window:size=64"}, {"periodic-rope", "periodic-rope:window=64"}, {"periodic-rope-tau", "periodic-rope:log_offset=1,window=64"},
        {"landmark", "landmark:block=32"}, {"mobius-attention", "mobius-attention"}, {"nope", "nope"}, {"custom", R"({"kind":"custom","theta":[1,0.6,0.36,0.2,0.1,0.06,0.03,0.01]})"}};
    for (const auto& [name, scheme] : schemes)
        p.arms.push_back(arm(name, scheme));
    p.arms.push_back(arm("standard-qk-layernorm", "standard", {{"model.qk_norm", "layernorm"}}));
    p.arms.push_back(arm("standard-qk-rms", "standard", {{"model.qk_norm", "rms"}}));
    p.seeds = {1};
    return p;
}

Project lottery()
{
    Project p = tinyTemplate();
    p.name = "lottery";
    p.notes = "Does the arm decide, or the seed? Five arms, eight seeds; a seed shares initial weights and data order over all arms.";
    p.eval.every = 100;
    p.arms = {arm("standard", "standard"), arm("mobius25", hybrid("mobius")), arm("band25", hybrid("band:variant=C2")), arm("periodic25", hybrid("periodic:variant=A")),
              arm("nope25", hybrid("nope"))};
    p.seeds = seedsUpTo(8);
    return p;
}

struct Template {
    std::string name;
    std::vector<std::string> sizes;  // its own first
    std::function<Project(const std::string& size)> make;
};

const std::vector<Template>& templates()
{
    const auto only = [](Project (*make)()) { return [make](const std::string&) { return make(); }; };
    static const std::vector<Template> list = {
        {"tiny", {"tiny"}, only(tinyTemplate)},
        {"text", {"small"}, only(text)},
        {"lottery", {"tiny"}, only(lottery)},
        {"controls", {"tiny", "160m", "410m"}, detail::controls},
        {"twisted-sweep", {"tiny", "160m", "410m"}, detail::twistedSweep},
        {"zoo", {"tiny"}, only(zoo)},
        {"mobius-160m", {"160m"}, only(detail::mobius160m)},
        {"mobius-paper", {"paper", "tiny", "160m", "410m"}, detail::mobiusPaper},
        {"fope-60m", {"60m"}, only(detail::fope60m)},
        {"fope-paper", {"paper", "tiny", "20m", "60m", "180m", "1200m"}, detail::fopePaper},
    };
    return list;
}

const Template& findTemplate(const std::string& name)
{
    for (const Template& t : templates())
        if (t.name == name)
            return t;
    throw Error(ErrorKind::Usage, "There is no template \"" + name + "\"; " + suggestion(name, templateNames()), {"", "--template", name, join(templateNames(), ", ")});
}

}  // namespace

std::vector<std::string> templateNames()
{
    std::vector<std::string> names;
    for (const Template& t : templates())
        names.push_back(t.name);
    return names;
}

std::vector<std::string> templateSizes(const std::string& name) { return findTemplate(name).sizes; }

Project projectTemplate(const std::string& name) { return projectTemplate(name, {}); }

Project projectTemplate(const std::string& name, const std::string& size)
{
    const Template& t = findTemplate(name);
    if (!size.empty() && std::find(t.sizes.begin(), t.sizes.end(), size) == t.sizes.end())
        throw Error::at(ErrorKind::Usage, {"", "--size", "\"" + size + "\"", "with the template " + name + " one of " + join(t.sizes, ", ")});
    return t.make(size.empty() ? t.sizes.front() : size);
}

}  // namespace holo::config
