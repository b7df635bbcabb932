"""A user's C file in the kernel's dialect as a congestion control of this machine's kernel: BPF struct_ops, for as long as a run lasts."""

from windtunnel.backends.live.bpf.kernel import missing
from windtunnel.backends.live.bpf.load import Held, Key, loaded
from windtunnel.backends.live.bpf.made import check

__all__ = ["Held", "Key", "check", "loaded", "missing"]
