#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <QApplication>
#include <QSocketNotifier>
#include <sys/socket.h>
#include <unistd.h>

#include "app/settings/settings.h"
#include "app/shell/main_window.h"
#include "app/shell/screenshots.h"
#include "app/verb_dispatch.h"
#include "widgets/common/plurals.h"

namespace {

int signalPipe[2] = {-1, -1};

void onSignal(int)
{
    const char byte = 1;
    // Only what is allowed in a handler: the window closes itself in its own loop.
    [[maybe_unused]] const ssize_t written = ::write(signalPipe[0], &byte, 1);
}

// SIGTERM and SIGINT close the window as a log-out does: active runs write their checkpoint.
void closeOnSignals(holo::shell::MainWindow& window)
{
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, signalPipe) != 0)
        return;
    auto* notifier = new QSocketNotifier(signalPipe[1], QSocketNotifier::Read, &window);
    QObject::connect(notifier, &QSocketNotifier::activated, &window, [&window] {
        char byte = 0;
        [[maybe_unused]] const ssize_t got = ::read(signalPipe[1], &byte, 1);
        window.setNextCloseChoice(holo::shell::MainWindow::CloseChoice::StopAndSave);
        window.close();
        QApplication::exit(75);
    });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESETHAND;  // a second one ends at once
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv)
{
    using holo::app::Start;
    const Start start = holo::app::startOf(argc, argv);
    if (start == Start::Engine) {
        const std::string problem = holo::app::execEngine(argv);
        std::fprintf(stderr, "%s\n", problem.c_str());
        return 1;
    }
    if (start == Start::Screenshots)
        return holo::shell::screenshotsMain(argc, argv);
    if (const auto problem = holo::app::missingDisplay()) {
        std::fprintf(stderr, "%s\n", problem->c_str());
        return 2;
    }
    QApplication application(argc, argv);
    std::setlocale(LC_NUMERIC, "C");  // Qt took the user's locale; numbers of files know only the point
    QApplication::setApplicationName("holonomy");
    QApplication::setApplicationDisplayName("Holonomy");
    QApplication::setDesktopFileName("io.github.holonomy.Holonomy");
    holo::widgets::ensureFont();
    holo::widgets::installPlurals();
    holo::settings::Settings settings;
    holo::widgets::applyTheme(settings.theme());
    holo::shell::MainWindow window(settings);
    std::setlocale(LC_NUMERIC, "C");  // plug-ins may have changed it again
    closeOnSignals(window);
    window.show();
    const QStringList paths = QApplication::arguments().mid(1);
    if (!paths.isEmpty())
        window.openPaths(paths);
    return QApplication::exec();
}
