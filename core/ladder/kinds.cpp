#include "core/ladder/kinds.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::ladder {

namespace {

using enum ParameterType;

constexpr double kMaxContext = 1 << 26;

ParameterInfo base()
{
    return {.key = "base", .type = Number, .derived = "the model's base", .minimum = 1, .exclusiveMinimum = true, .help = "θ_j = base^(−2j/d)"};
}

ParameterInfo context()
{
    return {.key = "context", .type = Integer, .derived = "the model's context", .minimum = 2, .maximum = kMaxContext, .unit = "tokens", .help = "N, the training context that the ladder is made for"};
}

ParameterInfo aliases()
{
    return {.key = "aliases", .type = Text, .fallback = "refuse", .choices = {"refuse", "allow"}, .help = "planes faster than π a token coincide with slower ones on whole positions"};
}

ParameterInfo factor(bool mayDerive)
{
    return {.key = "factor", .type = Number, .derived = mayDerive ? "the model's context over original" : "", .minimum = 1, .help = "s, wanted context over original context", .required = !mayDerive};
}

ParameterInfo original()
{
    return {.key = "original", .type = Integer, .derived = "the model's context", .minimum = 2, .maximum = kMaxContext, .unit = "tokens", .help = "context of the training before the extension"};
}

ParameterInfo attentionFactor(std::string_view derived)
{
    return {.key = "attention_factor", .type = Number, .derived = derived, .minimum = 0, .exclusiveMinimum = true, .help = "factor on cos and sin; a given value is used as it stands"};
}

ParameterInfo pattern(std::string_view fallback, std::string_view help)
{
    return {.key = "pattern", .type = Text, .fallback = fallback, .help = help};
}

std::vector<KindInfo> makeKinds()
{
    return {
        {Kind::Standard, "standard", "geometric ladder of rotary position embedding", "arXiv 2104.09864", {base(), context()}},
        {Kind::Mobius, "mobius", "anti-periodic ladder π(2i+1)/N: every plane comes back negated after N tokens", "arXiv 2607.21405", {context(), aliases()}},
        {Kind::Periodic, "periodic", "periodic control: whole turns in N tokens, every plane comes back as it was", "control of arXiv 2607.21405",
         {context(), {.key = "variant", .type = Text, .fallback = "A", .choices = {"A", "B"}, .help = "A: 2π(i+1)/N; B: 2πi/N, plane 0 does not turn"}, aliases()}},
        {Kind::Band, "band", "aperiodic control in the band of the Möbius ladder", "control of arXiv 2607.21405",
         {context(), {.key = "variant", .type = Text, .fallback = "C2", .choices = {"C1", "C2"}, .help = "C1: geometric between the same ends; C2: jittered, same density and mean"}, aliases()}},
        {Kind::Twisted, "twisted", "(2πi + φ)/N: the boundary phase φ leads from periodic (0) to Möbius (π)", "family of arXiv 2607.21405",
         {context(), {.key = "phi", .type = Number, .fallback = "3.141592653589793", .minimum = 0, .maximum = 6.283185307179587, .unit = "rad", .help = "phase left after N tokens in every plane"}, aliases()}},
        {Kind::Snapped, "snapped", "standard frequencies moved to half or whole turns in N tokens", "half mode of clamp_to_linear, arXiv 2412.17739 code",
         {base(), context(), {.key = "mode", .type = Text, .fallback = "half", .choices = {"half", "whole"}, .help = "half: floor(r)+½ turns; whole: round(r) turns"}}},
        {Kind::Fope, "fope", "Fourier position embedding: a series in every plane, undertrained planes clipped", "arXiv 2412.17739",
         {base(), context(),
          {.key = "mode", .type = Text, .fallback = "official", .choices = {"official", "clean"}, .help = "official: step identity as released; clean: one dominant frequency in every plane"},
          {.key = "gain", .type = Number, .derived = "0.3 unless std is given", .minimum = 0, .help = "Xavier gain; entry std = gain·√(2/(P(D+H)))"},
          {.key = "std", .type = Number, .minimum = 0, .help = "standard deviation of an entry, in place of gain"},
          {.key = "fourier_dim", .type = Integer, .fallback = "0", .minimum = 0, .maximum = 65536, .help = "width of the frequency list, even; 0 or below the head: as the head"},
          {.key = "cap", .type = Integer, .derived = "a quarter of the width (official), planes above the floor (clean)", .minimum = 1, .maximum = 32768, .unit = "planes", .help = "most planes with a series"},
          {.key = "pad", .type = Text, .fallback = "one", .choices = {"one", "pass"}, .help = "planes without a series: cos = sin = 1 as released, or left alone"},
          {.key = "norm", .type = Text, .fallback = "none", .choices = {"none", "columns"}, .help = "divide each column of coefficients by its sum"},
          {.key = "parts", .type = Text, .fallback = "both", .choices = {"fs", "cf", "both"}, .help = "Fourier series alone, clipped frequencies alone, or both"},
          {.key = "original", .type = List, .derived = "none: not expanded", .minimum = 2, .maximum = kMaxContext, .unit = "tokens", .help = "contexts before a length expansion, rising: their coefficients stay as the top left block"},
          {.key = "seed", .type = Integer, .derived = "the run's seed", .minimum = 0, .maximum = 9007199254740991, .help = "of the coefficients"},
          {.key = "cos", .type = ParameterType::Matrix, .derived = "drawn", .help = "own cosine coefficients: rows = kept frequencies, columns = planes"},
          {.key = "sin", .type = ParameterType::Matrix, .derived = "drawn", .help = "own sine coefficients: rows = kept frequencies, columns = planes"}}},
        {Kind::Linear, "linear", "position interpolation: every frequency divided by the factor", "arXiv 2306.15595", {base(), context(), factor(false)}},
        {Kind::Ntk, "ntk", "NTK-aware base: highest frequency kept, lowest divided by the factor", "github.com/jquesnelle/yarn", {base(), context(), factor(false)}},
        {Kind::DynamicNtk, "dynamic-ntk", "NTK base that grows with the length of the sequence beyond the original context", "github.com/jquesnelle/yarn", {base(), factor(false), original()}},
        {Kind::Yarn, "yarn", "YaRN: ramp between kept and interpolated planes, with attention factor", "arXiv 2309.00071",
         {base(), factor(true), original(),
          {.key = "ramp", .type = Text, .fallback = "index", .choices = {"index", "turn"}, .help = "ramp over plane indices (released code) or over turns (paper)"},
          {.key = "beta_fast", .type = Number, .fallback = "32", .minimum = 0, .exclusiveMinimum = true, .unit = "turns", .help = "planes that turn more often are kept"},
          {.key = "beta_slow", .type = Number, .fallback = "1", .minimum = 0, .exclusiveMinimum = true, .unit = "turns", .help = "planes that turn less are interpolated"},
          attentionFactor("0.1 ln s + 1 for s > 1"),
          {.key = "mscale", .type = Number, .minimum = 0, .help = "with mscale_all_dim: the attention factor is the ratio of both"},
          {.key = "mscale_all_dim", .type = Number, .minimum = 0, .help = "see mscale"},
          {.key = "truncate", .type = Text, .fallback = "yes", .choices = {"yes", "no"}, .help = "round the ends of the index ramp outwards to whole planes"}}},
        {Kind::LongRope, "longrope", "one divisor a plane, a short and a long list", "arXiv 2402.13753",
         {base(), factor(true), original(),
          {.key = "short", .type = List, .minimum = 0, .exclusiveMinimum = true, .help = "divisors up to the original context, one a plane", .required = true},
          {.key = "long", .type = List, .minimum = 0, .exclusiveMinimum = true, .help = "divisors beyond the original context, one a plane", .required = true},
          {.key = "kept", .type = Integer, .fallback = "0", .minimum = 0, .maximum = kMaxContext, .unit = "tokens", .help = "first positions that keep the standard ladder"},
          attentionFactor("√(1 + ln s/ln N) for s > 1")}},
        {Kind::Llama3, "llama3", "Llama-3 scaling: slow planes divided by the factor, fast ones kept", "transformers, rope type llama3",
         {base(), {.key = "factor", .type = Number, .fallback = "8", .minimum = 1, .help = "s, divisor of the slow planes"},
          {.key = "original", .type = Integer, .fallback = "8192", .minimum = 2, .maximum = kMaxContext, .unit = "tokens", .help = "context of the training before the extension"},
          {.key = "low", .type = Number, .fallback = "1", .minimum = 0, .exclusiveMinimum = true, .unit = "turns", .help = "planes that turn less are divided"},
          {.key = "high", .type = Number, .fallback = "4", .minimum = 0, .exclusiveMinimum = true, .unit = "turns", .help = "planes that turn more often are kept"}}},
        {Kind::MrRope, "mrrope", "mixed-radix extension between the planes of 32 turns and of one turn", "arXiv 2601.22181",
         {base(), factor(true), original(), {.key = "variant", .type = Text, .fallback = "pro", .choices = {"uni", "pro"}, .help = "uniform or progressive radix"},
          attentionFactor("0.1 ln s + 1 for s > 1")}},
        {Kind::PRope, "p-rope", "lowest frequencies dropped, a share of the planes kept", "arXiv 2410.06205",
         {base(), context(), {.key = "share", .type = Number, .fallback = "0.25", .minimum = 0, .maximum = 1, .help = "share p of the planes that rotate, fastest first"}}},
        {Kind::Clipped, "clipped", "last planes faded out or set to zero", "arXiv 2602.05258",
         {base(), context(), {.key = "planes", .type = Integer, .derived = "20 of 64 planes", .minimum = 1, .maximum = 32768, .help = "n, number of planes that are faded out"},
          {.key = "mode", .type = Text, .fallback = "taper", .choices = {"taper", "hard"}, .help = "taper: half a cosine over the planes; hard: zero"}}},
        {Kind::Alibi, "alibi", "no rotation, a bias that falls linearly with distance", "arXiv 2108.12409",
         {{.key = "series", .type = Text, .fallback = "reference", .choices = {"reference", "plain"}, .help = "reference: two series interleaved where the head count is no power of two; plain: 2^(−8h/H)"}}},
        {Kind::Window, "window", "standard ladder, each query sees the last keys only", "sliding-window attention",
         {base(), context(), {.key = "size", .type = Integer, .fallback = "64", .minimum = 1, .maximum = kMaxContext, .unit = "tokens", .help = "keys that a query sees, itself included"},
          pattern("S", "layers in turn: S with the window, L without")}},
        {Kind::PeriodicRope, "periodic-rope", "positions modulo the window in sliding-window layers, no positions in global ones", "arXiv 2605.27980",
         {base(), context(), {.key = "window", .type = Integer, .fallback = "64", .minimum = 1, .maximum = kMaxContext, .unit = "tokens", .help = "W: keys that a query sees, and the period of positions"},
          pattern("SSSL", "layers in turn: S with window and rotation, L global without positions; the last layer is always global"),
          {.key = "log_offset", .type = Number, .derived = "off", .minimum = 0, .exclusiveMinimum = true, .help = "a: logits of global layers × ln(a+L)/ln(a+1)"}}},
        {Kind::Landmark, "landmark", "standard ladder, blocks of keys gated by landmark tokens", "arXiv 2305.16300",
         {base(), context(), {.key = "block", .type = Integer, .fallback = "64", .minimum = 2, .maximum = kMaxContext, .unit = "tokens", .help = "tokens of a block, the landmark at its end included"},
          {.key = "retrieve", .type = Integer, .fallback = "0", .minimum = 0, .maximum = kMaxContext, .unit = "blocks", .help = "k: earlier blocks that a query reads, those whose landmarks score highest; 0: all"}}},
        {Kind::Xpos, "xpos", "rotation with a decay per plane", "arXiv 2212.10554",
         {base(), context(), {.key = "scale_base", .type = Number, .fallback = "512", .minimum = 0, .exclusiveMinimum = true, .unit = "tokens", .help = "plane j falls by ζ_j in so many tokens"}}},
        {Kind::Nope, "nope", "no positions at all; only the causal mask orders tokens", "arXiv 2305.19466", {}},
        {Kind::Resonance, "resonance", "wavelengths rounded to whole tokens", "arXiv 2403.00071", {base(), context()}},
        {Kind::MobiusAttention, "mobius-attention", "learned Möbius transformations of the query in the outer layers; standard ladder", "arXiv 2409.12175",
         {base(), context(), {.key = "share", .type = Number, .fallback = "0.5", .minimum = 0, .maximum = 1, .help = "share of the heads of the first and of the last layer"}}},
        {Kind::Custom, "custom", "frequencies of your own", "",
         {context(), {.key = "theta", .type = List, .unit = "rad/token", .help = "one frequency a plane", .required = true}}},
        {Kind::Hybrid, "hybrid", "different schemes on different heads", "arXiv 2607.21405",
         {{.key = "share", .type = Number, .fallback = "0.25", .minimum = 0, .maximum = 1, .help = "share of the heads of every layer with the special scheme, rounded up"},
          {.key = "special", .type = ParameterType::Scheme, .fallback = "mobius", .help = "scheme of the special heads"},
          {.key = "rest", .type = ParameterType::Scheme, .fallback = "standard", .help = "scheme of the other heads"}}},
    };
}

std::string choiceText(const std::vector<std::string_view>& choices)
{
    std::string text;
    for (const auto choice : choices)
        text += (text.empty() ? "" : ", ") + std::string(choice);
    return text;
}

bool inRange(const ParameterInfo& info, double value)
{
    return std::isfinite(value) && value <= info.maximum && (info.exclusiveMinimum ? value > info.minimum : value >= info.minimum);
}

}  // namespace

std::string ParameterInfo::allowed() const
{
    if (type == Text)
        return choices.empty() ? "a text" : "one of " + choiceText(choices);
    if (type == ParameterType::Scheme)
        return "a positional scheme";
    std::string text = type == Integer ? "a whole number" : type == List ? "a list of finite numbers" : type == ParameterType::Matrix ? "a matrix of finite numbers" : "a finite number";
    if (std::isfinite(minimum))
        text += (exclusiveMinimum ? " > " : " >= ") + formatDouble(minimum);
    if (std::isfinite(maximum))
        text += (std::isfinite(minimum) ? " and <= " : " <= ") + formatDouble(maximum);
    return text;
}

const ParameterInfo* KindInfo::find(std::string_view key) const
{
    const auto it = std::find_if(parameters.begin(), parameters.end(), [&](const ParameterInfo& p) { return p.key == key; });
    return it == parameters.end() ? nullptr : &*it;
}

std::vector<std::string> KindInfo::keys() const
{
    std::vector<std::string> names;
    for (const ParameterInfo& p : parameters)
        names.emplace_back(p.key);
    return names;
}

const std::vector<KindInfo>& kinds()
{
    static const std::vector<KindInfo> table = makeKinds();
    return table;
}

const KindInfo& kindInfo(Kind kind)
{
    for (const KindInfo& info : kinds())
        if (info.kind == kind)
            return info;
    throw Error(ErrorKind::Internal, "A positional scheme has no entry in the table of kinds.");
}

std::string_view kindName(Kind kind) { return kindInfo(kind).name; }

std::optional<Kind> findKind(std::string_view name)
{
    for (const KindInfo& info : kinds())
        if (info.name == name)
            return info.kind;
    return std::nullopt;
}

Kind parseKind(std::string_view name)
{
    if (const auto kind = findKind(name))
        return *kind;
    std::vector<std::string> names;
    for (const KindInfo& info : kinds())
        names.emplace_back(info.name);
    throw Error(ErrorKind::Usage, "There is no positional scheme \"" + std::string(name) + "\"; " + suggestion(name, names),
                {.field = "kind", .found = std::string(name), .allowed = join(names, ", ")});
}

void checkParameter(const KindInfo& kind, const std::string& key, const Value& value)
{
    const std::string field = std::string(kind.name) + "." + key;
    const ParameterInfo* info = kind.find(key);
    if (!info) {
        const auto keys = kind.keys();
        throw Error(ErrorKind::Usage, keys.empty() ? field + " is not known; " + std::string(kind.name) + " takes no parameters." : field + " is not known; " + suggestion(key, keys),
                    {.field = field, .found = valueText(value), .allowed = join(keys, ", ")});
    }
    const auto refuse = [&](const std::string& found) { throw Error::at(ErrorKind::Usage, {.field = field, .found = found, .allowed = info->allowed()}); };
    const double* number = std::get_if<double>(&value);
    const std::string* text = std::get_if<std::string>(&value);
    const auto* list = std::get_if<std::vector<double>>(&value);
    const auto* matrix = std::get_if<holo::ladder::Matrix>(&value);
    const auto checkAll = [&](const std::vector<double>& values) {
        for (const double v : values)
            if (!inRange(*info, v))
                refuse(formatDouble(v));
    };
    switch (info->type) {
    case Number:
    case Integer:
        if (!number || !inRange(*info, *number) || (info->type == Integer && *number != std::floor(*number)))
            refuse(valueText(value));
        break;
    case Text:
        if (!text || (!info->choices.empty() && std::find(info->choices.begin(), info->choices.end(), *text) == info->choices.end()))
            refuse(valueText(value));
        break;
    case List:
        if (number)
            checkAll({*number});
        else if (list)
            checkAll(*list);
        else
            refuse(valueText(value));
        break;
    case ParameterType::Matrix:
        if (!matrix)
            refuse(valueText(value));
        for (const auto& row : *matrix) {
            if (row.size() != matrix->front().size())
                refuse("a matrix with rows of different lengths");
            checkAll(row);
        }
        break;
    case ParameterType::Scheme:
        if (!text)
            refuse(valueText(value));
        break;
    }
}

std::string valueText(const Value& value)
{
    const auto listText = [](const std::vector<double>& list) {
        std::string text = "[";
        for (const double v : list)
            text += (text.size() > 1 ? "," : "") + formatDouble(v);
        return text + "]";
    };
    if (const double* number = std::get_if<double>(&value))
        return formatDouble(*number);
    if (const std::string* text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* list = std::get_if<std::vector<double>>(&value))
        return listText(*list);
    std::string text = "[";
    for (const auto& row : std::get<holo::ladder::Matrix>(value))
        text += (text.size() > 1 ? "," : "") + listText(row);
    return text + "]";
}

}  // namespace holo::ladder
