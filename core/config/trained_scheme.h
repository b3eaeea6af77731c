#pragma once

#include "core/ladder/scheme.h"

namespace holo::config {

// How weights were trained: the scheme as it was written, and the model that resolved it.
struct TrainedWith {
    ladder::Scheme scheme;
    ladder::ModelShape shape;
};

// The trained scheme for weights that go on in a model of another context or seed: N, `original`, a derived factor and the seed of Fourier
// coefficients stay what they were, since the weights know no other table. Base and width follow the model.
ladder::Scheme keptScheme(const TrainedWith& trained, const ladder::ModelShape& shape);

// Another scheme for trained weights, with what it leaves out taken from their training:
//   original   the trained context; of weights that were extended before, the context before that extension
//   factor     of linear and ntk in a longer model: its context over the trained one
//   fope       on weights trained with fope: all their settings, their coefficients kept within a longer context (length expansion)
ladder::Scheme schemeForWeights(const ladder::Scheme& wanted, const TrainedWith& trained, const ladder::ModelShape& shape);

}  // namespace holo::config
