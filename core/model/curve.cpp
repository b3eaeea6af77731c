#include "core/model/curve.h"

#include <algorithm>
#include <cmath>

namespace holo::model {

Curve smoothed(const Curve& curve, double weight)
{
    Curve result{curve.x, curve.y};
    double average = 0;
    double share = 1;  // wⁿ
    for (double& y : result.y) {
        if (!std::isfinite(y))
            continue;
        average = weight * average + (1 - weight) * y;
        share *= weight;
        y = average / (1 - share);
    }
    return result;
}

Band bandOf(const std::vector<const Curve*>& curves)
{
    Band band;
    band.curves = curves.size();
    if (curves.empty())
        return band;
    std::vector<std::size_t> at(curves.size(), 0);
    for (std::size_t i = 0; i < curves[0]->size(); ++i) {
        const double x = curves[0]->x[i];
        double sum = 0;
        double low = INFINITY;
        double high = -INFINITY;
        bool shared = true;
        for (std::size_t c = 0; c < curves.size() && shared; ++c) {
            const Curve& curve = *curves[c];
            while (at[c] < curve.size() && curve.x[at[c]] < x)
                ++at[c];
            shared = at[c] < curve.size() && curve.x[at[c]] == x && std::isfinite(curve.y[at[c]]);
            if (shared) {
                const double y = curve.y[at[c]];
                sum += y;
                low = std::min(low, y);
                high = std::max(high, y);
            }
        }
        if (!shared)
            continue;
        band.x.push_back(x);
        band.mean.push_back(sum / static_cast<double>(curves.size()));
        band.low.push_back(low);
        band.high.push_back(high);
    }
    return band;
}

}  // namespace holo::model
