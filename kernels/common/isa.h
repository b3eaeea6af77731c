#pragma once

#include <string_view>

namespace holo::kernels {

// Instruction sets a CPU kernel may be compiled for. One source serves all three: vectors of 4, 8 or 16 floats.
enum class Isa { Plain, Avx2, Avx512 };

// True if this build has the path and this processor can run it. Plain always is.
bool available(Isa isa);

// The widest available path; the environment variable HOLONOMY_ISA=plain|avx2|avx512 may ask for a narrower one.
Isa bestIsa();

std::string_view isaName(Isa isa);  // "plain", "avx2", "avx512"

}  // namespace holo::kernels
