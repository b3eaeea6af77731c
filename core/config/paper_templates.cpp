#include "core/config/paper_templates.h"

#include "core/base/text.h"
#include "core/config/origin.h"
#include "core/config/overrides.h"
#include "core/config/scheme_json.h"

namespace holo::config::detail {

namespace {

// Ladders made for N, N/2, N/4 and N/8 on one head each, which is a quarter of 16 heads.
std::string multiScale(std::int64_t context)
{
    std::string parts;
    for (const int scale : {1, 2, 4, 8}) {
        const std::string name = scale == 1 ? "N" : "N/" + std::to_string(scale);
        const int head = scale == 8 ? 3 : scale / 2;
        parts += R"({"name":")" + name + R"(","scheme":"mobius:context=)" + std::to_string(context / scale) + R"(","heads":[)" + std::to_string(head) + "]},";
    }
    return R"({"kind":"hybrid","parts":[)" + parts + R"({"name":"rest","scheme":"standard"}]})";
}

Overrides pythia410m() { return {{"model.layers", 24}, {"model.hidden", 1024}, {"model.heads", 16}, {"train.lr", 3e-4}, {"train.batch", 8}, {"train.accumulate", 32}}; }

// Twice as deep and wide as the tiny model; heads as wide as there, so that N/d stays 32.
Overrides twiceTiny() { return {{"model.layers", 4}, {"model.hidden", 128}, {"model.heads", 16}, {"train.lr", 2e-3}}; }

Project withOverrides(Project p, const Overrides& overrides)
{
    RunSpec spec{p.name, "", 0, {}, p.model, p.data, p.train, p.eval};
    std::vector<Problem> problems;
    applyOverrides(spec, overrides, problems, "");
    p.model = spec.model;
    p.train = spec.train;
    return p;
}

Project mobiusBase(const std::string& size)
{
    if (size == "tiny")
        return tinyTemplate();
    return size == "410m" ? withOverrides(mobius160m(), pythia410m()) : mobius160m();
}

std::vector<Arm> smallArms()
{
    return {arm("standard", "standard"), arm("mobius25", hybrid("mobius")), arm("mobius", "mobius"), arm("band25", hybrid("band:variant=C2")), arm("periodic25", hybrid("periodic:variant=A")),
            arm("nope", "nope")};
}

std::vector<Arm> largeArms(const std::string& prefix, std::int64_t context, const Overrides& overrides)
{
    return {arm(prefix + "standard", "standard", overrides), arm(prefix + "mobius25", hybrid("mobius"), overrides), arm(prefix + "multiscale25", multiScale(context), overrides)};
}

struct FopeSize {
    std::string name;
    Overrides overrides;  // of the 60M set-up
    double gain;
    int longerAccumulate;  // 512 windows a step on twice the context
};

const std::vector<FopeSize>& fopeSizes()
{
    static const std::vector<FopeSize> list = {
        {"60m", {}, .3, 16},
        {"180m", {{"model.hidden", 1024}, {"model.mlp", 4096}}, .4, 16},
        {"1200m", {{"model.layers", 16}, {"model.hidden", 2048}, {"model.heads", 16}, {"model.mlp", 8192}, {"train.batch", 8}, {"train.accumulate", 128}}, .6, 64},
    };
    return list;
}

// The paper gives the size of its small models and no shape: that of the 60M model at half the width comes to 21M without input embedding.
Overrides fope20m() { return {{"model.hidden", 256}, {"model.heads", 4}, {"model.mlp", 1024}}; }

void addMain(std::vector<Arm>& arms, const std::string& prefix, double gain, const Overrides& overrides)
{
    arms.push_back(arm(prefix + "standard", "standard", overrides));
    arms.push_back(arm(prefix + "alibi", "alibi", overrides));
    arms.push_back(arm(prefix + "fope", "fope:gain=" + formatDouble(gain), overrides));
}

void addParts(std::vector<Arm>& arms, const std::string& prefix, double gain, const Overrides& overrides)
{
    arms.push_back(arm(prefix + "fope-fs", "fope:gain=" + formatDouble(gain) + ",parts=fs", overrides));
    arms.push_back(arm(prefix + "fope-cf", "fope:parts=cf", overrides));
}

// Fine-tuning on twice the context from the last checkpoint. YaRN as in the paper's code: factor 16, no temperature.
void addExtensions(std::vector<Arm>& arms, const std::string& prefix, double gain, const Overrides& overrides)
{
    const auto add = [&](const std::string& name, const std::string& scheme, const std::string& from) {
        arms.push_back(arm(prefix + name, scheme, overrides));
        arms.back().overrides.emplace_back(kArmFrom, prefix + from);
    };
    add("standard-yarn", "yarn:factor=16,attention_factor=1", "standard");
    add("standard-fope", "fope:gain=" + formatDouble(gain), "standard");
    add("fope-longer", "fope", "fope");
}

void addNormalised(std::vector<Arm>& arms, const std::string& prefix, const Overrides& overrides)
{
    for (const auto& [name, scheme] : {std::pair{"standard", "standard"}, {"whole", "snapped:mode=whole"}, {"nope", "nope"}})
        for (const bool normalised : {false, true}) {
            Overrides all = overrides;
            if (normalised)
                all.emplace_back("model.qk_norm", "layernorm");
            arms.push_back(arm(prefix + name + (normalised ? "-qknorm" : ""), scheme, all));
        }
}

Overrides longer(int accumulate) { return {{"model.context", 1024}, {"train.tokens", 1'000'000'000}, {"train.accumulate", accumulate}, {"train.warmup", 0.02}}; }

Project fopeTiny()
{
    Project p = tinyTemplate();
    p.model.style = "llama";
    p.train.decay = "all";
    p.eval.protocols = {"needle", "perplexity"};
    p.eval.lengths = {128, 248, 504, 1016};
    p.arms.clear();
    addMain(p.arms, "", .3, {});
    addParts(p.arms, "", .3, {});
    addExtensions(p.arms, "", .3, {{"model.context", 512}, {"train.steps", 160}, {"train.warmup", 0.1}});
    std::vector<Arm> normalised;
    addNormalised(normalised, "", {});
    p.arms.insert(p.arms.end(), normalised.begin() + 1, normalised.end());  // the standard arm is there
    return p;
}

}  // namespace

Arm arm(const std::string& name, const std::string& scheme, Overrides overrides) { return {name, parseScheme(scheme), std::move(overrides)}; }

std::string hybrid(const std::string& special) { return "hybrid:share=0.25,special=" + special; }

std::vector<std::int64_t> seedsUpTo(std::int64_t last)
{
    std::vector<std::int64_t> seeds;
    for (std::int64_t seed = 1; seed <= last; ++seed)
        seeds.push_back(seed);
    return seeds;
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
    p.arms = smallArms();
    p.seeds = seedsUpTo(6);
    return p;
}

Project mobiusPaper(const std::string& size)
{
    Project p = mobiusBase(size);
    p.name = "mobius-paper";
    p.arms = smallArms();
    p.seeds = seedsUpTo(6);
    std::vector<Arm> large;
    if (size == "paper") {
        p.notes = "The 48 models of arXiv 2607.21405 in one project: six arms at 160M parameters with six seeds, three at 410M with four; the paper leaves open which they are, so the sixth and the last are ours.";
        large = largeArms("410m-", p.model.context, pythia410m());
    } else if (size == "410m") {
        p.notes = "The three arms of arXiv 2607.21405 at 410M parameters with four seeds, the third with a ladder of its own length on each special head.";
        p.arms = largeArms("", p.model.context, {});
        p.seeds = seedsUpTo(4);
    } else if (size == "tiny") {
        p.notes = "The 48 models of arXiv 2607.21405 at sizes that train on the CPU within minutes: six arms with six seeds, three with four at twice the depth and width.";
        large = largeArms("large-", p.model.context, twiceTiny());
    }
    for (Arm& a : large) {
        a.overrides.emplace_back(kArmSeeds, seedsUpTo(4));
        p.arms.push_back(std::move(a));
    }
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

Project fopePaper(const std::string& size)
{
    Project p = size == "tiny" ? fopeTiny() : fope60m();
    p.name = "fope-paper";
    if (size == "tiny") {
        p.notes = "The arms of arXiv 2412.17739 at a size that trains on the CPU within minutes: ladders, both parts of Fourier position embedding alone, extensions from a checkpoint, normalised queries and keys.";
        return p;
    }
    p.arms.clear();
    if (size == "20m") {
        p.notes = "The table of query and key normalisation of arXiv 2412.17739 on models of 20M parameters; their shape is ours.";
        p = withOverrides(p, fope20m());
        addNormalised(p.arms, "", {});
        return p;
    }
    for (const FopeSize& s : fopeSizes()) {
        if (size == s.name) {
            p.notes = "arXiv 2412.17739 at one of its sizes: standard ladder, ALiBi, Fourier position embedding and both of its parts alone, and fine-tuning on twice the context.";
            p = withOverrides(p, s.overrides);
            addMain(p.arms, "", s.gain, {});
            addParts(p.arms, "", s.gain, {});
            addExtensions(p.arms, "", s.gain, longer(s.longerAccumulate));
        } else if (size == "paper") {
            addMain(p.arms, s.name + "-", s.gain, s.overrides);
            if (s.name == "60m") {
                addParts(p.arms, "60m-", s.gain, {});
                addExtensions(p.arms, "60m-", s.gain, longer(s.longerAccumulate));
            }
        }
    }
    if (size == "paper") {
        p.notes = "arXiv 2412.17739 in one project: 60M, 180M and 1.2B parameters with standard ladder, ALiBi and Fourier position embedding; at 60M both of its parts alone and fine-tuning on twice the context; at 20M "
                  "(shape ours) the table of query and key normalisation.";
        addNormalised(p.arms, "20m-", fope20m());
    }
    return p;
}

Project twistedSweep(const std::string& size)
{
    Project p = mobiusBase(size);
    p.name = "twisted-sweep";
    p.notes = "Ladders (2πi + φ)/N on a quarter of the heads: the same spacing and envelope, boundary phase φ from periodic (0) over Möbius (π) to periodic without the still plane (2π).";
    p.arms = {arm("phi-0", hybrid("twisted:phi=0")), arm("phi-90", hybrid("twisted:phi=1.5707963267948966")), arm("phi-180", hybrid("twisted:phi=3.141592653589793")),
              arm("phi-270", hybrid("twisted:phi=4.71238898038469")), arm("phi-360", hybrid("twisted:phi=6.283185307179586"))};
    p.seeds = seedsUpTo(8);
    return p;
}

Project controls(const std::string& size)
{
    Project p = mobiusBase(size);
    p.name = "controls";
    p.notes = "The Möbius ladder beside every control on the same heads: periodic (A, B), aperiodic in the same band (C1, C2), standard frequencies snapped to half and whole turns, no positions.";
    p.arms = {arm("standard", "standard"), arm("mobius25", hybrid("mobius")), arm("periodic25-A", hybrid("periodic:variant=A")), arm("periodic25-B", hybrid("periodic:variant=B")),
              arm("band25-C1", hybrid("band:variant=C1")), arm("band25-C2", hybrid("band:variant=C2")), arm("snapped25-half", hybrid("snapped:mode=half")),
              arm("snapped25-whole", hybrid("snapped:mode=whole")), arm("nope25", hybrid("nope"))};
    p.seeds = seedsUpTo(4);
    return p;
}

}  // namespace holo::config::detail
