#include "kernels/activation/activation.h"
#include "tests/kernels/values.h"

#include <QTest>

#include <optional>
#include <stdexcept>

using namespace holo::kernels;
using namespace holo::kernels::test;

namespace {

template <typename T>
struct Data {
    std::vector<T> up, gate, dy, y, dup, dgate;
    std::vector<float> upBias, gateBias, dupBias, dgateBias;
    ActivationParams params;
    ActivationGradients gradients;

    Data(Activation kind, std::int64_t rows, std::int64_t width, bool biases)
    {
        const std::size_t n = std::size_t(rows * width), w = std::size_t(width);
        up = stored<T>(normals(n, 1, "up", 3));
        gate = stored<T>(normals(n, 2, "gate", 3));
        dy = stored<T>(normals(n, 3, "dy"));
        upBias = normals(w, 4, "upBias");
        gateBias = normals(w, 5, "gateBias");
        y.resize(n);
        dup.resize(n);
        dgate.resize(n);
        dupBias.resize(w);
        dgateBias.resize(w);
        const bool gated = kind == Activation::SwiGlu;
        params = {kind, rows, width, sizeof(T) == 4 ? Dtype::Float32 : Dtype::BFloat16, up.data(), gated ? gate.data() : nullptr, biases ? upBias.data() : nullptr,
            biases && gated ? gateBias.data() : nullptr};
        gradients = {dy.data(), dup.data(), gated ? dgate.data() : nullptr, biases ? dupBias.data() : nullptr, biases && gated ? dgateBias.data() : nullptr};
    }
};

struct Wanted {
    double y, du, dg;
};

Wanted wanted(Activation kind, double u, double g, double d)
{
    if (kind == Activation::Gelu) {
        const double cumulative = 0.5 * std::erfc(-u / std::sqrt(2.0));
        return {u * cumulative, d * (cumulative + u * std::exp(-u * u / 2) / std::sqrt(2 * M_PI)), 0};
    }
    const double s = 1 / (1 + std::exp(-g));
    return {g * s * u, d * g * s, d * u * (s + g * s * (1 - s))};
}

template <typename T>
void check(Activation kind, std::int64_t rows, std::int64_t width, bool biases)
{
    const double tolerance = sizeof(T) == 4 ? 2e-6 : 0.01;  // beside the larger of the value and 1
    for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
        if (!available(isa))
            continue;
        std::optional<Data<T>> first;
        for (const ParallelFor& cut : {ParallelFor(serialFor), ParallelFor(backwardsFor), ParallelFor(thirdsFor)}) {
            Data<T> data(kind, rows, width, biases);
            activationForward(data.params, data.y.data(), cut, isa);
            activationBackward(data.params, data.gradients, cut, isa);
            std::vector<double> dupBias(std::size_t(width), 0), dgateBias(std::size_t(width), 0);
            const auto close = [&](double got, double want) { return std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want)); };
            for (std::size_t i = 0; i < data.up.size(); ++i) {
                const std::size_t column = i % std::size_t(width);
                const double u = double(toFloat(data.up[i])) + (biases ? data.upBias[column] : 0);
                const double g = double(toFloat(data.gate[i])) + (biases ? data.gateBias[column] : 0);
                const Wanted w = wanted(kind, u, g, double(toFloat(data.dy[i])));
                QVERIFY2(close(toFloat(data.y[i]), w.y), "y");
                QVERIFY2(close(toFloat(data.dup[i]), w.du), "dup");
                if (kind == Activation::SwiGlu)
                    QVERIFY2(close(toFloat(data.dgate[i]), w.dg), "dgate");
                dupBias[column] += w.du;
                dgateBias[column] += w.dg;
            }
            for (std::size_t c = 0; biases && c < std::size_t(width); ++c) {
                QVERIFY(std::abs(data.dupBias[c] - dupBias[c]) <= 1e-5 * std::max<double>(10, double(rows)));
                if (kind == Activation::SwiGlu)
                    QVERIFY(std::abs(data.dgateBias[c] - dgateBias[c]) <= 1e-4 * std::max<double>(10, double(rows)));
            }
            if (!first) {
                first.emplace(data);
                continue;
            }
            QVERIFY(std::memcmp(data.y.data(), first->y.data(), data.y.size() * sizeof(T)) == 0);
            QVERIFY(std::memcmp(data.dup.data(), first->dup.data(), data.dup.size() * sizeof(T)) == 0);
            QCOMPARE(data.dupBias, first->dupBias);
            QCOMPARE(data.dgateBias, first->dgateBias);
        }
    }
}

}  // namespace

class KernelsActivation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void againstDouble_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width");
        for (const auto& [rows, width] : {std::pair{0, 8}, {1, 1}, {3, 7}, {65, 33}, {130, 64}})
            QTest::addRow("%d rows of %d", rows, width) << rows << width;
    }

    void againstDouble()
    {
        QFETCH(int, rows);
        QFETCH(int, width);
        for (const Activation kind : {Activation::Gelu, Activation::SwiGlu})
            for (const bool biases : {false, true}) {
                check<float>(kind, rows, width, biases);
                check<BFloat16>(kind, rows, width, biases);
                if (QTest::currentTestFailed())
                    return;
            }
    }

    // The far tail of GELU keeps its relative accuracy, and nothing overflows.
    void extremes()
    {
        const std::vector<float> inputs = {-30, -12, -8, -5, -1e-30f, 0, 1e-30f, 5, 30, 1e30f, -1e30f, INFINITY};
        for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
            if (!available(isa))
                continue;
            std::vector<float> y(inputs.size());
            ActivationParams params{Activation::Gelu, 1, std::int64_t(inputs.size()), Dtype::Float32, inputs.data(), nullptr, nullptr, nullptr};
            activationForward(params, y.data(), serialFor, isa);
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const double want = wanted(Activation::Gelu, double(inputs[i]), 0, 0).y;
                if (std::isinf(want) || inputs[i] < -12)
                    QVERIFY(std::isinf(want) ? y[i] == INFINITY : std::abs(y[i]) < 1e-30f);
                else
                    QVERIFY2(std::abs(y[i] - want) <= 2e-5 * std::abs(want), qPrintable(QString::number(double(inputs[i]))));
            }
        }
    }

    void gradientMayTakeItsInputsPlace()
    {
        Data<float> apart(Activation::Gelu, 5, 19, true), shared(Activation::Gelu, 5, 19, true);
        shared.gradients.dup = shared.dy.data();
        activationBackward(apart.params, apart.gradients);
        activationBackward(shared.params, shared.gradients);
        QCOMPARE(shared.dy, apart.dup);
    }

    void refusals()
    {
        Data<float> data(Activation::SwiGlu, 2, 8, true);
        const auto refuses = [&](auto&& change) {
            ActivationParams params = data.params;
            change(params);
            QVERIFY_THROWS_EXCEPTION(std::invalid_argument, activationForward(params, data.y.data()));
        };
        refuses([](ActivationParams& p) { p.width = 0; });
        refuses([](ActivationParams& p) { p.rows = -1; });
        refuses([](ActivationParams& p) { p.gate = nullptr; });
        refuses([](ActivationParams& p) { p.up = nullptr; });
        refuses([](ActivationParams& p) { p.dtype = Dtype::Float64; });
    }
};

QTEST_GUILESS_MAIN(KernelsActivation)
#include "tst_kernels_activation.moc"
