#include "core/interop/row_maps.h"

namespace holo::interop {

FusedRows neoxFusedRows(int heads, int headDim)
{
    FusedRows rows;
    for (std::int64_t head = 0; head < heads; ++head)
        for (std::int64_t lane = 0; lane < headDim; ++lane) {
            const std::int64_t first = head * 3 * headDim + lane;
            rows.q.push_back(first);
            rows.k.push_back(first + headDim);
            rows.v.push_back(first + 2 * headDim);
        }
    return rows;
}

Rows interleavedToHalf(int heads, int headDim, int rotaryDim)
{
    Rows rows;
    for (std::int64_t head = 0; head < heads; ++head)
        for (std::int64_t lane = 0; lane < headDim; ++lane) {
            const std::int64_t planes = rotaryDim / 2;
            const std::int64_t from = lane >= rotaryDim ? lane : lane < planes ? 2 * lane : 2 * (lane - planes) + 1;
            rows.push_back(head * headDim + from);
        }
    return rows;
}

Rows inverse(const Rows& rows)
{
    Rows result(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        result[std::size_t(rows[i])] = std::int64_t(i);
    return result;
}

Rows composed(const Rows& first, const Rows& second)
{
    Rows result;
    for (const std::int64_t row : second)
        result.push_back(first[std::size_t(row)]);
    return result;
}

}  // namespace holo::interop
