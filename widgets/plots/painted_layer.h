#pragma once

#include <functional>

#include "widgets/plots/qcustomplot.h"

namespace holo::widgets {

// Something that a plot paints itself inside its axis rectangle, on a layer of the plot and so in every export too.
class PaintedLayer : public QCPLayerable {
public:
    using Paint = std::function<void(QCPPainter&, const QRect&)>;
    PaintedLayer(QCPAxisRect* rect, const QString& layer, Paint paint);

protected:
    QRect clipRect() const override { return m_rect->rect(); }
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override { m_paint(*painter, m_rect->rect()); }

private:
    QCPAxisRect* m_rect;
    Paint m_paint;
};

}  // namespace holo::widgets
