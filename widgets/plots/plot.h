#pragma once

#include <QString>

#include "widgets/plots/qcustomplot.h"

class QLabel;
class QMenu;

namespace holo::widgets {

// What all plots share: wheel zooms at the pointer, drag pans, Shift-drag zooms to a rectangle, double-click fits, right-click exports;
// a read-out that never covers the point; colours of the theme; one queued repaint at a time.
class Plot : public QCustomPlot {
    Q_OBJECT
public:
    explicit Plot(QWidget* parent = nullptr);

    void setTitle(const QString& title);
    const QString& title() const { return m_title; }
    void setCommand(const QString& command) { m_command = command; }  // that makes the same figure's data
    const QString& command() const { return m_command; }

    virtual QString csv() const = 0;
    virtual void fit() = 0;
    virtual void restyle(double fontPt = 9);  // after a change of theme, and for exports
    void requestReplot() { replot(rpQueuedReplot); }
    // Shortens axis titles that a plot of this size has no room for: "needle depth (% of context)", "needle depth (%)", "depth (%)".
    void fitLabels(const QSize& size);
    virtual void setExporting(bool on) { Q_UNUSED(on) }  // an exported figure stands alone: it shows what the window shows once for several
    void setMessage(const QString& message);  // in place of data: "no finite positive value"
    const QString& message() const { return m_message; }

Q_SIGNALS:
    void failed(const QString& sentence);
    void exported(const QString& file);
    void hoverLeft();

protected:
    virtual QString readout(const QPointF& position) = 0;  // rich text; empty: nothing to say
    virtual void extendMenu(QMenu& menu) { Q_UNUSED(menu) }
    virtual void paintOverlay(QCPPainter& painter, const QRect& rect);
    bool isHovered() const { return m_hovered; }
    const QPointF& hoverPosition() const { return m_hover; }
    virtual bool showsCrosshair() const { return true; }

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool m_userZoomed = false;  // the user chose a range: live data do not move it

private:
    void placeReadout();
    void exportWithDialog(const QString& ending);

    struct AxisTitle {
        QString full;
        QString shown;
    };
    QString m_title;
    AxisTitle m_titles[2];  // of x and y
    QString m_command;
    QString m_message;
    QLabel* m_readout;
    QPointF m_hover;
    bool m_hovered = false;
};

}  // namespace holo::widgets
