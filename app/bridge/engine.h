#pragma once

#include <QString>
#include <QStringList>

namespace holo::bridge {

// The sibling program in our own folder; HOLONOMY_ENGINE in the environment names another one.
QString enginePath();
bool engineExists();

// The command as a person would type it.
QString shellCommand(const QStringList& arguments);

// Devices that the local queue may use: "cuda:0" … where an NVIDIA driver shows GPUs, else "cpu".
QStringList localDevices();

}  // namespace holo::bridge
