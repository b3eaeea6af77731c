#include "app/shell/attention_dialog.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "app/bridge/engine.h"
#include "core/base/error.h"
#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/models/table_model.h"
#include "widgets/plots/curve_plot.h"

namespace holo::shell {

using widgets::integerCell;
using widgets::numberCell;

namespace {

QString headName(const Json& head) { return QStringLiteral("%1:%2").arg(head.at("layer").get<int>()).arg(head.at("head").get<int>()); }

}  // namespace

AttentionDialog::AttentionDialog(const QString& title, const QString& runFolder, QWidget* parent)
    : QDialog(parent)
    , m_words(new QLabel)
    , m_length(new QComboBox)
    , m_progress(new QProgressBar)
    , m_plot(new widgets::CurvePlot)
    , m_model(new widgets::TableModel(this))
    , m_table(new QTableView)
{
    setWindowTitle(tr("Attention of the heads · %1").arg(title));
    setObjectName("attention");
    resize(980, 680);
    m_length->setObjectName("attentionLength");
    m_length->setAccessibleName(tr("length of the windows"));
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(6);
    m_words->setWordWrap(true);
    m_words->setProperty("role", "secondary");
    m_plot->setTitle(tr("attention by distance"));
    m_plot->setAxisTitles(tr("distance (tokens)"), tr("weight a token"));
    m_plot->setValueName(tr("weight a token"));
    m_plot->setLogX(true);
    m_plot->setLogY(true);
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(m_model);
    proxy->setSortRole(widgets::TableModel::kSortRole);
    m_table->setModel(proxy);
    m_table->setObjectName("attentionTable");
    m_table->setAccessibleName(tr("attention, head by head"));
    m_table->setSortingEnabled(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    const QStringList arguments{"eval", runFolder, "--protocol", "probe"};
    auto* command = new QLineEdit(bridge::shellCommand(arguments));
    command->setReadOnly(true);
    command->setAccessibleName(tr("command"));
    command->setCursorPosition(0);
    m_plot->setCommand(command->text());
    auto* top = new QHBoxLayout;
    top->addWidget(new QLabel(tr("windows of")));
    top->addWidget(m_length);
    top->addWidget(command, 1);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(m_plot);
    splitter->addWidget(m_table);
    splitter->setSizes({340, 240});
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(top);
    layout->addWidget(m_progress);
    layout->addWidget(m_words);
    layout->addWidget(splitter, 1);
    connect(m_length, &QComboBox::activated, this, &AttentionDialog::showLength);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this, proxy](const QModelIndex& current) {
        const QModelIndex at = proxy->mapToSource(current);
        m_plot->setHighlighted(at.isValid() ? m_model->index(at.row(), 0).data().toString() : QString());
    });
    connect(m_plot, &widgets::CurvePlot::failed, m_words, &QLabel::setText);
    connect(&m_call, &bridge::EngineCall::failed, this, [this](const QString& sentence) {
        m_progress->hide();
        m_words->setText(sentence);
    });
    connect(&m_call, &bridge::EngineCall::finished, this, &AttentionDialog::showDocument);
    m_words->setText(tr("Measuring…"));
    m_call.start(arguments, runFolder);
}

void AttentionDialog::showDocument(const Json& document)
{
    m_progress->hide();
    try {
        m_document = document.at("lengths");
        m_length->clear();
        for (const Json& entry : m_document)
            m_length->addItem(tr("%1 tokens").arg(entry.at("length").get<qint64>()));
        m_length->setCurrentIndex(m_length->count() - 1);
        showLength(m_length->count() - 1);
    } catch (const std::exception& error) {
        m_words->setText(tr("The answer of the probe could not be read: %1").arg(QString::fromUtf8(error.what())));
    }
}

void AttentionDialog::showLength(int at)
{
    if (at < 0 || at >= static_cast<int>(m_document.size()))
        return;
    const Json& entry = m_document[static_cast<std::size_t>(at)];
    m_words->setText(tr("Mean of %1 windows of held-out text. Even weights would put %2 % of the last eighth's weight on the first eighth; K/M there is the mean of K(Δ)/M over the same pairs.")
                         .arg(entry.at("windows").get<int>())
                         .arg(100 * toDouble(entry.at("ends_even"), "ends_even"), 0, 'f', 1));
    std::map<std::string, int> colors;  // by ladder
    m_plot->clearCurves();
    std::vector<std::vector<widgets::TableCell>> rows;
    for (const Json& head : entry.at("heads")) {
        const auto ladder = head.at("ladder").get<std::string>();
        const int color = colors.emplace(ladder, static_cast<int>(colors.size())).first->second;
        widgets::CurveStyle style;
        style.arm = color;
        style.label = headName(head) + " · " + QString::fromStdString(ladder);
        style.alpha = 0.7;
        model::Curve curve;
        for (const Json& bin : head.at("by_distance")) {
            const double low = toDouble(bin.at("lo"), "lo");
            const double high = toDouble(bin.at("hi"), "hi");
            if (low < 1)
                continue;  // a logarithmic axis has no place for the token itself; the table says the rest
            curve.x.push_back((low + high - 1) / 2);
            curve.y.push_back(toDouble(bin.at("mass"), "mass") / (high - low));
        }
        m_plot->setCurve(headName(head), style);
        m_plot->replaceData(headName(head), curve);
        widgets::TableCell name{headName(head)};
        const auto swatch = widgets::armStyle(color);
        name.icon = widgets::swatch(swatch.color, swatch.outline);
        const auto percent = [&](const char* key) { return numberCell(100 * toDouble(head.at(key), key), 3); };
        rows.push_back({name, {QString::fromStdString(ladder)}, numberCell(toDouble(head.at("distance"), "distance"), 4), percent("ends"), numberCell(toDouble(head.at("ends_kernel"), "ends_kernel"), 3), percent("first"), percent("entropy_share"), percent("induction")});
    }
    m_model->setTable({{tr("layer:head")}, {tr("ladder")}, {tr("distance (tokens)"), tr("Mean distance of the weight")}, {tr("end to end (%)"), tr("Weight that queries of the last eighth put on keys of the first")},
                          {tr("K/M there"), tr("Mean of K(Δ)/M over the same pairs: what the ladder alone says of them")}, {tr("first token (%)")}, {tr("entropy (%)"), tr("Of the largest possible")},
                          {tr("induction (%)"), tr("On random tokens said twice: weight on the token after the first saying")}},
        std::move(rows));
    m_table->resizeColumnsToContents();
    m_plot->fit();
    m_plot->refresh();
}

}  // namespace holo::shell
