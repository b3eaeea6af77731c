#include "core/ladder/fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/ladder/frequencies.h"

namespace holo::ladder {

namespace {

Matrix zeros(std::size_t rows, std::size_t columns) { return Matrix(rows, std::vector<double>(columns, 0.0)); }

double columnSum(const Matrix& matrix, std::size_t column)
{
    double sum = 0;
    for (const auto& row : matrix)
        sum += row[column];
    return sum;
}

// Entries of 1: one dominant frequency a plane (clean), or the released step identity, whose last columns may stay empty.
Matrix dominants(std::size_t kept, std::size_t planes, bool clean)
{
    Matrix matrix = zeros(kept, planes);
    const std::size_t step = (kept + planes - 1) / planes;
    for (std::size_t p = 0; p < planes; ++p) {
        const std::size_t row = clean ? p * kept / planes : p * step;
        if (row < kept)
            matrix[row][p] = 1;
    }
    return matrix;
}

Matrix drawn(const FourierDesign& design, std::uint64_t seed, int layer, int kvHead, std::uint64_t which)
{
    Matrix matrix = design.identity;
    if (!design.random)
        return matrix;
    RandomStream stream = design.expands ? RandomStream(seed, "fope", {std::uint64_t(layer), std::uint64_t(kvHead), which, std::uint64_t(design.context)})
                                         : RandomStream(seed, "fope", {std::uint64_t(layer), std::uint64_t(kvHead), which});
    for (auto& row : matrix)
        for (double& entry : row)
            entry += design.entryStd * stream.normal();
    return matrix;
}

void overlay(Matrix& matrix, const Matrix& block)
{
    for (std::size_t d = 0; d < block.size(); ++d)
        std::copy(block[d].begin(), block[d].end(), matrix[d].begin());
}

Matrix ofOneContext(const FourierDesign& design, std::uint64_t seed, int layer, int kvHead, std::uint64_t which)
{
    const Matrix& own = which == 0 ? design.ownCos : design.ownSin;
    return own.empty() ? drawn(design, seed, layer, kvHead, which) : own;
}

Matrix expanded(const FourierDesign& design, std::uint64_t seed, int layer, int kvHead, std::uint64_t which)
{
    std::vector<Matrix> matrices;
    for (const FourierDesign& before : design.before)
        matrices.push_back(ofOneContext(before, seed, layer, kvHead, which));
    matrices.push_back(ofOneContext(design, seed, layer, kvHead, which));
    for (std::size_t i = 1; i < matrices.size(); ++i)
        overlay(matrices[i], matrices[i - 1]);
    return matrices.back();
}

// The design for one context, as if nothing came before it.
FourierDesign designFor(const Parameters& parameters, const ModelShape& shape, std::int64_t context)
{
    FourierDesign design;
    design.context = context;
    const int width = shape.rotaryDim;
    const int planes = width / 2;
    const bool clean = parameters.text("mode") == "clean";
    const std::string parts = parameters.text("parts");
    const std::int64_t wanted = parameters.integer("fourier_dim");
    if (wanted % 2 != 0)
        parameters.refuse("fourier_dim", std::to_string(wanted), "an even width, or 0");
    const int dim = int(std::max<std::int64_t>(wanted, width));
    const double floor = parts == "fs" ? 0 : 2 * std::numbers::pi / double(context);

    for (const double omega : geometricThetas(parameters.base(), dim, dim / 2))
        if (omega >= floor)
            design.kept.push_back(omega);
    if (design.kept.empty())
        parameters.refuse("context", std::to_string(context), "a context that keeps at least one frequency >= 2π/N (N >= 7)");

    int above = 0;  // planes of the head's own ladder that are not clipped
    for (const double omega : geometricThetas(parameters.base(), width, planes))
        above += omega >= floor ? 1 : 0;
    std::int64_t cap = clean ? above : width / 4;
    if (parameters.has("cap")) {
        cap = parameters.integer("cap");
        if (cap > planes)
            parameters.refuse("cap", std::to_string(cap), "at most the " + std::to_string(planes) + " planes of a head");
    }
    const std::size_t kept = design.kept.size();
    design.planes = int(std::min<std::int64_t>(std::int64_t(kept), cap));
    if (design.planes < 1)
        parameters.refuse("cap", "0", "at least one plane with a series (a rotated width of 4 or more)");
    const std::size_t columns = std::size_t(design.planes);
    design.step = int((kept + columns - 1) / columns);

    if (parameters.has("gain") && parameters.has("std"))
        parameters.refuse("std", formatDouble(parameters.number("std")) + " beside a gain of " + formatDouble(parameters.number("gain")), "one of both");
    const double unit = std::sqrt(2.0 / (double(columns) * double(kept + std::size_t(shape.kvHeads))));
    design.entryStd = parameters.optionalNumber("std").value_or(parameters.optionalNumber("gain").value_or(.3) * unit);
    design.gain = design.entryStd / unit;
    design.padSin = parameters.text("pad") == "one" ? 1 : 0;
    design.normColumns = parameters.text("norm") == "columns";

    if (parts == "cf") {
        // Clipping alone: every plane is one frequency of its own, the fastest ones unless the list is oversampled.
        design.random = false;
        design.entryStd = design.gain = 0;
        design.step = 1;
        design.identity = dominants(kept, columns, true);
        if (dim == width) {
            design.identity = zeros(kept, columns);
            for (std::size_t p = 0; p < columns; ++p)
                design.identity[p][p] = 1;
        }
    } else {
        design.identity = dominants(kept, columns, clean);
    }

    return design;
}

void useOwnCoefficients(FourierDesign& design, const Parameters& parameters)
{
    if (parameters.has("cos") != parameters.has("sin"))
        parameters.refuse(parameters.has("cos") ? "sin" : "cos", "", "a matrix wherever the other one is given");
    if (!parameters.has("cos"))
        return;
    const std::size_t kept = design.kept.size();
    const std::size_t columns = std::size_t(design.planes);
    for (const char* key : {"cos", "sin"}) {
        const Matrix matrix = parameters.matrix(key);
        const std::size_t foundColumns = matrix.empty() ? 0 : matrix.front().size();
        if (matrix.size() != kept || foundColumns != columns)
            parameters.refuse(key, std::to_string(matrix.size()) + "×" + std::to_string(foundColumns), std::to_string(kept) + "×" + std::to_string(columns) + " (kept frequencies × planes)");
    }
    design.ownCos = parameters.matrix("cos");
    design.ownSin = parameters.matrix("sin");
    design.random = false;
    design.entryStd = design.gain = 0;
}

}  // namespace

FourierDesign fourierDesign(const Parameters& parameters, const ModelShape& shape)
{
    std::vector<double> contexts = parameters.list("original");
    contexts.push_back(double(parameters.context()));
    std::vector<FourierDesign> designs;
    for (std::size_t i = 0; i < contexts.size(); ++i) {
        if (contexts[i] != std::floor(contexts[i]) || (i > 0 && contexts[i] <= contexts[i - 1]))
            parameters.refuse("original", valueText(parameters.list("original")), "whole numbers of tokens that rise and stay below the context (" + std::to_string(parameters.context()) + ")");
        designs.push_back(designFor(parameters, shape, std::int64_t(contexts[i])));
        designs.back().expands = i > 0;
    }
    useOwnCoefficients(designs.front(), parameters);

    FourierDesign design = std::move(designs.back());
    designs.pop_back();
    design.before = std::move(designs);
    Matrix dominant = design.before.empty() ? design.identity : design.before.front().identity;
    for (std::size_t i = 1; i <= design.before.size(); ++i) {
        Matrix larger = i < design.before.size() ? design.before[i].identity : design.identity;
        overlay(larger, dominant);
        dominant = std::move(larger);
    }
    design.dominant = std::move(dominant);
    for (std::size_t p = 0; p < std::size_t(design.planes); ++p)
        design.emptyColumns += columnSum(design.dominant, p) == 0 ? 1 : 0;
    return design;
}

FourierSeries fourierSeries(const FourierDesign& design, std::uint64_t seed, int layer, int kvHead)
{
    FourierSeries series;
    series.kept = design.kept;
    series.cosCoefficients = expanded(design, seed, layer, kvHead, 0);
    series.sinCoefficients = expanded(design, seed, layer, kvHead, 1);
    series.padCos = design.padCos;
    series.padSin = design.padSin;
    series.step = design.step;
    series.entryStd = design.entryStd;
    series.gain = design.gain;
    series.smallestColumnSum = std::numeric_limits<double>::infinity();
    for (Matrix* matrix : {&series.cosCoefficients, &series.sinCoefficients})
        for (std::size_t p = 0; p < std::size_t(design.planes); ++p) {
            const double sum = columnSum(*matrix, p);
            series.smallestColumnSum = std::min(series.smallestColumnSum, std::abs(sum));
            if (!design.normColumns)
                continue;
            if (sum == 0)
                throw Error(ErrorKind::Usage, "fope.norm is columns, but a column of coefficients sums to 0, so it cannot be divided by its sum.",
                            {.field = "fope.norm", .found = "columns", .allowed = "none, or coefficients whose columns do not sum to 0"});
            for (auto& row : *matrix)
                row[p] /= sum;
        }
    return series;
}

std::vector<double> dominantThetas(const FourierDesign& design, int planes)
{
    std::vector<double> thetas(std::size_t(planes), 0.0);
    for (std::size_t d = 0; d < design.kept.size(); ++d)
        for (std::size_t p = 0; p < std::size_t(design.planes); ++p)
            if (design.dominant[d][p] != 0 && thetas[p] == 0)
                thetas[p] = design.kept[d];
    return thetas;
}

}  // namespace holo::ladder
