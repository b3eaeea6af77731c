#pragma once

#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace holo::shell {

class FilterState;

// Title of the page and the filter that all pages share.
class FilterBar : public QWidget {
    Q_OBJECT
public:
    FilterBar(FilterState& state, QWidget* parent = nullptr);
    void setTitle(const QString& title);

Q_SIGNALS:
    void paletteWanted();

private:
    void rebuild();
    void updateSeeds();

    FilterState& m_state;
    QLabel* m_title;
    QWidget* m_chips;
    QToolButton* m_seeds;
    QComboBox* m_length;
    QWidget* m_filters;
};

}  // namespace holo::shell
