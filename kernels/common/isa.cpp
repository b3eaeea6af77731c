#include "kernels/common/isa.h"

#include <cstdlib>

namespace holo::kernels {

bool available(Isa isa)
{
    if (isa == Isa::Plain)
        return true;
#if HOLO_KERNELS_X86
    if (isa == Isa::Avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    return available(Isa::Avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

namespace {

Isa choose()
{
    Isa widest = Isa::Plain;
    for (const Isa isa : {Isa::Avx2, Isa::Avx512}) {
        if (available(isa))
            widest = isa;
    }
    if (const char* wish = std::getenv("HOLONOMY_ISA")) {
        for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
            if (isaName(isa) == wish && available(isa))
                return isa;
        }
    }
    return widest;
}

}  // namespace

Isa bestIsa()
{
    static const Isa best = choose();
    return best;
}

std::string_view isaName(Isa isa)
{
    return isa == Isa::Avx512 ? "avx512" : isa == Isa::Avx2 ? "avx2" : "plain";
}

}  // namespace holo::kernels
