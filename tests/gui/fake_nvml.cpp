#include <cstring>

// What NVIDIA's management library answers on a machine with two devices, the second of which fails.
#pragma GCC visibility push(default)
extern "C" {

struct Utilization {
    unsigned gpu;
    unsigned memory;
};
struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

int nvmlInit_v2() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count)
{
    *count = 2;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device)
{
    static int devices[2] = {0, 1};
    *device = &devices[index];
    return 0;
}
int nvmlDeviceGetName(void*, char* name, unsigned length)
{
    std::strncpy(name, "Device 7", length);
    return 0;
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* utilization)
{
    *utilization = {83, 11};
    return *static_cast<int*>(device) == 0 ? 0 : 15;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory)
{
    *memory = {1000, 400, 600};
    return 0;
}
}
