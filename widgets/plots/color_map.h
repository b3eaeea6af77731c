#pragma once

#include <QColor>
#include <QStringList>
#include <vector>

namespace holo::widgets {

// Colour of a share in 0 … 1, interpolated between the equidistant anchors of resources/colormaps/NAME.txt. Values outside are clipped.
class ColorMap {
public:
    static const ColorMap& named(const QString& name);  // viridis, cividis, polar; viridis for any other name
    static QStringList accuracyMaps() { return {"viridis", "cividis"}; }
    QColor at(double share) const;

private:
    explicit ColorMap(const QString& name);
    std::vector<QColor> m_anchors;
};

}  // namespace holo::widgets
