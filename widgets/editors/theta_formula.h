#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace holo::widgets {

// θ of every plane from one formula in the plane's index: "pi*(2*i+1)/N", "base^(-2*i/d)".
// + − * / ^ (right to left, before the sign: −2^2 = −4), comparisons and "i < 8 ? a : b", brackets, numbers, the functions
// sqrt exp log sin cos abs, and the names
//   i  plane 0 … M−1      M  planes      d  rotated lanes 2M      N  training context      base  of the model      pi, e
struct FormulaContext {
    int planes = 0;
    std::int64_t context = 0;
    double base = 10000;
};

struct FormulaResult {
    std::vector<double> theta;  // empty with a problem
    std::string problem;        // one sentence that names the place: "column 4: …"
};

FormulaResult evaluateFormula(const std::string& formula, const FormulaContext& context);

}  // namespace holo::widgets
