"""The kernel's configuration: a fragment over ``tinyconfig``, every congestion control the tree has, and what must have come true."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from windtunnel.backends.linux.errors import KernelError

# Without one of these there is no laboratory. What else the fragment asks for may be absent from an older or a changed tree.
REQUIRED = (
    "UML_TIME_TRAVEL_SUPPORT",
    "HIGH_RES_TIMERS",
    "HOSTFS",
    "BINFMT_ELF",
    "PRINTK",
    "EPOLL",
    "TIMERFD",
    "PROC_FS",
    "PROC_SYSCTL",
    "NET_NS",
    "INET",
    "VETH",
    "TCP_CONG_ADVANCED",
    "TCP_CONG_CUBIC",
    "NET_SCH_NETEM",
    "NET_SCH_TBF",
    "MODULES",
)
HZ = 1000
_MOUNTS = "init/do_mounts.c"
_SET = re.compile(r"^CONFIG_(\w+)=(.+)$", re.MULTILINE)
_CONGESTION_CONTROL = re.compile(r"^config\s+(TCP_CONG_\w+)\s*$", re.MULTILINE)


def fragment() -> str:
    """Return our fragment, without the congestion controls of a tree."""
    return (files("windtunnel.backends.linux") / "kernel.config").read_text(encoding="utf-8")


def congestion_controls(tree: Path) -> list[str]:
    """Return the options of all congestion controls in ``net/ipv4/Kconfig``, in its order: a new one in a developer's tree is built too."""
    text = (tree / "net/ipv4/Kconfig").read_text(encoding="utf-8", errors="replace")
    return [name for name in dict.fromkeys(_CONGESTION_CONTROL.findall(text)) if name != "TCP_CONG_ADVANCED"]


def for_root(tree: Path) -> list[str]:
    """Return the options without which this tree mounts no file system of the host as root.

    Before Linux 5.15 only what knows block devices mounts a root at all; 5.10 without them boots, mounts nothing and finds no init.

    Raises
    ------
    KernelError
        When the file that mounts the root cannot be read.
    """
    try:
        text = (tree / _MOUNTS).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise KernelError(f"{_MOUNTS}: cannot be read: {error.strerror}; it says what can be mounted as root") from None
    return [] if "mount_nodev_root(" in text else ["BLOCK"]


def wanted(tree: Path, more: Sequence[str] = ()) -> str:
    """Return what is appended to ``tinyconfig`` for this tree.

    Parameters
    ----------
    tree : Path
        The tree.
    more : sequence of str
        Options that this tree needs besides, without ``CONFIG_``.
    """
    chosen = [f"CONFIG_{name}=y" for name in (*congestion_controls(tree), *for_root(tree), *more)]
    # Where the architecture takes the generic choice of HZ this decides; elsewhere the tree was edited, and these are ignored.
    clock = ["CONFIG_HZ_1000=y", "# CONFIG_HZ_100 is not set", "# CONFIG_HZ_250 is not set", "# CONFIG_HZ_300 is not set"]
    # Block devices bring the SCSI generic interface with them, whose source a copy leaves out.
    without = ["# CONFIG_BLK_DEV_BSG is not set"] if "CONFIG_BLOCK=y" in chosen else []
    return "\n".join([fragment().rstrip(), "", "# Every congestion control of this tree.", *chosen, *clock, *without, ""])


def missing(asked: str, config: str) -> list[str]:
    """Return the options that were asked for and did not come true.

    Parameters
    ----------
    asked : str
        What was appended.
    config : str
        The ``.config`` made of it.

    Returns
    -------
    list of str
        Options' names without ``CONFIG_``; those of `REQUIRED` are not among them.

    Raises
    ------
    KernelError
        When a required option is off, or the clock does not tick 1000 times a second.
    """
    made = dict(_SET.findall(config))
    absent = [name for name, value in _SET.findall(asked) if value == "y" and made.get(name) != "y" and not name.startswith("HZ_")]
    fatal = [name for name in absent if name in REQUIRED]
    if fatal:
        raise KernelError(f"this tree cannot set {', '.join(fatal)}, which the laboratory needs; see docs/guides/kernel.md")
    if made.get("HZ") != str(HZ):
        raise KernelError(f"this tree's clock ticks {made.get('HZ', 'an unknown number of')} times a second; {HZ} is needed")
    return absent
