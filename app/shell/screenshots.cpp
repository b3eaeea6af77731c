#include "app/shell/screenshots.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDeadlineTimer>
#include <QDir>
#include <QDockWidget>
#include <QEventLoop>
#include <QMenu>
#include <QMenuBar>
#include <QTemporaryDir>
#include <QTimer>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "app/settings/settings.h"
#include "app/shell/claim_sheet.h"
#include "app/shell/command_palette.h"
#include "app/shell/help_texts.h"
#include "app/shell/json_dialog.h"
#include "app/shell/main_window.h"
#include "app/shell/new_project_dialog.h"
#include "app/shell/pages/compare_page.h"
#include "app/shell/text_dialog.h"
#include "app/shell/trials_dialog.h"
#include "widgets/common/plurals.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/export_dialog.h"

namespace holo::shell {

namespace {

constexpr int kPatienceMilliseconds = 180000;
constexpr int kSettleMilliseconds = 900;  // timers of plots, statistics in the background

void waitFor(int milliseconds)
{
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

int fail(int code, const QString& sentence)
{
    std::fprintf(stderr, "%s\n", sentence.toUtf8().constData());
    return code;
}

// Every dialog, with the content that a run which is done gives it.
std::vector<std::pair<QString, std::unique_ptr<QWidget>>> dialogs(MainWindow& window, const QString& run)
{
    std::vector<std::pair<QString, std::unique_ptr<QWidget>>> list;
    list.emplace_back("new-project", std::make_unique<NewProjectDialog>());
    list.emplace_back("export", std::make_unique<widgets::ExportDialog>("retrieval by needle position", "pdf", "holonomy report study --out report"));
    list.emplace_back("json", std::make_unique<JsonDialog>(window.document()));
    list.emplace_back("formulas", std::make_unique<TextDialog>(MainWindow::tr("Formulas and sources"), formulaHelp(), "formulas.txt"));
    QList<QAction*> actions;
    for (auto* menu : window.menuBar()->findChildren<QMenu*>())
        for (auto* action : menu->actions())
            if (!action->isSeparator())
                actions << action;
    auto palette = std::make_unique<CommandPalette>(actions);
    palette->setAttribute(Qt::WA_DeleteOnClose, false);
    list.emplace_back("commands", std::move(palette));
    if (run.isEmpty())
        return list;
    const auto* row = window.study().row(run);
    const QString folder = window.study().runFolder(run);
    list.emplace_back("claim", std::make_unique<TextDialog>(MainWindow::tr("What it rests on"), claimSheet({folder}), "claim.md"));
    if (const auto* needle = window.study().needle(run); needle && !needle->grid.lengths.empty())
        list.emplace_back("trials", std::make_unique<TrialsDialog>(QString::fromStdString(row->arm), std::vector<TrialsDialog::Source>{{row->seed, folder, QString::fromStdString(needle->row.id)}},
                                        needle->grid.lengths.back(), needle->grid.depths.front()));
    return list;
}

const char* optionValue(int argc, char** argv, const char* name)
{
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return nullptr;
}

}  // namespace

int screenshotsMain(int argc, char** argv)
{
    // Both must be set before the application object.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const char* scale = optionValue(argc, argv, "--scale");
    if (scale && (std::strcmp(scale, "1") == 0 || std::strcmp(scale, "2") == 0))
        qputenv("QT_SCALE_FACTOR", scale);
    QApplication application(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setApplicationName("holonomy");

    QCommandLineParser parser;
    parser.setApplicationDescription("Every page and dialog of the window as PNG, drawn without a display.\n\nExample: holonomy screenshots projects/tiny --out pictures --scale 2 --theme dark");
    parser.addHelpOption();
    parser.addOptions({{"out", "Folder for the pictures.", "DIR"}, {"scale", "1 or 2.", "SCALE", "1"}, {"theme", "light or dark.", "THEME", "light"}, {"size", "Size of the window.", "WxH", "1500x950"}});
    parser.addPositionalArgument("PROJECT", "Project folder.");
    if (!parser.parse(QApplication::arguments().mid(1)))
        return fail(2, parser.errorText() + '.');
    if (parser.isSet("help")) {
        std::fputs(parser.helpText().toUtf8().constData(), stdout);
        return 0;
    }
    const QStringList arguments = QStringList(QApplication::arguments()).mid(2);
    QStringList positional;
    for (int i = 0; i < arguments.size(); ++i) {
        if (arguments[i].startsWith("--"))
            i += arguments[i].contains('=') ? 0 : 1;
        else
            positional << arguments[i];
    }
    if (positional.size() != 1 || !parser.isSet("out"))
        return fail(2, "holonomy screenshots needs one PROJECT and --out DIR.");
    const QString themeName = parser.value("theme");
    if (themeName != "light" && themeName != "dark")
        return fail(2, "--theme is " + themeName + "; allowed: light, dark.");
    if (parser.value("scale") != "1" && parser.value("scale") != "2")
        return fail(2, "--scale is " + parser.value("scale") + "; allowed: 1, 2.");
    const QStringList size = parser.value("size").split('x');
    if (size.size() != 2 || size[0].toInt() < 600 || size[1].toInt() < 400 || size[0].toInt() > 8000 || size[1].toInt() > 8000)
        return fail(2, "--size is " + parser.value("size") + "; allowed: WxH from 600x400.");
    const QDir out(parser.value("out"));
    if (!out.mkpath("."))
        return fail(5, parser.value("out") + ": the folder cannot be made.");

    QTemporaryDir scratch;  // preferences of the user stay out of the picture
    settings::Settings settings(scratch.filePath("holonomy.ini"));
    widgets::ensureFont();
    widgets::installPlurals();
    widgets::applyTheme(themeName == "dark" ? widgets::ThemeMode::Dark : widgets::ThemeMode::Light);
    MainWindow window(settings);
    window.resize(size[0].toInt(), size[1].toInt());
    window.queue().setDevices({});  // looking starts nothing
    window.show();
    if (!window.openProject(positional.first()))
        return fail(3, window.errorSentence());
    QDeadlineTimer deadline(kPatienceMilliseconds);
    while (!window.study().isIdle() && !deadline.hasExpired())
        waitFor(50);
    // The run that tells most: the first one that is done.
    std::map<std::string, QString> doneByArm;
    for (const auto& [run, row] : window.study().rows())
        if (row.state == "done") {
            if (doneByArm.empty())
                window.filter().selectRun(run);
            doneByArm.try_emplace(row.arm, run);
        }
    auto* compare = window.findChild<ComparePage*>();
    int well = 0;
    for (const QString& arm : window.filter().arms())
        if (const auto it = doneByArm.find(arm.toStdString()); it != doneByArm.end() && well < 2)
            compare->setSource(well++, window.study().runFolder(it->second));
    // A hybrid shows more of the designer than a uniform arm.
    const auto& arms = window.document().project().arms;
    for (std::size_t i = 0; i < arms.size(); ++i)
        if (arms[i].scheme.kind == ladder::Kind::Hybrid) {
            window.document().setCurrentArm(static_cast<int>(i));
            break;
        }
    int number = 1;
    QString unwritten;
    const auto picture = [&](QWidget& widget, const QString& name) {
        const QString file = out.filePath(QStringLiteral("%1-%2.png").arg(number++, 2, 10, QLatin1Char('0')).arg(name));
        if (!widget.grab().save(file, "PNG"))
            unwritten = file;
        else
            std::printf("%s\n", file.toUtf8().constData());
    };
    for (const QString& page : MainWindow::pageNames()) {
        window.showPage(page);
        waitFor(kSettleMilliseconds);
        while (!window.study().isIdle() && !deadline.hasExpired())
            waitFor(50);
        for (auto* plot : window.findChildren<widgets::CurvePlot*>())
            plot->refresh();
        waitFor(100);
        picture(window, page);
    }
    for (const auto& [name, dialog] : dialogs(window, doneByArm.empty() ? QString() : doneByArm.begin()->second)) {
        dialog->show();
        waitFor(kSettleMilliseconds);
        picture(*dialog, name);
    }
    window.closeProject();
    waitFor(100);
    picture(window, "welcome");
    return unwritten.isEmpty() ? 0 : fail(5, unwritten + ": cannot be written.");
}

}  // namespace holo::shell
