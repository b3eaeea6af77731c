#include "core/config/trained_scheme.h"

#include <optional>

#include "core/ladder/kinds.h"
#include "core/ladder/parameters.h"
#include "core/ladder/plan.h"

namespace holo::config {

namespace {

using ladder::Kind;
using ladder::ModelShape;
using ladder::Part;
using ladder::Scheme;

// A hybrid with its parts written down.
Scheme withParts(const Scheme& scheme)
{
    if (scheme.kind != Kind::Hybrid)
        return scheme;
    return {Kind::Hybrid, {}, ladder::hybridParts(scheme)};
}

bool takes(const Scheme& scheme, const char* key) { return ladder::kindInfo(scheme.kind).find(key) != nullptr; }

void fill(Scheme& scheme, const char* key, const ladder::Value& value)
{
    if (takes(scheme, key))
        scheme.parameters.try_emplace(key, value);
}

// Kinds whose tables are made for N; elsewhere the context only says what counts as undertrained.
bool isMadeForContext(Kind kind)
{
    switch (kind) {
    case Kind::Mobius:
    case Kind::Periodic:
    case Kind::Twisted:
    case Kind::Band:
    case Kind::Snapped:
    case Kind::Fope: return true;
    default: return false;
    }
}

bool isExtension(const Scheme& scheme) { return scheme.kind != Kind::Fope && takes(scheme, "original"); }

// The first scheme, of the whole or of a part, that `fits`.
template <class F>
std::optional<Scheme> findScheme(const Scheme& scheme, F&& fits)
{
    if (scheme.kind != Kind::Hybrid)
        return fits(scheme) ? std::optional(scheme) : std::nullopt;
    for (const Part& part : ladder::hybridParts(scheme))
        if (fits(part.scheme))
            return part.scheme;
    return std::nullopt;
}

double numberOr(const Scheme& scheme, const char* key, double other)
{
    const auto it = scheme.parameters.find(key);
    const double* value = it == scheme.parameters.end() ? nullptr : std::get_if<double>(&it->second);
    return value ? *value : other;
}

Scheme kept(Scheme scheme, const ModelShape& before, const ModelShape& shape)
{
    for (Part& part : scheme.parts)
        part.scheme = kept(part.scheme, before, shape);
    if (scheme.kind == Kind::Fope && before.seed != shape.seed)
        fill(scheme, "seed", double(before.seed));
    if (before.context == shape.context)
        return scheme;
    if (isMadeForContext(scheme.kind))
        fill(scheme, "context", double(before.context));
    if (isExtension(scheme) && scheme.kind != Kind::Llama3) {
        fill(scheme, "original", double(before.context));
        fill(scheme, "factor", double(before.context) / numberOr(scheme, "original", double(before.context)));
    }
    return scheme;
}

Scheme completed(Scheme scheme, const TrainedWith& trained, const ModelShape& shape)
{
    for (Part& part : scheme.parts)
        part.scheme = completed(part.scheme, trained, shape);
    const double context = double(trained.shape.context);
    if (isExtension(scheme)) {
        const auto extended = findScheme(trained.scheme, isExtension);
        const double tableDefault = extended && extended->kind == Kind::Llama3 ? 8192 : context;
        fill(scheme, "original", extended ? numberOr(*extended, "original", tableDefault) : context);
    }
    if ((scheme.kind == Kind::Linear || scheme.kind == Kind::Ntk) && shape.context > trained.shape.context)
        fill(scheme, "factor", double(shape.context) / context);
    if (scheme.kind != Kind::Fope)
        return scheme;
    const auto series = findScheme(trained.scheme, [](const Scheme& s) { return s.kind == Kind::Fope; });
    if (!series)
        return scheme;
    const Scheme full = kept(*series, trained.shape, shape);
    const bool ownSize = scheme.parameters.contains("gain") || scheme.parameters.contains("std");
    for (const auto& [key, value] : full.parameters)
        if (key != "context" && key != "original" && !(ownSize && (key == "gain" || key == "std")))
            scheme.parameters.try_emplace(key, value);
    const double before = numberOr(*series, "context", context);
    const double after = numberOr(scheme, "context", double(shape.context));
    std::vector<double> contexts = ladder::Parameters(*series, trained.shape).list("original");
    if (after > before)
        contexts.push_back(before);
    if (after >= before && !contexts.empty())
        scheme.parameters.try_emplace("original", contexts);
    return scheme;
}

}  // namespace

Scheme keptScheme(const TrainedWith& trained, const ModelShape& shape)
{
    return trained.shape.context == shape.context && trained.shape.seed == shape.seed ? trained.scheme : kept(withParts(trained.scheme), trained.shape, shape);
}

Scheme schemeForWeights(const Scheme& wanted, const TrainedWith& trained, const ModelShape& shape) { return completed(withParts(wanted), trained, shape); }

}  // namespace holo::config
