#include "core/run/stop_signals.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <initializer_list>

#include <unistd.h>

namespace holo::run {

namespace {

constexpr int kInterruptedCode = 75;

std::atomic<int> s_signal{0};
std::atomic<long> s_firstMs{0};

long monotonicMs()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);  // async-signal-safe
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void onSignal(int number)
{
    int none = 0;
    if (s_signal.compare_exchange_strong(none, number)) {
        s_firstMs = monotonicMs();
        return;
    }
    if ((number == SIGINT && s_signal == SIGINT) || monotonicMs() - s_firstMs > 1000)
        ::_exit(kInterruptedCode);
}

}  // namespace

void installStopSignals()
{
    struct sigaction action {};
    action.sa_handler = onSignal;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1})
        ::sigaction(number, &action, nullptr);
}

bool stopRequested() { return s_signal != 0; }
int stopSignal() { return s_signal; }
void requestStop(int signalNumber) { onSignal(signalNumber); }

}  // namespace holo::run
