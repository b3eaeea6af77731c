#pragma once

#include "kernels/classifier/classifier.h"

namespace holo::kernels {

// What a row's loss is made of: log(sum) − target, both relative to the row's largest logit.
struct ClassifierRow {
    double sum = 1;
    double target = 0;
};

// Rows begin … end−1; one function per instruction set.
void classifierRowsPlain(const ClassifierParams& params, ClassifierRow* rows, std::int64_t begin, std::int64_t end);
void classifierRowsAvx2(const ClassifierParams& params, ClassifierRow* rows, std::int64_t begin, std::int64_t end);
void classifierRowsAvx512(const ClassifierParams& params, ClassifierRow* rows, std::int64_t begin, std::int64_t end);

}  // namespace holo::kernels
