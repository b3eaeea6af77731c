#pragma once

namespace holo::shell {

// holonomy screenshots PROJECT --out DIR [--scale 1|2] [--theme light|dark]: every page of the window as PNG, drawn without a display.
// Prints the files, one a line. Returns the exit code.
int screenshotsMain(int argc, char** argv);

}  // namespace holo::shell
