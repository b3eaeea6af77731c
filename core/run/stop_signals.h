#pragma once

namespace holo::run {

// SIGTERM, SIGINT, SIGHUP and SIGUSR1 ask for an orderly end: finish the step, save, leave with code 75. A second SIGINT, or any second
// signal a second after the first, leaves at once with the same code; the last checkpoint is good.
void installStopSignals();
bool stopRequested();
int stopSignal();  // number of the first one, 0 if there was none
// For tests and for drivers that stop by other means.
void requestStop(int signalNumber);

}  // namespace holo::run
