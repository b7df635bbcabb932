"""A controller in the kernel for as long as this process lives: ``python hold.py OBJECT MAP``, with libbpf.so.1 and nothing else.

It registers with a link of BPF's (Linux 6.4 and newer), which the kernel takes away with the process, however that ends. What libbpf and
the verifier say is on the standard error. ``held`` is said when it is registered; it stays until its standard input ends.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys

BPF_F_LINK = 1 << 13
BPF_LINK_CREATE, BPF_STRUCT_OPS = 28, 44
SYSCALL_BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}
PR_SET_PDEATHSIG = 1
ATTRIBUTES_BYTES = 64


def hold(path: str, table: str) -> str | None:
    """Load and register; return what went wrong, None when nothing did."""
    try:
        lib = ctypes.CDLL("libbpf.so.1", use_errno=True)
    except OSError:
        return "libbpf.so.1 is not installed (Debian: apt-get install libbpf1)"
    libc = ctypes.CDLL(None, use_errno=True)
    for name in ("bpf_object__open_file", "bpf_object__find_map_by_name", "bpf_map__attach_struct_ops"):
        getattr(lib, name).restype = ctypes.c_void_p
    opened = lib.bpf_object__open_file(path.encode(), None)
    if not opened:
        return f"libbpf does not read it ({os.strerror(ctypes.get_errno())})"
    found = ctypes.c_void_p(lib.bpf_object__find_map_by_name(ctypes.c_void_p(opened), table.encode()))
    if not found or lib.bpf_map__set_map_flags(found, BPF_F_LINK):
        return "libbpf finds no table of hooks in it"
    if lib.bpf_object__load(ctypes.c_void_p(opened)):
        return "the kernel does not load it"
    descriptor = lib.bpf_map__fd(found)
    if not lib.bpf_map__attach_struct_ops(found):
        return f"the kernel does not take its table ({os.strerror(ctypes.get_errno())})"
    number = SYSCALL_BPF.get(os.uname().machine)
    if number is None:
        return f"the number of bpf(2) on {os.uname().machine} is not known here"
    attributes = struct.pack("=IIII", descriptor, 0, BPF_STRUCT_OPS, 0).ljust(ATTRIBUTES_BYTES, b"\0")
    if libc.syscall(number, BPF_LINK_CREATE, ctypes.create_string_buffer(attributes, ATTRIBUTES_BYTES), ATTRIBUTES_BYTES) < 0:
        return f"the kernel does not register it ({os.strerror(ctypes.get_errno())})"
    return None


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    problem = hold(*sys.argv[1:3])
    print("held" if problem is None else f"error {problem}", flush=True)
    if problem is None:
        sys.stdin.read()
    os._exit(0)
