#pragma once

#include <cstdint>
#include <vector>

#include "widgets/plots/plot.h"

namespace holo::widgets {

// c(Δ) = K(Δ)/M over the distance Δ, with a dashed reference and the end of the training context.
class KernelPlot : public Plot {
    Q_OBJECT
public:
    explicit KernelPlot(QWidget* parent = nullptr);
    void setKernel(const std::vector<std::int64_t>& delta, const std::vector<double>& c, std::int64_t context, int arm);
    void setReference(const QString& name, const std::vector<std::int64_t>& delta, const std::vector<double>& c);

    QString csv() const override;
    void fit() override;
    void restyle(double fontPt = 9) override;

protected:
    QString readout(const QPointF& position) override;

private:
    std::vector<std::int64_t> m_delta;
    std::vector<double> m_c;
    QString m_referenceName;
    std::int64_t m_context = 0;
    int m_arm = 0;
    QCPGraph* m_line;
    QCPGraph* m_reference;
};

}  // namespace holo::widgets
