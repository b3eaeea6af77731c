#pragma once

#include <optional>

#include "core/model/needle_grid.h"
#include "widgets/plots/plot.h"

namespace holo::widgets {

class CategoryTicker;

// Needle retrieval by length (rising to the right) and depth (0 at the top). Accuracy is always drawn on 0 … 100 %; a difference on
// −100 … 100 % with zero in the middle, cells within noise hatched. Missing cells are empty with a dot.
class HeatmapPlot : public Plot {
    Q_OBJECT
public:
    explicit HeatmapPlot(QWidget* parent = nullptr);

    void setGrid(const model::NeedleGrid& grid);
    void setDifference(const model::DifferenceGrid& grid);
    void clear();
    void setColorMap(const QString& name);
    void setScaleVisible(bool visible);
    void setExporting(bool on) override;
    void setCaption(const QString& caption);  // above the cells
    void setDifferenceTitle(const QString& title);  // of the scale of a difference
    void setCurrent(std::optional<std::pair<int, int>> cell);  // row, column

    struct CellPicture {
        QRectF rect;   // in pixels of the widget
        QColor color;  // invalid: missing
        QString text;  // what the cell says where it is wide enough
    };
    CellPicture cellPicture(int row, int column) const;
    int rows() const { return static_cast<int>(m_depths.size()); }
    int columns() const { return static_cast<int>(m_lengths.size()); }

    QString csv() const override;
    void fit() override;
    void restyle(double fontPt = 9) override;

Q_SIGNALS:
    void cellHovered(int row, int column);  // −1, −1: none
    void cellActivated(std::int64_t length, double depth);
    void cellSelected(std::int64_t length, double depth);
    void colorMapChosen(const QString& name);

protected:
    QString readout(const QPointF& position) override;
    bool showsCrosshair() const override { return false; }
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void extendMenu(QMenu& menu) override;

private:
    std::optional<std::pair<int, int>> cellAt(const QPointF& position) const;
    double value(int row, int column) const;  // NaN: missing
    QString cellText(int row, int column) const;
    bool isNoise(int row, int column) const;
    QColor colorOf(double value) const;
    void paintCells(QCPPainter& painter, const QRect& rect) const;
    void updateAxes();
    void placeScale(bool visible);

    model::NeedleGrid m_grid;
    model::DifferenceGrid m_difference;
    bool m_isDifference = false;
    std::vector<std::int64_t> m_lengths;
    std::vector<double> m_depths;
    QString m_map = QStringLiteral("viridis");
    QString m_caption;
    QString m_differenceTitle = tr("A − B (points)");
    std::optional<std::pair<int, int>> m_current;
    bool m_scaleWanted = true;
    QCPColorScale* m_scale;
    QCPTextElement* m_title;
    QSharedPointer<CategoryTicker> m_lengthTicker;
    QSharedPointer<CategoryTicker> m_depthTicker;
};

}  // namespace holo::widgets
