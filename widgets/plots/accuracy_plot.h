#pragma once

#include <QString>
#include <vector>

#include "widgets/plots/plot.h"

namespace holo::widgets {

struct AccuracyPoint {
    double x = 0;
    double share = 0;
    double low = 0;
    double high = 1;
    double trials = 0;
};

struct AccuracySeries {
    QString label;
    int arm = 0;
    bool dashed = false;
    std::vector<AccuracyPoint> points;
};

// Accuracy over needle position or distance with Wilson bands, 0 … 100 %; chance as a line, the zone beyond the training window hatched.
class AccuracyPlot : public Plot {
    Q_OBJECT
public:
    explicit AccuracyPlot(QWidget* parent = nullptr);
    void setSeries(const std::vector<AccuracySeries>& series);
    void setXTitle(const QString& title) { xAxis->setLabel(title); }
    void setChance(double share);
    void setWindowEdge(double x);  // 0: none
    void setSteps(bool on) { m_steps = on; }  // the points are corners of a step function: no dots on them

    QString csv() const override;
    void fit() override;
    void restyle(double fontPt = 9) override;

protected:
    QString readout(const QPointF& position) override;

private:
    std::vector<AccuracySeries> m_series;
    double m_chance = 0;
    double m_edge = 0;
    bool m_steps = false;
};

}  // namespace holo::widgets
