#include "core/bench/selftest.h"

namespace holo::bench {

std::vector<Row> selftest(const SelftestOptions& options)
{
    std::vector<Row> rows;
    for (const auto part : {selftestRotary, selftestAttention, selftestModel})
        for (Row& row : part(options))
            rows.push_back(std::move(row));
    return rows;
}

}  // namespace holo::bench
