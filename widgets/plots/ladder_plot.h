#pragma once

#include <cstdint>
#include <vector>

#include "widgets/plots/plot.h"

namespace holo::widgets {

// θ of each rotation plane on a logarithmic axis, over the plane's index. Points can be dragged up and down. Planes below the line
// 2π/N do not turn once within the training context.
class LadderPlot : public Plot {
    Q_OBJECT
public:
    explicit LadderPlot(QWidget* parent = nullptr);
    void setLadder(const std::vector<double>& theta, std::int64_t context, int arm);
    void setReference(const std::vector<double>& theta);  // empty: none
    void setEditable(bool editable) { m_editable = editable; }
    void setCurrentPlane(int plane);

    QString csv() const override;
    void fit() override;
    void restyle(double fontPt = 9) override;

Q_SIGNALS:
    void thetaDragged(int plane, double theta);  // while dragging
    void dragFinished();
    void planeSelected(int plane);

protected:
    QString readout(const QPointF& position) override;
    bool showsCrosshair() const override { return false; }
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    int planeNear(const QPointF& position, double tolerance) const;
    void updateData();

    std::vector<double> m_theta;
    std::vector<double> m_reference;
    std::int64_t m_context = 0;
    int m_arm = 0;
    bool m_editable = true;
    int m_current = -1;
    int m_dragged = -1;
    QCPGraph* m_points;
    QCPGraph* m_referencePoints;
};

}  // namespace holo::widgets
