#include "kernels/classifier/classifier_rows_simd.h"

namespace holo::kernels {

void classifierRowsAvx2(const ClassifierParams& params, ClassifierRow* sums, std::int64_t begin, std::int64_t end)
{
    classifierRowsOf<8>(params, sums, begin, end);
}

}  // namespace holo::kernels
