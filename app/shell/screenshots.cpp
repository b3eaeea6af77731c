#include "app/shell/screenshots.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDeadlineTimer>
#include <QDir>
#include <QDockWidget>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>
#include <clocale>
#include <cstdio>
#include <cstring>

#include "app/settings/settings.h"
#include "app/shell/main_window.h"
#include "app/shell/pages/compare_page.h"
#include "widgets/common/plurals.h"
#include "widgets/plots/curve_plot.h"

namespace holo::shell {

namespace {

constexpr int kPatienceMilliseconds = 30000;
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
    parser.setApplicationDescription("Every page of the window as PNG, drawn without a display.\n\nExample: holonomy screenshots projects/tiny --out pictures --scale 2 --theme dark");
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
    for (const QString& page : MainWindow::pageNames()) {
        window.showPage(page);
        waitFor(kSettleMilliseconds);
        while (!window.study().isIdle() && !deadline.hasExpired())
            waitFor(50);
        for (auto* plot : window.findChildren<widgets::CurvePlot*>())
            plot->refresh();
        waitFor(100);
        const QString file = out.filePath(QStringLiteral("%1-%2.png").arg(number++).arg(page));
        if (!window.grab().save(file, "PNG"))
            return fail(5, file + ": cannot be written.");
        std::printf("%s\n", file.toUtf8().constData());
    }
    return 0;
}

}  // namespace holo::shell
