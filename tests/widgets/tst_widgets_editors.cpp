#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "core/config/scheme_json.h"
#include "core/ladder/kinds.h"
#include "core/ladder/plan.h"
#include "widgets/editors/head_painter.h"
#include "widgets/editors/project_document.h"
#include "widgets/editors/run_matrix.h"
#include "widgets/editors/scheme_editor.h"
#include "widgets/editors/scheme_parameters.h"
#include "widgets/editors/spec_form.h"

using namespace holo;
using namespace holo::widgets;

class WidgetsEditors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFieldHasAnEditor();
    void editsAreUndoneAndMelt();
    void wrongValuesAreRefused();
    void everyKindHasAForm();
    void hybridRoundTrip();
    void paintedHeadsResolve();
    void brushPaintsAndKeysToo();
    void matrixOffersWhatIsMissing();
    void savedProjectReadsBack();
    void formsTakeTheColumnsTheyHaveRoomFor();
};

void WidgetsEditors::everyFieldHasAnEditor()
{
    ProjectDocument document;
    document.load("/tmp", config::projectTemplate("tiny"));
    for (const char* prefix : {"model", "data", "train", "eval"}) {
        SpecForm form(document, prefix);
        QVERIFY(form.findChildren<QWidget*>().size() > 4);
    }
    SpecForm train(document, "train");
    auto* steps = train.findChild<QLineEdit*>("train.steps");
    QVERIFY(steps);
    QCOMPARE(steps->text(), QString::number(document.project().train.steps));
}

void WidgetsEditors::editsAreUndoneAndMelt()
{
    ProjectDocument document;
    document.load("/tmp", config::projectTemplate("tiny"));
    const auto before = document.project().train.steps;
    QSignalSpy changed(&document, &ProjectDocument::changed);
    QCOMPARE(document.setField("train.steps", 11), QString());
    QCOMPARE(document.setField("train.steps", 12), QString());
    QCOMPARE(document.setField("train.lr", 0.5), QString());
    QCOMPARE(document.undoStack()->count(), 2);
    QVERIFY(document.isModified());
    document.undoStack()->undo();
    document.undoStack()->undo();
    QCOMPARE(document.project().train.steps, before);
    QVERIFY(!document.isModified());
    document.undoStack()->redo();
    QCOMPARE(document.project().train.steps, std::int64_t(12));
    QVERIFY(changed.count() >= 6);
}

void WidgetsEditors::wrongValuesAreRefused()
{
    ProjectDocument document;
    document.load("/tmp", config::projectTemplate("tiny"));
    QVERIFY(document.setField("model.layers", 0).contains("model.layers"));
    QVERIFY(!document.setField("model.style", "gpt").isEmpty());
    QVERIFY(!document.setField("eval.depths", Json::array({2.0})).isEmpty());
    QCOMPARE(document.undoStack()->count(), 0);
}

void WidgetsEditors::everyKindHasAForm()
{
    SchemeParameters editor;
    for (const auto& info : ladder::kinds()) {
        if (info.kind == ladder::Kind::Hybrid)
            continue;
        editor.setScheme({info.kind, {}, {}});
        for (const auto& parameter : info.parameters)
            QVERIFY2(editor.findChild<QWidget*>(QString::fromStdString(std::string(parameter.key))), qPrintable(QString::fromStdString(std::string(info.name))));
    }
    editor.setScheme({ladder::Kind::Twisted, {}, {}});
    QSignalSpy edited(&editor, &SchemeParameters::edited);
    auto* phi = editor.findChild<QLineEdit*>("phi");
    phi->setText("1,5");
    Q_EMIT phi->editingFinished();
    QCOMPARE(edited.count(), 1);
    QCOMPARE(std::get<double>(editor.scheme().parameters.at("phi")), 1.5);
    phi->setText("99");
    Q_EMIT phi->editingFinished();
    QCOMPARE(edited.count(), 1);
}

void WidgetsEditors::hybridRoundTrip()
{
    SchemeEditor editor;
    editor.setScheme(config::parseScheme("hybrid:share=0.25,special=mobius"));
    QVERIFY(editor.isHybrid());
    QCOMPARE(editor.currentScheme().kind, ladder::Kind::Mobius);
    const ladder::ModelShape shape{2, 8, 8, 8, 8, 256, 10000, ladder::Pairing::HalfSplit, 0};
    QCOMPARE(ladder::resolve(editor.scheme(), shape).share, 0.25);
    const auto text = config::toJson(editor.scheme());
    QVERIFY(config::toJson(config::schemeFromJson(text, "test")) == text);
}

void WidgetsEditors::paintedHeadsResolve()
{
    SchemeEditor editor;
    editor.setScheme(config::parseScheme("mobius"));
    const ladder::ModelShape shape{3, 4, 4, 16, 16, 64, 10000, ladder::Pairing::HalfSplit, 0};
    editor.setSpecialHeads({{0, 2}, {}, {0, 2}});
    auto plan = ladder::resolve(editor.scheme(), shape);
    for (int layer = 0; layer < 3; ++layer)
        for (int head = 0; head < 4; ++head) {
            const auto kind = plan.ladders[static_cast<std::size_t>(plan.heads[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)].ladder)].kind;
            QCOMPARE(kind == ladder::Kind::Mobius, layer != 1 && head % 2 == 0);
        }
    editor.setSpecialHeads({{1}, {0}, {}});
    plan = ladder::resolve(editor.scheme(), shape);
    QCOMPARE(plan.ladders[static_cast<std::size_t>(plan.heads[0][1].ladder)].kind, ladder::Kind::Mobius);
    QCOMPARE(plan.ladders[static_cast<std::size_t>(plan.heads[1][1].ladder)].kind, ladder::Kind::Standard);
    editor.setSpecialHeads({{}, {}, {}});
    plan = ladder::resolve(editor.scheme(), shape);
    QCOMPARE(plan.ladders[static_cast<std::size_t>(plan.heads[0][0].ladder)].kind, ladder::Kind::Standard);
}

void WidgetsEditors::brushPaintsAndKeysToo()
{
    HeadPainter painter;
    painter.resize(300, 120);
    painter.setHeads(2, 8, {{0, 1}, {0, 1}}, 0);
    painter.show();
    QCOMPARE(painter.share(), 0.25);
    QSignalSpy painted(&painter, &HeadPainter::painted);
    const auto at = [&](int layer, int head) { return QPoint(30 + head * 24 + 12, 16 + layer * 24 + 12); };
    QTest::mousePress(&painter, Qt::LeftButton, {}, at(0, 2));
    QTest::mouseMove(&painter, at(0, 3));
    QTest::mouseMove(&painter, at(1, 3));
    QTest::mouseRelease(&painter, Qt::LeftButton, {}, at(1, 3));
    QCOMPARE(painted.count(), 1);
    QCOMPARE(painter.special()[0], (std::set<int>{0, 1, 2, 3}));
    QCOMPARE(painter.special()[1], (std::set<int>{0, 1, 3}));
    QTest::keyClick(&painter, Qt::Key_Space);  // where the brush began
    QCOMPARE(painter.special()[0], (std::set<int>{0, 1, 3}));
}

void WidgetsEditors::matrixOffersWhatIsMissing()
{
    RunMatrix matrix;
    matrix.setPlan({"a", "b"}, {1, 2});
    QCOMPARE(matrix.chosen().size(), std::size_t(4));
    matrix.setState("a", 1, "done");
    matrix.setState("a", 2, "running");
    matrix.setState("b", 1, "interrupted");
    matrix.setState("b", 2, "failed");
    const auto chosen = matrix.chosen();
    QCOMPARE(chosen.size(), std::size_t(1));
    QCOMPARE(chosen[0].first, QString("b"));
    QCOMPARE(chosen[0].second, qint64(1));
}

void WidgetsEditors::savedProjectReadsBack()
{
    QTemporaryDir dir;
    ProjectDocument document;
    document.load(dir.path().toStdString(), config::projectTemplate("tiny"));
    document.setField("train.steps", 33);
    document.save();
    QVERIFY(!document.isModified());
    QVERIFY(config::toJson(config::readProject(dir.path().toStdString())) == config::toJson(document.project()));
}

void WidgetsEditors::formsTakeTheColumnsTheyHaveRoomFor()
{
    ProjectDocument document;
    document.load("/tmp", config::projectTemplate("tiny"));
    SpecForm form(document, "model");
    form.show();
    const auto columns = [&] {
        std::set<int> lefts;
        for (auto* edit : form.findChildren<QWidget*>(QRegularExpression("^model\\.")))
            lefts.insert(edit->mapTo(&form, QPoint(0, 0)).x());
        return lefts.size();
    };
    const auto wide = [&](int width) {
        form.resize(width, 600);
        QApplication::processEvents();
        return columns();
    };
    const auto three = wide(900);
    const auto one = wide(260);
    QVERIFY2(three > one, qPrintable(QStringLiteral("%1 %2").arg(three).arg(one)));
    QCOMPARE(wide(900), three);
}

QTEST_MAIN(WidgetsEditors)
#include "tst_widgets_editors.moc"
