#pragma once

#include <string>
#include <vector>


namespace holo::run {

// Cores that this process may run on (the cpuset, not the machine).
int availableCores();
std::string cpuName();
std::string hostName();

// min(asked, available cores); all of them if 0 is asked.
int threadsFor(int asked);

// Libraries named *gomp* or *omp* that are mapped into this process. More than one would mean two thread pools.
std::vector<std::string> openMpLibraries();

}  // namespace holo::run
