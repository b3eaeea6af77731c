#include "widgets/plots/painted_layer.h"

namespace holo::widgets {

PaintedLayer::PaintedLayer(QCPAxisRect* rect, const QString& layer, Paint paint)
    : QCPLayerable(rect->parentPlot(), layer)
    , m_rect(rect)
    , m_paint(std::move(paint))
{
}

}  // namespace holo::widgets
