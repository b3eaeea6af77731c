#include "widgets/editors/scheme_editor.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTabBar>
#include <QVBoxLayout>
#include <map>

#include "core/ladder/kinds.h"
#include "widgets/common/number_edit.h"
#include "widgets/editors/scheme_parameters.h"

namespace holo::widgets {

using ladder::Kind;
using ladder::Part;
using ladder::Scheme;

namespace {

constexpr double kDefaultShare = 0.25;

}  // namespace

SchemeEditor::SchemeEditor(QWidget* parent)
    : QWidget(parent)
    , m_hybrid(new QCheckBox(tr("different heads, different ladders")))
    , m_parts(new QTabBar)
    , m_share(new NumberEdit)
    , m_shareRow(new QWidget)
    , m_parameters(new SchemeParameters)
{
    m_hybrid->setObjectName("hybrid");
    m_parts->setObjectName("parts");
    m_parts->addTab(tr("special"));
    m_parts->addTab(tr("rest"));
    m_parts->setDrawBase(false);
    m_parts->setExpanding(false);
    m_share->setRange(0, 100);
    m_share->setObjectName("share");
    m_share->setAccessibleName(tr("share of the heads (%)"));
    m_share->setMaximumWidth(64);
    auto* row = new QHBoxLayout(m_shareRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_parts);
    row->addStretch();
    row->addWidget(new QLabel(tr("share")));
    row->addWidget(m_share);
    row->addWidget(new QLabel("%"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_hybrid);
    layout->addWidget(m_shareRow);
    layout->addWidget(m_parameters);

    connect(m_hybrid, &QCheckBox::clicked, this, [this](bool on) {
        if (on) {
            Scheme special = m_scheme.kind == Kind::Standard ? Scheme{Kind::Mobius, {}, {}} : m_scheme;
            m_scheme = {Kind::Hybrid, {}, {Part{"special", special, kDefaultShare, {}, {}}, Part{"rest", {}, -1, {}, {}}}};
        } else {
            m_scheme = currentScheme();
        }
        show();
        Q_EMIT edited(m_scheme);
        Q_EMIT partChanged();
    });
    connect(m_parts, &QTabBar::currentChanged, this, [this] {
        show();
        Q_EMIT partChanged();
    });
    connect(m_share, &NumberEdit::valueEdited, this, [this](double percent) {
        if (!isHybrid())
            return;
        // A share replaces painted heads.
        Part special = m_scheme.parts.front();
        special.share = percent / 100;
        special.layers.clear();
        special.heads.clear();
        m_scheme.parts = {special, m_scheme.parts.back()};
        Q_EMIT edited(m_scheme);
    });
    connect(m_parameters, &SchemeParameters::edited, this, [this](const Scheme& scheme) { setCurrentScheme(scheme); });
}

void SchemeEditor::setScheme(const Scheme& scheme)
{
    m_scheme = scheme;
    normalise();
    show();
}

// Parts given by the parameters special, rest and share become explicit ones.
void SchemeEditor::normalise()
{
    if (!isHybrid())
        return;
    const auto text = [&](const char* key, const char* fallback) {
        const auto it = m_scheme.parameters.find(key);
        const auto* value = it == m_scheme.parameters.end() ? nullptr : std::get_if<std::string>(&it->second);
        return value ? *value : std::string(fallback);
    };
    const auto kindOf = [](const std::string& name) { return ladder::findKind(name).value_or(Kind::Standard); };
    double share = kDefaultShare;
    if (const auto it = m_scheme.parameters.find("share"); it != m_scheme.parameters.end())
        if (const auto* value = std::get_if<double>(&it->second))
            share = *value;
    if (m_scheme.parts.empty()) {
        m_scheme.parts.push_back({"special", {kindOf(text("special", "mobius")), {}, {}}, share, {}, {}});
        m_scheme.parts.push_back({"rest", {kindOf(text("rest", "standard")), {}, {}}, -1, {}, {}});
    } else if (m_scheme.parts.size() == 1) {
        m_scheme.parts.push_back({"rest", {}, -1, {}, {}});
    }
    Part& first = m_scheme.parts.front();
    if (first.share < 0 && first.layers.empty() && first.heads.empty())
        first.share = share;
    m_scheme.parameters.clear();
}

int SchemeEditor::currentPart() const { return isHybrid() ? m_parts->currentIndex() : 0; }

const Scheme& SchemeEditor::currentScheme() const
{
    if (!isHybrid())
        return m_scheme;
    return currentPart() == 0 ? m_scheme.parts.front().scheme : m_scheme.parts.back().scheme;
}

void SchemeEditor::setCurrentScheme(const Scheme& scheme)
{
    if (!isHybrid()) {
        m_scheme = scheme;
    } else if (currentPart() == 1) {
        m_scheme.parts.back().scheme = scheme;
    } else {
        for (std::size_t i = 0; i + 1 < m_scheme.parts.size(); ++i)
            m_scheme.parts[i].scheme = scheme;
    }
    m_parameters->setScheme(scheme);
    Q_EMIT edited(m_scheme);
}

void SchemeEditor::setSpecialHeads(const std::vector<std::set<int>>& heads)
{
    if (!isHybrid())
        m_scheme = {Kind::Hybrid, {}, {Part{"special", m_scheme.kind == Kind::Standard ? Scheme{Kind::Mobius, {}, {}} : m_scheme, -1, {}, {}}, Part{"rest", {}, -1, {}, {}}}};
    const Part special = m_scheme.parts.front();
    const Part rest = m_scheme.parts.back();
    // Layers with the same heads share one part.
    std::map<std::set<int>, std::vector<int>> groups;
    for (std::size_t layer = 0; layer < heads.size(); ++layer)
        if (!heads[layer].empty())
            groups[heads[layer]].push_back(static_cast<int>(layer));
    std::vector<Part> parts;
    for (const auto& [set, layers] : groups) {
        Part part = special;
        part.name = parts.empty() ? "special" : "special " + std::to_string(parts.size() + 1);
        part.share = -1;
        part.layers = layers.size() == heads.size() ? std::vector<int>() : layers;
        part.heads.assign(set.begin(), set.end());
        parts.push_back(std::move(part));
    }
    if (parts.empty()) {
        Part part = special;
        part.share = 0;
        part.layers.clear();
        part.heads.clear();
        parts.push_back(std::move(part));
    }
    parts.push_back(rest);
    m_scheme.parts = std::move(parts);
    show();
    Q_EMIT edited(m_scheme);
}

void SchemeEditor::show()
{
    m_hybrid->setChecked(isHybrid());
    m_shareRow->setVisible(isHybrid());
    if (isHybrid()) {
        const double share = m_scheme.parts.front().share;
        if (share >= 0)
            m_share->setValue(100 * share);
        else
            m_share->setText(tr("painted"));
    }
    m_parameters->setScheme(currentScheme());
}

}  // namespace holo::widgets
