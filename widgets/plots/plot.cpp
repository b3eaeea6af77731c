#include "widgets/plots/plot.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QRegularExpression>
#include <algorithm>

#include "widgets/common/theme.h"
#include "widgets/plots/axis_tickers.h"
#include "widgets/plots/export_dialog.h"
#include "widgets/plots/painted_layer.h"
#include "widgets/plots/plot_export.h"

namespace holo::widgets {

namespace {

// From the full title to ever shorter ones: the unit's first word, then the last word before it, then no unit.
QStringList shorterTitles(const QString& title)
{
    static const QRegularExpression parts("^(.*?) ?\\(([^ )]+)[^)]*\\)");
    QStringList list{title};
    if (const auto match = parts.match(title); match.hasMatch()) {
        const QString name = match.captured(1);
        const QString unit = " (" + match.captured(2) + ')';
        list << name + unit << name.section(' ', -1) + unit << name.section(' ', -1);
    }
    return list;
}

}  // namespace

Plot::Plot(QWidget* parent)
    : QCustomPlot(parent)
    , m_readout(new QLabel(this))
{
    setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
    setNoAntialiasingOnDrag(true);
    setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 80);
    addLayer("cells", layer("grid"), limAbove);
    addLayer("marks", layer("axes"), limAbove);
    addLayer("pointer", layer("overlay"), limAbove);
    layer("pointer")->setMode(QCPLayer::lmBuffered);
    axisRect()->setupFullAxesBox(false);
    xAxis->setTicker(QSharedPointer<LinearTicker>::create());
    xAxis2->setVisible(false);
    yAxis2->setVisible(false);
    new PaintedLayer(axisRect(), "pointer", [this](QCPPainter& painter, const QRect& rect) { paintOverlay(painter, rect); });
    new PaintedLayer(axisRect(), "marks", [this](QCPPainter& painter, const QRect& rect) {
        if (m_message.isEmpty())
            return;
        painter.setPen(theme().secondary);
        painter.setFont(xAxis->labelFont());
        painter.drawText(rect.adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, m_message);
    });
    m_readout->setObjectName("readout");
    m_readout->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_readout->setTextFormat(Qt::RichText);
    m_readout->hide();
    connect(this, &QCustomPlot::afterLayout, this, [this] { fitLabels(viewport().size()); });
    Plot::restyle();
}

void Plot::fitLabels(const QSize& size)
{
    const QRect rect = axisRect()->rect();
    const QSize now = viewport().size();
    const auto room = [](int before, int after, int total) {
        const int centre = (before + total - after) / 2;
        return 2 * std::min(centre, total - centre) - 4;
    };
    const int rooms[] = {room(rect.left(), now.width() - rect.right(), size.width()), room(rect.top(), now.height() - rect.bottom(), size.height())};
    QCPAxis* const axes[] = {xAxis, yAxis};
    for (int i = 0; i < 2; ++i) {
        AxisTitle& title = m_titles[i];
        if (axes[i]->label() != title.shown)
            title.full = axes[i]->label();
        const QFontMetrics metrics(axes[i]->labelFont());
        title.shown.clear();
        for (const QString& text : shorterTitles(title.full)) {
            title.shown = text;
            if (metrics.horizontalAdvance(text) <= rooms[i])
                break;
        }
        axes[i]->setLabel(title.shown);
    }
}

void Plot::setTitle(const QString& title)
{
    m_title = title;
    setAccessibleName(title);
}

void Plot::setMessage(const QString& message)
{
    if (message == m_message)
        return;
    m_message = message;
    requestReplot();
}

void Plot::restyle(double fontPt)
{
    const Theme& t = theme();
    setBackground(QBrush(t.page));
    QFont font = QApplication::font();
    font.setPointSizeF(fontPt);
    for (auto* rect : axisRects()) {
        for (auto* axis : rect->axes()) {
            axis->setBasePen(QPen(t.grid, 1));
            axis->setTickPen(QPen(t.grid, 1));
            axis->setSubTickPen(QPen(t.grid, 1));
            axis->setTickLabelColor(t.secondary);
            axis->setLabelColor(t.secondary);
            axis->setTickLabelFont(font);
            axis->setLabelFont(font);
            axis->grid()->setPen(QPen(t.grid, 1));
            axis->grid()->setZeroLinePen(QPen(t.grid, 1));
            axis->setTickLengthIn(0);
            axis->setTickLengthOut(4);
            axis->setSubTickLengthIn(0);
            axis->setSubTickLengthOut(2);
            axis->setLabelPadding(4);
        }
    }
    if (legend) {
        legend->setFont(font);
        legend->setTextColor(t.text);
        legend->setBrush(Qt::NoBrush);
        legend->setBorderPen(Qt::NoPen);
    }
    const QString sheet = QStringLiteral("QLabel { background: %1; color: %2; border: 1px solid %3; border-radius: 4px; padding: 5px 7px; }")
                              .arg(t.page.name(), t.text.name(), t.dark ? "#4A525B" : "#C3C9CF");
    if (sheet != m_readout->styleSheet())
        m_readout->setStyleSheet(sheet);
}

void Plot::paintOverlay(QCPPainter& painter, const QRect& rect)
{
    if (!m_hovered || !showsCrosshair() || !rect.contains(m_hover.toPoint()))
        return;
    QPen pen(theme().secondary, 1, Qt::DotLine);
    painter.setPen(pen);
    painter.setAntialiasing(false);
    painter.drawLine(QPointF(m_hover.x(), rect.top()), QPointF(m_hover.x(), rect.bottom()));
}

void Plot::mousePressEvent(QMouseEvent* event)
{
    setSelectionRectMode(event->modifiers().testFlag(Qt::ShiftModifier) ? QCP::srmZoom : QCP::srmNone);
    if (event->button() == Qt::LeftButton)
        m_userZoomed = true;
    QCustomPlot::mousePressEvent(event);
}

void Plot::mouseMoveEvent(QMouseEvent* event)
{
    QCustomPlot::mouseMoveEvent(event);
    m_hover = event->position();
    m_hovered = true;
    placeReadout();
    layer("pointer")->replot();
}

void Plot::placeReadout()
{
    const QString text = axisRect()->rect().contains(m_hover.toPoint()) ? readout(m_hover) : QString();
    m_readout->setVisible(!text.isEmpty());
    if (text.isEmpty())
        return;
    m_readout->setText(text);
    m_readout->adjustSize();
    // On the side with more room, clear of the pointer.
    const int gap = 16;
    const int x = m_hover.x() > width() / 2.0 ? static_cast<int>(m_hover.x()) - gap - m_readout->width() : static_cast<int>(m_hover.x()) + gap;
    const int y = m_hover.y() > height() / 2.0 ? static_cast<int>(m_hover.y()) - gap - m_readout->height() : static_cast<int>(m_hover.y()) + gap;
    m_readout->move(std::clamp(x, 0, std::max(0, width() - m_readout->width())), std::clamp(y, 0, std::max(0, height() - m_readout->height())));
}

void Plot::mouseDoubleClickEvent(QMouseEvent* event)
{
    QCustomPlot::mouseDoubleClickEvent(event);
    m_userZoomed = false;
    fit();
    requestReplot();
}

void Plot::wheelEvent(QWheelEvent* event)
{
    m_userZoomed = true;
    QCustomPlot::wheelEvent(event);
}

void Plot::leaveEvent(QEvent* event)
{
    QCustomPlot::leaveEvent(event);
    m_hovered = false;
    m_readout->hide();
    layer("pointer")->replot();
    Q_EMIT hoverLeft();
}

void Plot::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Fit"), this, [this] {
        m_userZoomed = false;
        fit();
        requestReplot();
    });
    extendMenu(menu);
    menu.addSeparator();
    for (const char* ending : {"pdf", "svg", "png", "csv"})
        menu.addAction(tr("Export %1…").arg(QString::fromLatin1(ending).toUpper()), this, [this, ending] { exportWithDialog(QString::fromLatin1(ending)); });
    menu.addAction(tr("Copy data as CSV"), this, [this] { QApplication::clipboard()->setText(csv()); });
    if (!m_command.isEmpty())
        menu.addAction(tr("Copy command"), this, [this] { QApplication::clipboard()->setText(m_command); });
    menu.exec(event->globalPos());
}

void Plot::exportWithDialog(const QString& ending)
{
    ExportDialog dialog(m_title, ending, m_command, this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    const QString file = dialog.file();
    QString problem = exportPlot(*this, file, dialog.options());
    if (problem.isEmpty() && dialog.wantsCsv())
        problem = exportPlot(*this, QFileInfo(file).path() + '/' + QFileInfo(file).completeBaseName() + ".csv");
    if (problem.isEmpty())
        Q_EMIT exported(file);
    else
        Q_EMIT failed(problem);
}

void Plot::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        restyle();
        requestReplot();
    }
}

// As many labels as have room.
void Plot::resizeEvent(QResizeEvent* event)
{
    if (auto* ticker = dynamic_cast<LinearTicker*>(xAxis->ticker().data()))
        ticker->setTickCount(std::clamp(width() / 90, 2, 8));
    QCustomPlot::resizeEvent(event);
}

bool Plot::event(QEvent* event)
{
    if (event->type() == QEvent::Show || event->type() == QEvent::ScreenChangeInternal)
        if (bufferDevicePixelRatio() != devicePixelRatioF())
            setBufferDevicePixelRatio(devicePixelRatioF());
    return QCustomPlot::event(event);
}

}  // namespace holo::widgets
