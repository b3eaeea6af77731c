#include "kernels/classifier/classifier_rows_simd.h"

namespace holo::kernels {

void classifierRowsPlain(const ClassifierParams& params, ClassifierRow* sums, std::int64_t begin, std::int64_t end)
{
    classifierRowsOf<4>(params, sums, begin, end);
}

}  // namespace holo::kernels
