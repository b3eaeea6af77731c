#pragma once

#include <QDrag>
#include <QLabel>
#include <QMimeData>
#include <QMouseEvent>
#include <QUrl>

// A place that files can be dragged from, as a file manager is one.
class Shelf : public QLabel {
public:
    explicit Shelf(const QUrl& url)
        : QLabel("drag me")
        , m_url(url)
    {
        resize(120, 60);
    }

protected:
    void mouseMoveEvent(QMouseEvent*) override
    {
        auto* drag = new QDrag(this);
        auto* data = new QMimeData;
        data->setUrls({m_url});
        drag->setMimeData(data);
        drag->exec(Qt::CopyAction);
    }

private:
    QUrl m_url;
};
