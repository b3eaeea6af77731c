#include "widgets/plots/color_map.h"

#include <QFile>
#include <algorithm>
#include <cmath>
#include <map>

namespace holo::widgets {

ColorMap::ColorMap(const QString& name)
{
    QFile file(":/colormaps/" + name + ".txt");
    if (file.open(QIODevice::ReadOnly))
        for (const QByteArray& line : file.readAll().split('\n'))
            if (!line.startsWith("# "))
                for (const QByteArray& word : line.split(' '))
                    if (word.size() == 7)
                        m_anchors.emplace_back(QString::fromLatin1(word));
    if (m_anchors.size() < 2)
        m_anchors = {QColor(Qt::black), QColor(Qt::white)};
}

const ColorMap& ColorMap::named(const QString& name)
{
    static std::map<QString, ColorMap> maps;
    const QString known = name == "cividis" || name == "polar" ? name : QStringLiteral("viridis");
    auto it = maps.find(known);
    if (it == maps.end())
        it = maps.emplace(known, ColorMap(known)).first;
    return it->second;
}

QColor ColorMap::at(double share) const
{
    const double position = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * static_cast<double>(m_anchors.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(position), m_anchors.size() - 2);
    const double t = position - static_cast<double>(low);
    const QColor& a = m_anchors[low];
    const QColor& b = m_anchors[low + 1];
    return QColor::fromRgbF(static_cast<float>(a.redF() + t * (b.redF() - a.redF())), static_cast<float>(a.greenF() + t * (b.greenF() - a.greenF())),
        static_cast<float>(a.blueF() + t * (b.blueF() - a.blueF())));
}

}  // namespace holo::widgets
