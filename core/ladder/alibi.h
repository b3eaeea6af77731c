#pragma once

#include <vector>

namespace holo::ladder {

// Slopes of the linear bias, b = −slope·(m−n), one a head (arXiv 2108.12409). Reference: 2^{−8(h+1)/H} for H a power of two; else the
// slopes of the power of two below H, then every other slope of the one above.
std::vector<double> alibiSlopes(int heads);

// The plain series 2^{−8(h+1)/H} for any H, as in OLMo.
std::vector<double> alibiPlainSlopes(int heads);

}  // namespace holo::ladder
