#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"

namespace holo::config {

namespace {

using Overrides = std::vector<std::pair<std::string, Json>>;

Arm arm(const std::string& name, const std::string& scheme, Overrides overrides = {}) { return {name, parseScheme(scheme), std::move(overrides)}; }

std::string hybrid(const std::string& special) { return "hybrid:share=0.25,special=" + special; }

std::vector<std::int64_t> seedsUpTo(std::int64_t last)
{
    std::vector<std::int64_t> seeds;
    for (std::int64_t seed = 1; seed <= last; ++seed)
        seeds.push_back(seed);
    return seeds;
}

// The defaults of the specs: 122 880 parameters on the corpus of facts, N/d = 32 as in arXiv 2607.21405.
Project tiny()
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

// Pythia's shape with fully rotary heads, 2e9 tokens in steps of half a million, N = 2048.
Project mobius160m()
{
    Project p;
    p.name = "mobius-160m";
    p.notes = "The six arms of arXiv 2607.21405 at 160M parameters, 2B tokens of FineWeb-Edu, six seeds each. Put the text (JSONL or plain) into fineweb-edu beside this file.";
    p.model.layers = 12;
    p.model.hidden = 768;
    p.model.heads = 12;
    p.model.context = 2048;
    p.model.vocab = 50304;
    p.data.source = {"fineweb-edu"};
    p.data.tokenizer = "sentencepiece:50304";
    p.data.valShare = 0.002;
    p.train.steps = 3815;
    p.train.tokens = 2'000'000'000;
    p.train.batch = 16;
    p.train.accumulate = 16;
    p.train.lr = 6e-4;
    p.train.warmup = 0.02;
    p.train.precision = "bf16";
    p.train.checkpointEvery = 250;
    p.eval.lengths = {512, 1024, 2016, 2048};
    p.eval.trials = 100;
    p.eval.every = 500;
    p.eval.perplexityTokens = 4'194'304;
    p.arms = {arm("standard", "standard"), arm("mobius25", hybrid("mobius")), arm("mobius", "mobius"), arm("band25", hybrid("band:variant=C2")),
              arm("periodic25", hybrid("periodic:variant=A")), arm("nope", "nope")};
    p.seeds = seedsUpTo(6);
    return p;
}

Overrides pythia410m() { return {{"model.layers", 24}, {"model.hidden", 1024}, {"model.heads", 16}, {"train.lr", 3e-4}, {"train.batch", 8}, {"train.accumulate", 32}}; }

Project mobiusPaper()
{
    Project p = mobius160m();
    p.name = "mobius-paper";
    p.notes = "arXiv 2607.21405 in one project: six arms at 160M parameters and three at 410M, the third of them with a ladder of its own length on each special head.";
    p.arms.push_back(arm("410m-standard", "standard", pythia410m()));
    p.arms.push_back(arm("410m-mobius25", hybrid("mobius"), pythia410m()));
    p.arms.push_back(arm("410m-multiscale25",
                         R"({"kind":"hybrid","parts":[)"
                         R"({"name":"N","scheme":"mobius:context=2048","heads":[0]},{"name":"N/2","scheme":"mobius:context=1024","heads":[1]},)"
                         R"({"name":"N/4","scheme":"mobius:context=512","heads":[2]},{"name":"N/8","scheme":"mobius:context=256","heads":[3]},)"
                         R"({"name":"rest","scheme":"standard"}]})",
                         pythia410m()));
    return p;
}

// OLMo's shape as the FoPE configurations have it: SwiGLU of 4·hidden, RMSNorm, everything decays, half of the run is warm-up.
Project fope60m()
{
    Project p;
    p.name = "fope-60m";
    p.notes = "The 60M set-up of arXiv 2412.17739: C4, N = 512, 10B tokens. Put the text (JSONL or plain) into c4 beside this file.";
    p.model.style = "llama";
    p.model.layers = 8;
    p.model.hidden = 512;
    p.model.heads = 8;
    p.model.mlp = 2048;
    p.model.context = 512;
    p.model.vocab = 50304;
    p.model.normEps = 1e-6;
    p.model.init = "normal";
    p.data.source = {"c4"};
    p.data.tokenizer = "sentencepiece:50304";
    p.data.valShare = 0.002;
    p.train.steps = 19073;
    p.train.batch = 32;
    p.train.accumulate = 32;
    p.train.lr = 6e-4;
    p.train.warmup = 10000;
    p.train.decay = "all";
    p.train.precision = "bf16";
    p.train.checkpointEvery = 1000;
    p.eval.protocols = {"passkey", "perplexity"};
    p.eval.lengths = {512, 1024, 2048, 4096, 8192};
    p.eval.trials = 100;
    p.eval.perplexityTokens = 4'194'304;
    p.arms = {arm("standard", "standard"), arm("fope", "fope:gain=0.3"), arm("fope-d64", "fope:gain=0.3,fourier_dim=256"), arm("alibi", "alibi"), arm("nope", "nope")};
    p.seeds = {6198};
    return p;
}

Project fopePaper()
{
    Project p = fope60m();
    p.name = "fope-paper";
    p.notes = "arXiv 2412.17739 at its three sizes: 60M, 180M and 1.2B parameters, standard ladder against Fourier position embedding.";
    const Overrides medium = {{"model.hidden", 1024}, {"model.mlp", 4096}};
    const Overrides large = {{"model.layers", 16}, {"model.hidden", 2048}, {"model.heads", 16}, {"model.mlp", 8192}, {"train.batch", 8}, {"train.accumulate", 128}};
    p.arms = {arm("60m-standard", "standard"),          arm("60m-fope", "fope:gain=0.3"),
              arm("180m-standard", "standard", medium), arm("180m-fope", "fope:gain=0.4", medium),
              arm("1200m-standard", "standard", large), arm("1200m-fope", "fope:gain=0.6", large)};
    return p;
}

Project twistedSweep()
{
    Project p = tiny();
    p.name = "twisted-sweep";
    p.notes = "Ladders (2πi + φ)/N on a quarter of the heads: the same spacing and envelope, boundary phase φ from periodic (0) over Möbius (π) to periodic without the still plane (2π).";
    p.arms = {arm("phi-0", hybrid("twisted:phi=0")), arm("phi-90", hybrid("twisted:phi=1.5707963267948966")), arm("phi-180", hybrid("twisted:phi=3.141592653589793")),
              arm("phi-270", hybrid("twisted:phi=4.71238898038469")), arm("phi-360", hybrid("twisted:phi=6.283185307179586"))};
    p.seeds = seedsUpTo(8);
    return p;
}

Project controls()
{
    Project p = tiny();
    p.name = "controls";
    p.notes = "The Möbius ladder beside every control on the same heads: periodic (A, B), aperiodic in the same band (C1, C2), standard frequencies snapped to half and whole turns, no positions.";
    p.arms = {arm("standard", "standard"), arm("mobius25", hybrid("mobius")), arm("periodic25-A", hybrid("periodic:variant=A")), arm("periodic25-B", hybrid("periodic:variant=B")),
              arm("band25-C1", hybrid("band:variant=C1")), arm("band25-C2", hybrid("band:variant=C2")), arm("snapped25-half", hybrid("snapped:mode=half")),
              arm("snapped25-whole", hybrid("snapped:mode=whole")), arm("nope25", hybrid("nope"))};
    p.seeds = seedsUpTo(4);
    return p;
}

// Four heads of 16 lanes, so that every ladder has eight planes of its own kind; perplexity and needles at one, two and four times the training context.
Project zoo()
{
    Project p = tiny();
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
    Project p = tiny();
    p.name = "lottery";
    p.notes = "Does the arm decide, or the seed? Five arms, eight seeds; a seed shares initial weights and data order over all arms.";
    p.eval.every = 100;
    p.arms = {arm("standard", "standard"), arm("mobius25", hybrid("mobius")), arm("band25", hybrid("band:variant=C2")), arm("periodic25", hybrid("periodic:variant=A")),
              arm("nope25", hybrid("nope"))};
    p.seeds = seedsUpTo(8);
    return p;
}

const std::vector<std::pair<std::string, std::function<Project()>>>& templates()
{
    static const std::vector<std::pair<std::string, std::function<Project()>>> list = {
        {"tiny", tiny},           {"text", text},           {"lottery", lottery},     {"controls", controls},         {"twisted-sweep", twistedSweep},
        {"zoo", zoo},             {"mobius-160m", mobius160m}, {"mobius-paper", mobiusPaper}, {"fope-60m", fope60m}, {"fope-paper", fopePaper}};
    return list;
}

}  // namespace

std::vector<std::string> templateNames()
{
    std::vector<std::string> names;
    for (const auto& [name, make] : templates())
        names.push_back(name);
    return names;
}

Project projectTemplate(const std::string& name)
{
    for (const auto& [known, make] : templates())
        if (known == name)
            return make();
    throw Error(ErrorKind::Usage, "There is no template \"" + name + "\"; " + suggestion(name, templateNames()), {"", "--template", name, join(templateNames(), ", ")});
}

}  // namespace holo::config
