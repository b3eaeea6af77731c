#include "kernels/norm/norm.h"
#include "tests/kernels/values.h"

#include <QTest>

#include <optional>
#include <stdexcept>

using namespace holo::kernels;
using namespace holo::kernels::test;

namespace {

struct Case {
    std::int64_t rows, width;
    bool rms;
    int branches, outputs;
    bool affine, biases;
};

const float* orNull(const std::vector<float>& x, bool wanted) { return wanted ? x.data() : nullptr; }

// Everything in double, from the definitions; gradients by the chain rule written out with the full Jacobian of one row.
struct Reference {
    std::vector<double> sum, y[2], dx, dweight[2], dbias[2], dbranchBias;
};

template <typename T>
struct Data {
    Case c;
    std::vector<float> x, biasA, biasB, weight[2], bias[2], dsum;
    std::vector<T> a, b, dy[2];
    std::vector<float> sum, mean, scale, dx, dweight[2], dbias[2], dbranchBias;
    std::vector<T> y[2], dbranch;
    NormParams params;
    NormForward forward;
    NormBackward backward;

    explicit Data(const Case& given)
        : c(given)
    {
        const std::size_t n = std::size_t(c.rows * c.width), w = std::size_t(c.width);
        x = normals(n, 1, "x");
        for (float& value : x)
            value += 3;  // a mean that is not small
        a = stored<T>(normals(n, 2, "a"));
        b = stored<T>(normals(n, 3, "b"));
        biasA = normals(w, 4, "biasA");
        biasB = normals(w, 5, "biasB");
        dsum = normals(n, 6, "dsum");
        for (int o = 0; o < 2; ++o) {
            weight[o] = normals(w, 7 + std::uint64_t(o), "weight");
            bias[o] = normals(w, 9 + std::uint64_t(o), "bias");
            dy[o] = stored<T>(normals(n, 11 + std::uint64_t(o), "dy"));
            y[o].resize(n);
            dweight[o].resize(w);
            dbias[o].resize(w);
        }
        sum.resize(n);
        dx.resize(n);
        dbranch.resize(n);
        dbranchBias.resize(w);
        mean.resize(std::size_t(c.rows));
        scale.resize(std::size_t(c.rows));
        params.rows = c.rows;
        params.width = c.width;
        params.rms = c.rms;
        params.eps = 1e-5f;
        params.dtype = sizeof(T) == 4 ? Dtype::Float32 : Dtype::BFloat16;
        params.outputs = c.outputs;
        forward.x = x.data();
        forward.a = c.branches > 0 ? a.data() : nullptr;
        forward.b = c.branches > 1 ? b.data() : nullptr;
        forward.biasA = orNull(biasA, c.biases && c.branches > 0);
        forward.biasB = orNull(biasB, c.biases && c.branches > 1);
        forward.sum = c.branches > 0 ? sum.data() : nullptr;
        forward.mean = mean.data();
        forward.scale = scale.data();
        backward.sum = c.branches > 0 ? sum.data() : x.data();
        backward.mean = mean.data();
        backward.scale = scale.data();
        backward.dsum = c.branches > 0 ? dsum.data() : nullptr;
        backward.dx = dx.data();
        backward.dbranch = sizeof(T) == 2 ? dbranch.data() : nullptr;
        backward.dbranchBias = dbranchBias.data();
        for (int o = 0; o < c.outputs; ++o) {
            params.weight[o] = orNull(weight[o], c.affine);
            params.bias[o] = orNull(bias[o], c.affine);
            forward.y[o] = y[o].data();
            backward.dy[o] = dy[o].data();
            backward.dweight[o] = dweight[o].data();
            backward.dbias[o] = dbias[o].data();
        }
    }

    Reference reference() const
    {
        const std::size_t n = std::size_t(c.width);
        Reference r;
        r.dbranchBias.assign(n, 0);
        for (int o = 0; o < c.outputs; ++o) {
            r.dweight[o].assign(n, 0);
            r.dbias[o].assign(n, 0);
        }
        for (std::size_t row = 0; row < std::size_t(c.rows); ++row) {
            std::vector<double> s(n), g(n, 0), normal(n);
            for (std::size_t i = 0; i < n; ++i) {
                s[i] = x[row * n + i];
                if (c.branches > 0)
                    s[i] += double(toFloat(a[row * n + i])) + (c.biases ? biasA[i] : 0);
                if (c.branches > 1)
                    s[i] += double(toFloat(b[row * n + i])) + (c.biases ? biasB[i] : 0);
            }
            double m = 0, v = 0;
            for (const double value : s)
                m += value / double(n);
            if (c.rms)
                m = 0;
            for (const double value : s)
                v += (value - m) * (value - m) / double(n);
            const double k = 1 / std::sqrt(v + double(params.eps));
            double meanG = 0, meanGx = 0;
            for (std::size_t i = 0; i < n; ++i) {
                normal[i] = (s[i] - m) * k;
                for (int o = 0; o < c.outputs; ++o) {
                    const double d = double(toFloat(dy[o][row * n + i]));
                    r.y[o].push_back(normal[i] * (c.affine ? weight[o][i] : 1) + (c.affine ? bias[o][i] : 0));
                    r.dweight[o][i] += d * normal[i];
                    r.dbias[o][i] += d;
                    g[i] += d * (c.affine ? weight[o][i] : 1);
                }
                meanG += g[i] / double(n);
                meanGx += g[i] * normal[i] / double(n);
            }
            for (std::size_t i = 0; i < n; ++i) {
                const double d = k * (g[i] - (c.rms ? 0 : meanG) - normal[i] * meanGx) + (c.branches > 0 ? dsum[row * n + i] : 0);
                r.sum.push_back(s[i]);
                r.dx.push_back(d);
                r.dbranchBias[i] += d;
            }
        }
        return r;
    }
};

// Largest error beyond what rounding to the stored type explains, against the root mean square of what is wanted (or a tenth, if less).
template <typename T>
double error(const std::vector<T>& got, const std::vector<double>& wanted)
{
    const double rounding = sizeof(T) == 2 ? 1.0 / 256 : 0;
    double worst = 0, square = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        worst = std::max(worst, std::abs(double(toFloat(got[i])) - wanted[i]) - rounding * std::abs(wanted[i]));
        square += wanted[i] * wanted[i];
    }
    return wanted.empty() ? 0 : worst / std::max(0.1, std::sqrt(square / double(wanted.size())));
}

template <typename T>
void check(const Case& c)
{
    const Reference wanted = Data<T>(c).reference();
    for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
        if (!available(isa))
            continue;
        std::optional<Data<T>> first;
        for (const ParallelFor& cut : {ParallelFor(serialFor), ParallelFor(backwardsFor), ParallelFor(thirdsFor)}) {
            Data<T> data(c);
            normForward(data.params, data.forward, cut, isa);
            normBackward(data.params, data.backward, cut, isa);
            if (c.branches > 0)
                QVERIFY(error(data.sum, wanted.sum) < 1e-6);
            for (int o = 0; o < c.outputs; ++o) {
                QVERIFY2(error(data.y[o], wanted.y[o]) < 1e-5, "y");
                QVERIFY2(error(data.dweight[o], wanted.dweight[o]) < 1e-5, "dweight");
                QVERIFY2(error(data.dbias[o], wanted.dbias[o]) < 1e-5, "dbias");
            }
            QVERIFY2(error(data.dx, wanted.dx) < 1e-5, "dx");
            QVERIFY2(error(data.dbranchBias, wanted.dbranchBias) < 1e-4, "dbranchBias");
            if (sizeof(T) == 2)
                QVERIFY2(error(data.dbranch, wanted.dx) < 1e-5, "dbranch");
            if (!first) {
                first.emplace(data);
                continue;
            }
            QCOMPARE(data.dx, first->dx);
            QCOMPARE(data.dbranchBias, first->dbranchBias);
            for (int o = 0; o < c.outputs; ++o) {
                QVERIFY(std::memcmp(data.y[o].data(), first->y[o].data(), data.y[o].size() * sizeof(T)) == 0);
                QCOMPARE(data.dweight[o], first->dweight[o]);
            }
        }
    }
}

}  // namespace

class KernelsNorm : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void againstDouble_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width");
        for (const auto& [rows, width] : {std::pair{0, 8}, {1, 1}, {1, 64}, {3, 7}, {65, 33}, {130, 64}, {200, 100}})
            QTest::addRow("%d rows of %d", rows, width) << rows << width;
    }

    void againstDouble()
    {
        QFETCH(int, rows);
        QFETCH(int, width);
        for (const bool rms : {false, true})
            for (const int branches : {0, 1, 2})
                for (const int outputs : {1, 2})
                    for (const bool affine : {false, true}) {
                        check<float>({rows, width, rms, branches, outputs, affine, affine});
                        check<BFloat16>({rows, width, rms, branches, outputs, affine, !affine});
                        if (QTest::currentTestFailed())
                            return;
                    }
    }

    void refusals()
    {
        Data<float> data({2, 8, false, 1, 1, true, true});
        const auto refuses = [&](auto&& change) {
            NormParams params = data.params;
            NormForward forward = data.forward;
            change(params, forward);
            QVERIFY_THROWS_EXCEPTION(std::invalid_argument, normForward(params, forward));
        };
        refuses([](NormParams& p, NormForward&) { p.width = 0; });
        refuses([](NormParams& p, NormForward&) { p.rows = -1; });
        refuses([](NormParams& p, NormForward&) { p.outputs = 3; });
        refuses([](NormParams& p, NormForward&) { p.dtype = Dtype::Float16; });
        refuses([](NormParams&, NormForward& f) { f.x = nullptr; });
        refuses([](NormParams&, NormForward& f) { f.a = nullptr; });
        refuses([](NormParams&, NormForward& f) { f.y[0] = nullptr; });
    }
};

QTEST_GUILESS_MAIN(KernelsNorm)
#include "tst_kernels_norm.moc"
