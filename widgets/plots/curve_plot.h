#pragma once

#include <QString>
#include <QTimer>
#include <map>
#include <vector>

#include "core/model/curve.h"
#include "core/model/min_max_pyramid.h"
#include "widgets/plots/plot.h"

namespace holo::widgets {

struct CurveStyle {
    QString label;
    int arm = 0;             // index for colour, dash and marker
    double alpha = 1;
    double width = 1.5;
    bool dimmed = false;     // an abandoned attempt
    bool inReadout = true;
};

// Live curves: data arrive by append(); at most 15 times a second the visible range is drawn from min–max pyramids, so that the work is
// bounded by pixels and a spike of one point is never lost. Logarithmic axes leave out what they cannot show, mark it at the lower edge
// and count it.
class CurvePlot : public Plot {
    Q_OBJECT
public:
    explicit CurvePlot(QWidget* parent = nullptr);

    void setCurve(const QString& id, const CurveStyle& style);  // adds it or changes its style
    void append(const QString& id, const std::vector<double>& x, const std::vector<double>& y);
    void replaceData(const QString& id, const model::Curve& curve);
    void removeCurve(const QString& id);
    void clearCurves();
    bool hasCurve(const QString& id) const { return m_curves.contains(id); }
    void setBand(const QString& id, const model::Band& band, const CurveStyle& style);
    void setHighlighted(const QString& id);  // drawn on top and wider; empty: none
    void setReferences(const std::vector<std::pair<double, QString>>& horizontal);

    void setLogX(bool on);
    void setLogY(bool on);
    bool logX() const { return m_logX; }
    bool logY() const { return m_logY; }
    void setSmoothing(double weight);  // 0: off; the raw curve stays visible behind
    void setAxisTitles(const QString& x, const QString& y);
    void setValueName(const QString& name) { m_valueName = name; }

    QString csv() const override;
    void fit() override;
    void restyle(double fontPt = 9) override;
    void refresh();  // draws now what append() left for the timer

    std::size_t maskedCount() const;
    bool isThinned() const { return m_thinned; }

Q_SIGNALS:
    void curveClicked(const QString& id);
    void curveActivated(const QString& id);  // double-click near it

protected:
    QString readout(const QPointF& position) override;
    void extendMenu(QMenu& menu) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Item {
        CurveStyle style;
        model::MinMaxPyramid raw;
        model::MinMaxPyramid smooth;
        double average = 0;
        double share = 1;
        QCPGraph* line = nullptr;
        QCPGraph* shadow = nullptr;  // raw values behind a smoothed line
    };
    struct BandItem {
        CurveStyle style;
        model::Band band;
        QCPGraph* low = nullptr;
        QCPGraph* high = nullptr;
        QCPGraph* mean = nullptr;
    };
    void addPoint(Item& item, double x, double y);
    void rebuildSmooth(Item& item);
    void markDirty();
    void drawItem(Item& item);
    void drawBand(BandItem& item);
    void styleItem(const QString& id, Item& item);
    void styleBand(BandItem& item);
    void updateTickers();
    double toAxisX(double x) const;
    double toAxisY(double y) const;
    QString nearestCurve(const QPointF& position) const;

    std::map<QString, Item> m_curves;
    std::map<QString, BandItem> m_bands;
    std::vector<std::pair<double, QString>> m_references;
    QString m_highlighted;
    QString m_valueName;
    QTimer m_timer;
    QPoint m_pressed;
    bool m_logX = false;
    bool m_logY = false;
    double m_smoothing = 0;
    bool m_dirty = false;
    bool m_thinned = false;
    bool m_drawing = false;
};

}  // namespace holo::widgets
