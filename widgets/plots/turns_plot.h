#pragma once

#include <cstdint>
#include <vector>

#include "widgets/plots/plot.h"

namespace holo::widgets {

// Turns of each plane within the training context, θN/2π, as bars on a logarithmic axis; planes short of one turn are grey.
class TurnsPlot : public Plot {
    Q_OBJECT
public:
    explicit TurnsPlot(QWidget* parent = nullptr);
    void setTurns(const std::vector<double>& turns, int arm);

    QString csv() const override;
    void fit() override;

protected:
    QString readout(const QPointF& position) override;
    bool showsCrosshair() const override { return false; }

private:
    std::vector<double> m_turns;
    int m_arm = 0;
};

}  // namespace holo::widgets
