#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/config/project.h"

// Projects after the two papers that the workbench reproduces, from a size that a laptop trains to the papers' own.
namespace holo::config::detail {

using Overrides = std::vector<std::pair<std::string, Json>>;

Arm arm(const std::string& name, const std::string& scheme, Overrides overrides = {});
std::string hybrid(const std::string& special);  // on a quarter of the heads
std::vector<std::int64_t> seedsUpTo(std::int64_t last);

// The defaults of the specs: 122 880 parameters on the corpus of facts, N/d = 32 as in arXiv 2607.21405.
Project tinyTemplate();

Project mobius160m();
// Sizes: paper (48 models: six arms at 160M with six seeds, three at 410M with four), 160m and 410m (its two halves), tiny (all 48 at sizes of ours).
Project mobiusPaper(const std::string& size);
Project fope60m();
// Sizes: paper, 60m, 180m, 1200m, 20m (the table of QK normalisation), tiny (all arms at a size of ours).
Project fopePaper(const std::string& size);
// Sizes: tiny, 160m, 410m.
Project twistedSweep(const std::string& size);
Project controls(const std::string& size);

}  // namespace holo::config::detail
