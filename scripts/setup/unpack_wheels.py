"""Unpacks the parts of wheels that a C++ program needs: shared libraries and headers.

usage: unpack_wheels.py [--cuda] WHEEL... DEST
Without --cuda the CUDA halves of LibTorch (half a gigabyte) stay packed.
"""
import pathlib
import sys
import zipfile

args = sys.argv[1:]
cuda = "--cuda" in args
args = [a for a in args if a != "--cuda"]
wheels, dest = args[:-1], pathlib.Path(args[-1])
CUDA_ONLY = ("libtorch_cuda", "libc10_cuda", "libtorch_nvshmem", "libcaffe2_nvrtc")


def wanted(name: str) -> bool:
    path = pathlib.PurePosixPath(name)
    if ".." in path.parts or path.is_absolute():
        return False
    if name.startswith("torch/include/"):
        return True
    if name.startswith("torch/lib/") or (name.startswith("nvidia/") and "/lib/" in name):
        if "libtorch_python" in path.name or "libshm" in path.name:
            return False
        return cuda or not path.name.startswith(CUDA_ONLY)
    return False


for wheel in wheels:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(dest, [n for n in archive.namelist() if wanted(n)])
