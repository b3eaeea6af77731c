#pragma once

#include <QWidget>

namespace holo::widgets {

// The colours of several heatmaps that share one scale, 0 … 100 %, drawn once beside them.
class ScaleBar : public QWidget {
    Q_OBJECT
public:
    explicit ScaleBar(const QString& title, QWidget* parent = nullptr);
    void setColorMap(const QString& name);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_title;
    QString m_map;
};

}  // namespace holo::widgets
