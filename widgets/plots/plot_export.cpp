#include "widgets/plots/plot_export.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "core/base/error.h"
#include "core/base/files.h"
#include "widgets/common/theme.h"
#include "widgets/plots/plot.h"

namespace holo::widgets {

namespace {

constexpr double kMmPerInch = 25.4;

// Paints at 96 dots an inch: the page's coordinates are then those of the screen, and fonts in points keep their size.
void paintVector(Plot& plot, QPaintDevice& device, QSize pixels)
{
    QCPPainter painter;
    painter.begin(&device);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.fillRect(QRect(QPoint(0, 0), pixels), Qt::white);
    plot.toPainter(&painter, pixels.width(), pixels.height());
    painter.end();
}

QByteArray pdf(Plot& plot, const ExportOptions& options, QSize pixels)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator("Holonomy");
    writer.setTitle(plot.title());
    writer.setResolution(96);
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setPageSize(QPageSize(QSizeF(options.widthMm, options.heightMm), QPageSize::Millimeter));
    paintVector(plot, writer, pixels);
    return buffer.data();
}

QByteArray svg(Plot& plot, const ExportOptions& options, QSize pixels)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(plot.title());
    generator.setResolution(96);
    generator.setSize(pixels);
    generator.setViewBox(QRect(QPoint(0, 0), pixels));
    paintVector(plot, generator, pixels);
    QByteArray text = buffer.data();
    // The generator counts in pixels of its resolution; the size on paper is what was asked for.
    const qsizetype at = text.indexOf("viewBox");
    const qsizetype from = text.indexOf("width=\"");
    if (from >= 0 && at > from)
        text.replace(from, at - from, QStringLiteral("width=\"%1mm\" height=\"%2mm\"\n ").arg(options.widthMm).arg(options.heightMm).toLatin1());
    return text;
}

QByteArray png(Plot& plot, const ExportOptions& options, QSize pixels)
{
    QImage image = plot.toPixmap(pixels.width(), pixels.height(), options.pngDpi / 96).toImage();
    image.setDotsPerMeterX(static_cast<int>(options.pngDpi / kMmPerInch * 1000));
    image.setDotsPerMeterY(image.dotsPerMeterX());
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

}  // namespace

QString exportPlot(Plot& plot, const QString& file, const ExportOptions& options)
{
    const QSize pixels(static_cast<int>(options.widthMm / kMmPerInch * 96), static_cast<int>(options.heightMm / kMmPerInch * 96));
    const QString ending = QFileInfo(file).suffix().toLower();
    QByteArray bytes;
    if (ending == "csv") {
        bytes = plot.csv().toUtf8();
    } else {
        const ThemeOverride paper(lightTheme());
        plot.setExporting(true);
        plot.restyle(options.fontPt);
        plot.fitLabels(pixels);
        if (ending == "pdf")
            bytes = pdf(plot, options, pixels);
        else if (ending == "svg")
            bytes = svg(plot, options, pixels);
        else if (ending == "png")
            bytes = png(plot, options, pixels);
        plot.setExporting(false);
    }
    plot.restyle();
    plot.replot(QCustomPlot::rpQueuedReplot);
    if (bytes.isEmpty())
        return Plot::tr("%1: the ending must be pdf, svg, png or csv.").arg(file);
    try {
        writeFileAtomic(file.toStdString(), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

}  // namespace holo::widgets
