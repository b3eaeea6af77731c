#include "core/interop/weight_distance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "core/interop/dtype.h"
#include "core/interop/tensor_set.h"

namespace holo::interop {

namespace {

constexpr std::int64_t kPiece = 1 << 18;  // elements
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Sums {
    double aa = 0;
    double bb = 0;
    double ab = 0;
    double dd = 0;
    double greatest = 0;

    void add(double a, double b)
    {
        aa += a * a;
        bb += b * b;
        ab += a * b;
        const double d = a - b;
        dd += d * d;
        if (!(std::abs(d) <= greatest))  // a NaN stays
            greatest = std::abs(d);
    }
    void add(const Sums& other)
    {
        aa += other.aa;
        bb += other.bb;
        ab += other.ab;
        dd += other.dd;
    }
    double relative() const { return aa > 0 ? std::sqrt(dd / aa) : kNone; }
    double cosine() const { return aa > 0 && bb > 0 ? ab / std::sqrt(aa) / std::sqrt(bb) : kNone; }
};

// Elements `from` … `from + count` as doubles.
void readPiece(const TensorSet::Entry& entry, std::int64_t from, std::int64_t count, std::vector<char>& bytes, std::vector<double>& values)
{
    const std::string& dtype = entry.info->dtype;
    const auto width = static_cast<std::uint64_t>(*dtypeBits(dtype) / 8);
    bytes.resize(static_cast<std::size_t>(count) * width);
    entry.file->read(*entry.info, static_cast<std::uint64_t>(from) * width, bytes.size(), bytes.data());
    values.resize(static_cast<std::size_t>(count));
    const auto at = [&]<class T>(std::size_t i, T value) {
        std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
        return value;
    };
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = dtype == "F64" ? at(i, 0.0) : dtype == "F32" ? double(at(i, 0.0f)) : double(dtype == "F16" ? halfToFloat(at(i, std::uint16_t(0))) : bfloat16ToFloat(at(i, std::uint16_t(0))));
}

}  // namespace

WeightDistances weightDistances(const std::filesystem::path& a, const std::filesystem::path& b, const std::function<bool()>& goOn)
{
    const TensorSet first = TensorSet::open(a);
    const TensorSet second = TensorSet::open(b);
    std::set<std::string> names;
    for (const auto* set : {&first, &second})
        for (const auto& entry : set->entries())
            names.insert(entry.info->name);
    WeightDistances result;
    Sums all;
    std::vector<char> bytes;
    std::vector<double> x;
    std::vector<double> y;
    for (const std::string& name : names) {
        const auto* left = first.find(name);
        const auto* right = second.find(name);
        WeightDistance row{name, (left ? left : right)->info->shape, kNone, kNone, kNone, kNone, kNone, kNone, {}};
        if (!left || !right) {
            row.note = left ? "not in B" : "not in A";
        } else if (left->info->shape != right->info->shape) {
            row.note = "shape " + shapeText(left->info->shape) + " against " + shapeText(right->info->shape);
        } else if (!isUsedFloat(left->info->dtype) || !isUsedFloat(right->info->dtype)) {
            row.note = "type " + left->info->dtype + " against " + right->info->dtype;
        } else {
            Sums sums;
            const std::int64_t elements = left->info->elements();
            for (std::int64_t from = 0; from < elements; from += kPiece) {
                if (goOn && !goOn())
                    return result;
                const std::int64_t count = std::min(kPiece, elements - from);
                readPiece(*left, from, count, bytes, x);
                readPiece(*right, from, count, bytes, y);
                for (std::size_t i = 0; i < x.size(); ++i)
                    sums.add(x[i], y[i]);
            }
            row.normA = std::sqrt(sums.aa);
            row.normB = std::sqrt(sums.bb);
            row.distance = std::sqrt(sums.dd);
            row.relative = sums.relative();
            row.cosine = sums.cosine();
            row.greatest = sums.greatest;
            all.add(sums);
            ++result.compared;
        }
        result.tensors.push_back(std::move(row));
    }
    result.relative = all.relative();
    result.cosine = all.cosine();
    return result;
}

}  // namespace holo::interop
