#pragma once

#include <QWidget>
#include <set>
#include <vector>

#include "core/ladder/plan.h"

namespace holo::widgets {

// Layers × heads, each head in the colour of its ladder. Press and drag paints heads special or plain; the first one decides which.
class HeadPainter : public QWidget {
    Q_OBJECT
public:
    explicit HeadPainter(QWidget* parent = nullptr);
    // `special[layer]` are the heads of the special ladder.
    void setHeads(int layers, int heads, const std::vector<std::set<int>>& special, int arm);
    double share() const;
    int specialHeads() const;
    const std::vector<std::set<int>>& special() const { return m_special; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, 60}; }

Q_SIGNALS:
    void painted(const std::vector<std::set<int>>& special);  // once, when the button is released
    void hovered(int layer, int head);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF cellRect(int layer, int head) const;
    bool cellAt(const QPointF& at, int& layer, int& head) const;
    void brush(const QPointF& at);

    int m_layers = 0;
    int m_heads = 0;
    std::vector<std::set<int>> m_special;
    int m_arm = 0;
    bool m_painting = false;
    bool m_paintSpecial = true;
    int m_cursorLayer = 0;
    int m_cursorHead = 0;
};

}  // namespace holo::widgets
