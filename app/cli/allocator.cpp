// Settings of jemalloc, which reads this symbol before main: freed pages stay with the process, since a large tensor is otherwise given back to
// the kernel at every free and faulted in again by the next operation.
extern "C" {
__attribute__((visibility("default"), used)) const char* malloc_conf =
    "oversize_threshold:0,thp:always,metadata_thp:auto,dirty_decay_ms:-1,muzzy_decay_ms:-1";
}
