#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "widgets/plots/plot.h"

namespace holo::widgets {

class CategoryTicker;

struct StripDot {
    QString run;
    std::int64_t seed = 0;
    double value = 0;  // non-finite ones are counted, not drawn
};

struct StripGroup {
    QString arm;
    int armIndex = 0;
    std::vector<StripDot> dots;
    double mean = 0;
    double sd = 0;          // NaN: one seed only
};

// One dot a seed, a column an arm, with mean ± SD beside it and the worst seed named. Seeds that all arms share are joined by thin lines.
class StripPlot : public Plot {
    Q_OBJECT
public:
    explicit StripPlot(QWidget* parent = nullptr);
    void setGroups(const std::vector<StripGroup>& groups, const QString& valueTitle, bool isShare);
    void setPaired(bool on);
    void setSelected(const QString& run);

    QString csv() const override;
    void fit() override;

Q_SIGNALS:
    void runClicked(const QString& run);

protected:
    QString readout(const QPointF& position) override;
    bool showsCrosshair() const override { return false; }
    void mousePressEvent(QMouseEvent* event) override;

private:
    struct Placed {
        const StripGroup* group;
        const StripDot* dot;
        QPointF at;
    };
    std::vector<Placed> placed() const;
    const StripDot* dotNear(const QPointF& position, const StripGroup** group) const;
    void paint(QCPPainter& painter, const QRect& rect) const;

    std::vector<StripGroup> m_groups;
    QSharedPointer<CategoryTicker> m_ticker;
    QString m_selected;
    bool m_isShare = true;
    bool m_paired = true;
};

}  // namespace holo::widgets
