#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>

#include "app/settings/settings.h"
#include "app/shell/main_window.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/config/scheme_json.h"
#include "core/run/run_directory.h"
#include "widgets/common/plurals.h"
#include "widgets/common/theme.h"
#include "widgets/plots/curve_plot.h"

// How long the window needs for what it does most: frames of live curves, a table of ten thousand runs. Prints one line a figure and
// judges nothing. `bench_window [RUNS]`; offscreen by itself where QT_QPA_PLATFORM says nothing.
using namespace holo;

namespace {

namespace fs = std::filesystem;

constexpr int kCurves = 10;
constexpr int kPoints = 1000000;
constexpr int kFrames = 60;

double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void tell(const char* what, const std::vector<double>& milliseconds)
{
    std::printf("%-64s median %7.1f ms   greatest %7.1f ms\n", what, median(milliseconds), *std::max_element(milliseconds.begin(), milliseconds.end()));
    std::fflush(stdout);
}

// Processor time of the window's thread: what other programs take beside it is left out.
double threadMilliseconds()
{
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

double timed(const std::function<void()>& work)
{
    const double start = threadMilliseconds();
    work();
    return threadMilliseconds() - start;
}

void frames()
{
    widgets::CurvePlot plot;
    plot.resize(1200, 700);
    plot.show();
    RandomStream stream(1, "bench", {});
    for (int c = 0; c < kCurves; ++c) {
        model::Curve curve;
        for (int i = 0; i < kPoints; ++i) {
            curve.x.push_back(i + 1);
            curve.y.push_back(2 + 4 * std::exp(-i / 2e5) + 0.1 * c + 0.3 * stream.uniform());
        }
        widgets::CurveStyle style;
        style.arm = c;
        plot.setCurve(QString::number(c), style);
        plot.replaceData(QString::number(c), curve);
    }
    double next = kPoints;
    const auto live = [&] {
        for (int c = 0; c < kCurves; ++c)
            plot.append(QString::number(c), {next + 1, next + 2}, {2 + stream.uniform(), 2 + stream.uniform()});
        next += 2;
        plot.refresh();
        plot.replot();
    };
    const auto run = [&](const char* what, const std::function<void()>& frame) {
        frame();
        std::vector<double> times;
        for (int i = 0; i < kFrames; ++i)
            times.push_back(timed(frame));
        tell(what, times);
    };
    run("frame, 10 curves x 10^6 points, live", live);
    run("frame, the same, panned", [&] {
        plot.xAxis->moveRange(100);
        plot.replot();
    });
    plot.fit();
    plot.setLogY(true);
    plot.setLogX(true);
    run("frame, both axes logarithmic, live", live);
    plot.setLogY(false);
    plot.setLogX(false);
    std::printf("%-64s %7.1f ms\n", "smoothing switched on", timed([&] { plot.setSmoothing(0.8); }));
    std::fflush(stdout);
    run("frame, smoothed with the raw curve behind, live", live);
}

// Ten thousand runs that are done: fifty arms, two steps each.
void writeProject(const QString& folder, int runs)
{
    config::Project project = config::projectTemplate("tiny");
    project.arms.clear();
    const int seeds = std::max(1, runs / 50);
    for (int arm = 0; arm < 50; ++arm) {
        config::Arm a;
        a.name = "arm" + std::to_string(arm);
        a.scheme = config::parseScheme("standard");
        project.arms.push_back(a);
    }
    project.seeds.clear();
    for (int seed = 1; seed <= seeds; ++seed)
        project.seeds.push_back(seed);
    fs::create_directories(folder.toStdString());
    config::writeProject((folder + "/project.json").toStdString(), project);
    for (const auto& spec : config::expand(project)) {
        const fs::path run = fs::path(folder.toStdString()) / "runs" / config::runId(spec);
        fs::create_directories(run);
        const auto put = [&](const char* name, const std::string& text) {
            FILE* file = std::fopen((run / name).c_str(), "w");
            std::fwrite(text.data(), 1, text.size(), file);
            std::fclose(file);
        };
        put("run.json", dumpLine({{"format", 1}, {"spec", config::toJson(spec)}, {"argv", Json::array({"holonomy"})}}));
        std::string events = dumpLine({{"format", 1}, {"type", "start"}, {"attempt", 1}}) + '\n';
        for (int step = 1; step <= 2; ++step)
            events += dumpLine({{"type", "step"}, {"attempt", 1}, {"step", step}, {"tokens", step * 100}, {"t", step}, {"active", step}, {"loss", 3.0 + 0.001 * static_cast<double>(spec.seed)}, {"lr", 0.001}, {"grad_norm", 1.0}, {"tok_s", 1000}}) + '\n';
        put("events.jsonl", events);
        put("exit.json", dumpLine({{"code", 0}, {"class", "done"}, {"message", ""}, {"step", 2}, {"tokens", 200}}));
    }
}

// The longest time that the window did not get to its events.
class Pulse {
public:
    Pulse()
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { m_longest = std::max(m_longest, static_cast<double>(m_clock.nsecsElapsed()) / 1e6 - 2); m_clock.start(); });
        m_clock.start();
        m_timer.start(2);
    }
    double take() { return std::exchange(m_longest, 0); }

private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    double m_longest = 0;
};

void table(int runs)
{
    QTemporaryDir dir;
    const QString folder = dir.filePath("study");
    writeProject(folder, runs);
    settings::Settings settings(dir.filePath("h.ini"));
    shell::MainWindow window(settings);
    window.queue().setDevices({});
    window.show();
    window.showPage("runs");
    for (const bool first : {true, false}) {
        Pulse pulse;
        QElapsedTimer clock;
        clock.start();
        const double ms = timed([&] {
            window.openProject(folder);
            while (!window.study().isLoaded())
                QTest::qWait(5);
            QTest::qWait(5);
        });
        std::printf("%-64s %7.1f ms (window's thread %.1f ms)   longest block %7.1f ms\n", first ? "open, index written anew" : "open, index there", static_cast<double>(clock.elapsed()), ms, pulse.take());
        std::fflush(stdout);
        if (first)
            window.closeProject();
    }
    auto* view = window.findChild<QTreeView*>("runTable");
    const auto settled = [&](const std::function<void()>& work) {
        return timed([&] {
            work();
            QApplication::processEvents();
            view->viewport()->repaint();
        });
    };
    std::vector<double> sorts;
    for (int column = 0; column < view->model()->columnCount(); ++column)
        for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder})
            sorts.push_back(settled([&] { view->sortByColumn(column, order); }));
    tell("sorted by a column", sorts);
    std::vector<double> filters;
    auto* line = window.findChild<QLineEdit*>("runFilter");
    for (const char* text : {"state:done", "loss<3.1", "arm:arm4", "seed 1", "loss>=3.05 arm:7", ""})
        filters.push_back(settled([&] { line->setText(text); }));
    tell("filtered", filters);
    std::vector<double> arms;
    for (const bool shown : {false, true, false, true})
        arms.push_back(settled([&] { window.filter().setShown(QString("arm3"), shown); }));
    tell("an arm hidden or shown on all pages", arms);
    for (const QString& page : shell::MainWindow::pageNames()) {
        Pulse pulse;
        window.showPage(page);
        QTest::qWait(1500);
        std::printf("%-64s longest block %7.1f ms\n", qPrintable("page " + page + ", idle"), pulse.take());
        std::fflush(stdout);
    }
    window.setNextCloseChoice(shell::MainWindow::CloseChoice::KeepRunning);
    window.close();
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    widgets::ensureFont();
    widgets::installPlurals();
    widgets::applyTheme(widgets::ThemeMode::Light);
    frames();
    table(argc > 1 ? std::atoi(argv[1]) : 10000);
    return 0;
}
