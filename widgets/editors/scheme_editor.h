#pragma once

#include <QWidget>
#include <set>
#include <vector>

#include "core/ladder/scheme.h"

class QCheckBox;
class QTabBar;

namespace holo::widgets {

class NumberEdit;
class SchemeParameters;

// Editor of a whole scheme: uniform, or a hybrid of special heads and the rest.
class SchemeEditor : public QWidget {
    Q_OBJECT
public:
    explicit SchemeEditor(QWidget* parent = nullptr);
    void setScheme(const ladder::Scheme& scheme);
    const ladder::Scheme& scheme() const { return m_scheme; }

    bool isHybrid() const { return m_scheme.kind == ladder::Kind::Hybrid; }
    int currentPart() const;                       // 0 special, 1 rest; 0 if uniform
    const ladder::Scheme& currentScheme() const;   // of that part
    void setCurrentScheme(const ladder::Scheme& scheme);
    // Special heads as painted, one set a layer; makes a hybrid of a uniform scheme.
    void setSpecialHeads(const std::vector<std::set<int>>& heads);

Q_SIGNALS:
    void edited(const holo::ladder::Scheme& scheme);
    void partChanged();

private:
    void normalise();
    void show();

    ladder::Scheme m_scheme;
    QCheckBox* m_hybrid;
    QTabBar* m_parts;
    NumberEdit* m_share;
    QWidget* m_shareRow;
    SchemeParameters* m_parameters;
};

}  // namespace holo::widgets
