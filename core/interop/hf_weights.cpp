#include "core/interop/hf_weights.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/interop/dtype.h"

namespace holo::interop {

namespace {

using Shape = std::vector<std::int64_t>;

struct Names {
    const char *prefix, *embed, *finalNorm, *head, *layers, *ln1, *ln2, *out, *up, *gate, *down;
};

constexpr Names kNeox{"gpt_neox.", "embed_in", "final_layer_norm", "embed_out", "layers.", "input_layernorm", "post_attention_layernorm", "attention.dense", "mlp.dense_h_to_4h", "", "mlp.dense_4h_to_h"};
constexpr Names kLlama{"model.", "embed_tokens", "norm", "lm_head", "layers.", "input_layernorm", "post_attention_layernorm", "self_attn.o_proj", "mlp.up_proj", "mlp.gate_proj", "mlp.down_proj"};
constexpr Names kOwn{"", "embed", "final_norm", "head", "blocks.", "ln1", "ln2", "attn.out", "mlp.up", "mlp.gate", "mlp.down"};

const Names& namesOf(const HfConfig& config) { return config.family == kOwnFamily ? kOwn : config.style == "neox" ? kNeox : kLlama; }

RowGather whole(const std::string& target, const std::string& source, const Shape& shape) { return {target, shape, {{source, shape, {}}}}; }

Rows offset(Rows rows, std::int64_t by)
{
    for (std::int64_t& row : rows)
        row += by;
    return rows;
}

Rows counted(std::int64_t count)
{
    Rows rows(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
        rows[std::size_t(i)] = i;
    return rows;
}

// Widths of q, k and v rows, and where half-split row r lies in the file's own layout.
struct Projections {
    std::int64_t qRows, kvRows;
    Rows q, k;

    explicit Projections(const HfConfig& c)
        : qRows(std::int64_t(c.heads) * c.headDim)
        , kvRows(std::int64_t(c.kvHeads) * c.headDim)
        , q(c.pairing == ladder::Pairing::Interleaved ? interleavedToHalf(c.heads, c.headDim, c.rotaryDim) : counted(qRows))
        , k(c.pairing == ladder::Pairing::Interleaved ? interleavedToHalf(c.kvHeads, c.headDim, c.rotaryDim) : counted(kvRows))
    {
    }
};

// Calls add(ours, theirs, shape) for every tensor that is the same in both.
template <class Add>
void forSameTensors(const HfConfig& c, const Add& add)
{
    const Names& n = namesOf(c);
    const std::string prefix = n.prefix;
    const bool neox = c.style == "neox";
    const std::int64_t h = c.hidden;
    add("embed.weight", prefix + n.embed + ".weight", Shape{c.vocab, h});
    for (int layer = 0; layer < c.layers; ++layer) {
        const std::string ours = "blocks." + std::to_string(layer) + ".";
        const std::string theirs = prefix + n.layers + std::to_string(layer) + ".";
        const auto norm = [&](const std::string& our, const std::string& their) {
            if (c.norm != "layernorm-plain")
                add(ours + our + ".weight", theirs + their + ".weight", Shape{h});
            if (c.norm == "layernorm")
                add(ours + our + ".bias", theirs + their + ".bias", Shape{h});
        };
        const auto both = [&](const std::string& our, const std::string& their, const Shape& shape, bool bias) {
            add(ours + our + ".weight", theirs + their + ".weight", shape);
            if (bias)
                add(ours + our + ".bias", theirs + their + ".bias", Shape{shape[0]});
        };
        norm("ln1", n.ln1);
        both("attn.out", n.out, {h, std::int64_t(c.heads) * c.headDim}, c.outputBias);
        norm("ln2", n.ln2);
        both("mlp.up", n.up, {c.mlp, h}, c.mlpBias);
        if (!neox)
            both("mlp.gate", n.gate, {c.mlp, h}, c.mlpBias);
        both("mlp.down", n.down, {h, c.mlp}, c.mlpBias);
    }
    if (c.norm != "layernorm-plain")
        add("final_norm.weight", prefix + n.finalNorm + ".weight", Shape{h});
    if (c.norm == "layernorm")
        add("final_norm.bias", prefix + n.finalNorm + ".bias", Shape{h});
    if (!c.tied)
        add("head.weight", std::string(n.head) + ".weight", Shape{c.vocab, h});
}

// Calls add(ours, layer name of theirs, columns) for qkv weights and biases; no columns: a bias.
template <class Add>
void forFusedTensors(const HfConfig& c, const Add& add)
{
    const Names& n = namesOf(c);
    for (int layer = 0; layer < c.layers; ++layer) {
        const std::string theirs = std::string(n.prefix) + n.layers + std::to_string(layer) + (c.style == "neox" ? ".attention." : ".self_attn.");
        const std::string ours = "blocks." + std::to_string(layer) + ".attn.qkv.";
        add(ours + "weight", theirs, std::string("weight"), Shape{c.hidden});
        if (c.qkvBias)
            add(ours + "bias", theirs, std::string("bias"), Shape{});
    }
}

Shape withRows(std::int64_t rows, const Shape& columns)
{
    Shape shape{rows};
    shape.insert(shape.end(), columns.begin(), columns.end());
    return shape;
}

}  // namespace

std::vector<RowGather> importPlan(const HfConfig& c)
{
    std::vector<RowGather> plan;
    forSameTensors(c, [&](const std::string& ours, const std::string& theirs, const Shape& shape) { plan.push_back(whole(ours, theirs, shape)); });
    const Projections p(c);
    forFusedTensors(c, [&](const std::string& ours, const std::string& theirs, const std::string& kind, const Shape& columns) {
        RowGather gather{ours, withRows(p.qRows + 2 * p.kvRows, columns), {}};
        if (c.family == kOwnFamily) {
            gather.parts.push_back({ours, gather.shape, {}});
        } else if (c.style == "neox") {
            const FusedRows fused = neoxFusedRows(c.heads, c.headDim);
            const std::string source = theirs + "query_key_value." + kind;
            for (const Rows& rows : {composed(fused.q, p.q), composed(fused.k, p.k), fused.v})
                gather.parts.push_back({source, withRows(3 * p.qRows, columns), rows});
        } else {
            gather.parts.push_back({theirs + "q_proj." + kind, withRows(p.qRows, columns), p.q});
            gather.parts.push_back({theirs + "k_proj." + kind, withRows(p.kvRows, columns), p.k});
            gather.parts.push_back({theirs + "v_proj." + kind, withRows(p.kvRows, columns), {}});
        }
        plan.push_back(std::move(gather));
    });
    return plan;
}

std::vector<RowGather> exportPlan(const HfConfig& c, ladder::Pairing pairing)
{
    std::vector<RowGather> plan;
    forSameTensors(c, [&](const std::string& ours, const std::string& theirs, const Shape& shape) { plan.push_back(whole(theirs, ours, shape)); });
    const Projections p(c);
    forFusedTensors(c, [&](const std::string& ours, const std::string& theirs, const std::string& kind, const Shape& columns) {
        const Shape ourShape = withRows(p.qRows + 2 * p.kvRows, columns);
        const auto single = [&](const std::string& target, std::int64_t count, const Rows& rows) {
            plan.push_back({target, withRows(count, columns), {{ours, ourShape, rows}}});
        };
        const bool turned = pairing == ladder::Pairing::Interleaved;
        const Rows q = turned ? composed(interleavedToHalf(c.heads, c.headDim, c.rotaryDim), inverse(p.q)) : inverse(p.q);
        const Rows k = offset(turned ? composed(interleavedToHalf(c.kvHeads, c.headDim, c.rotaryDim), inverse(p.k)) : inverse(p.k), p.qRows);
        const Rows v = offset(counted(p.kvRows), p.qRows + p.kvRows);
        if (c.style == "neox") {
            const FusedRows fused = neoxFusedRows(c.heads, c.headDim);
            Rows rows(std::size_t(3 * p.qRows));
            for (std::size_t i = 0; i < fused.q.size(); ++i) {
                rows[std::size_t(fused.q[i])] = q[i];
                rows[std::size_t(fused.k[i])] = k[i];
                rows[std::size_t(fused.v[i])] = v[i];
            }
            single(theirs + "query_key_value." + kind, 3 * p.qRows, rows);
        } else {
            single(theirs + "q_proj." + kind, p.qRows, q);
            single(theirs + "k_proj." + kind, p.kvRows, k);
            single(theirs + "v_proj." + kind, p.kvRows, v);
        }
    });
    return plan;
}

ImportReport checkTensors(std::vector<RowGather>& plan, const HfConfig& config, const TensorSet& tensors)
{
    ImportReport report;
    const std::string file = tensors.path().string();
    const std::string family = namesOf(config).prefix;
    report.prefix = family;
    report.total = tensors.entries().size();
    if (!tensors.find(family + namesOf(config).embed + ".weight") && tensors.find(std::string(namesOf(config).embed) + ".weight")) {
        report.prefix.clear();
        for (RowGather& gather : plan)
            for (RowGather::Part& part : gather.parts)
                if (part.source.starts_with(family))
                    part.source.erase(0, family.size());
    }
    std::set<std::string> used;
    std::vector<std::string> missing;
    for (const RowGather& gather : plan)
        for (const RowGather::Part& part : gather.parts) {
            const TensorSet::Entry* entry = tensors.find(part.source);
            if (!entry) {
                if (missing.empty() || missing.back() != part.source)
                    missing.push_back(part.source);
                continue;
            }
            if (entry->info->shape != part.sourceShape)
                throw Error::at(ErrorKind::Malformed, {entry->file->path().string(), "shape of tensor \"" + part.source + "\"", shapeText(entry->info->shape), shapeText(part.sourceShape) + " by the config"});
            if (!isUsedFloat(entry->info->dtype))
                throw Error::at(ErrorKind::Unsupported, {entry->file->path().string(), "type of tensor \"" + part.source + "\"", entry->info->dtype, "F32, F16, BF16 or F64"});
            used.insert(part.source);
        }
    if (!missing.empty())
        throw Error::at(ErrorKind::Malformed, {file, "tensors", "without " + std::to_string(missing.size()) + " that the config asks for: " + join(missing, ", "), "all of them"});
    report.used = used.size();
    const std::string head = std::string(namesOf(config).head) + ".weight";
    std::size_t masks = 0;
    for (const TensorSet::Entry& entry : tensors.entries()) {
        const std::string& name = entry.info->name;
        if (used.contains(name))
            continue;
        if (name.ends_with("rotary_emb.inv_freq"))
            report.frequencies.push_back(name);
        else if (name.ends_with(".attention.bias") || name.ends_with(".attention.masked_bias"))
            ++masks;
        else if (config.tied && name == head)
            report.notes.push_back(name + " is ignored: tie_word_embeddings says that the embedding is used");
        else
            report.notes.push_back(name + " is not part of this architecture; it is ignored");
    }
    if (masks > 0)
        report.notes.push_back(std::to_string(masks) + " masks (attention.bias, attention.masked_bias), kept by older files, are ignored");
    report.notes.push_back(std::to_string(report.used) + " of " + std::to_string(report.total) + " tensors used");
    return report;
}

std::vector<std::string> checkVocabulary(std::uint64_t tokenizerEntries, const HfConfig& config, const std::string& source)
{
    if (tokenizerEntries > std::uint64_t(config.vocab))
        throw Error::at(ErrorKind::Malformed, {source, "entries of the tokenizer", std::to_string(tokenizerEntries), "at most " + std::to_string(config.vocab) + ", the rows of the embedding"});
    if (tokenizerEntries < std::uint64_t(config.vocab))
        return {"the embedding has " + std::to_string(config.vocab) + " rows for " + std::to_string(tokenizerEntries) + " tokens; the others are padding and are never generated"};
    return {};
}

}  // namespace holo::interop
