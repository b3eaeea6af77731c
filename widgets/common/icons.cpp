#include "widgets/common/icons.h"

#include <QApplication>
#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "widgets/common/theme.h"

// A static library's resources are dropped by the linker unless something names them.
static int initialiseResources()
{
    Q_INIT_RESOURCE(holonomy);
    return 0;
}
[[maybe_unused]] static const int resourcesInitialised = initialiseResources();

namespace holo::widgets {

namespace {

QColor colorOf(QIcon::Mode mode, QIcon::State state)
{
    if (mode == QIcon::Disabled)
        return QApplication::palette().color(QPalette::Disabled, QPalette::Text);
    if (mode == QIcon::Selected)
        return QApplication::palette().color(QPalette::HighlightedText);
    return state == QIcon::On ? theme().accent : theme().text;
}

class SvgIconEngine : public QIconEngine {
public:
    explicit SvgIconEngine(QString name)
        : m_name(std::move(name))
    {
    }
    QIconEngine* clone() const override { return new SvgIconEngine(m_name); }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        QFile file(":/icons/" + m_name + ".svg");
        if (!file.open(QIODevice::ReadOnly))
            return;
        QByteArray svg = file.readAll();
        svg.replace("currentColor", colorOf(mode, state).name().toLatin1());
        QSvgRenderer(svg).render(painter, rect);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override
    {
        (void)scale;  // `size` is in device pixels already
        const QString key = QStringLiteral("holo/%1/%2/%3/%4").arg(m_name).arg(size.width()).arg(size.height()).arg(colorOf(mode, state).rgba());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap))
            return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        painter.end();
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

private:
    QString m_name;
};

}  // namespace

QIcon icon(const QString& name) { return QIcon(new SvgIconEngine(name)); }

QIcon swatch(const QColor& color, const QColor& outline, bool filled)
{
    QIcon icon;
    for (const int scale : {1, 2, 3}) {
        QPixmap pixmap(14 * scale, 14 * scale);
        pixmap.setDevicePixelRatio(scale);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(outline.isValid() ? outline : color, 1.5));
        painter.setBrush(filled ? QBrush(color) : QBrush(Qt::NoBrush));
        painter.drawRoundedRect(QRectF(2, 2, 10, 10), 2, 2);
        painter.end();
        icon.addPixmap(pixmap);
        icon.addPixmap(pixmap, QIcon::Selected);  // a colour with a meaning is not tinted
    }
    return icon;
}

}  // namespace holo::widgets
