"""The few small changes that make a kernel repeat exactly, and start on every host.

A clock of 1000 ticks a second, entropy from a seed, and none from interrupts; room for all registers of the host, which no alarm clears.
Each change looks for the place it knows, says what it did, finds its own work again and refuses what it does not recognise: a wrong change
would give numbers that look right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.backends.linux import entropy
from windtunnel.backends.linux.config import HZ
from windtunnel.backends.linux.errors import KernelError, Unrecognised

_MARK = "windtunnel:"


@dataclass(frozen=True)
class Change:
    """One change to one file.

    Parameters
    ----------
    file : str
        Relative to the tree's root.
    purpose : str
        What it is for, in a line.
    apply : callable
        From the file's text to what was done (a line) and the new text. Raises `Unrecognised`.
    """

    file: str
    purpose: str
    apply: Callable[[str], tuple[str, str]]


@dataclass(frozen=True)
class Done:
    """What a change did."""

    file: str
    purpose: str
    what: str


def _clock(text: str) -> tuple[str, str]:
    """TCP's timers and the clocks of CUBIC, BIC and H-TCP count ticks; the architecture fixes them at 100 a second."""
    if re.search(r'^source "kernel/Kconfig\.hz"', text, re.MULTILINE):
        return "nothing: HZ is the configuration's choice", text
    stanza = re.search(r"^config HZ\n((?:[ \t]+.*\n|\n(?=[ \t]))*)", text, re.MULTILINE)
    if stanza is None:
        raise Unrecognised("a stanza `config HZ`, or the generic choice of HZ")
    defaults = re.findall(r"^[ \t]+default[ \t]+(\d+)[ \t]*$", stanza[1], re.MULTILINE)
    if len(defaults) != 1:
        raise Unrecognised("one numeric default of HZ")
    if defaults[0] == str(HZ):
        return f"nothing: HZ is {HZ} already", text
    body = re.sub(r"^([ \t]+default[ \t]+)\d+", rf"\g<1>{HZ}", stanza[1], count=1, flags=re.MULTILINE)
    return f"HZ from {defaults[0]} to {HZ}", text[: stanza.start(1)] + body + text[stanza.end(1) :]


def _interrupts(text: str) -> tuple[str, str]:
    """Host signals arrive when they like; their timing must not reach the guest's generator."""
    if f"{_MARK} no entropy" in text:
        return "nothing: off already", text
    heads = list(re.finditer(r"^void add_interrupt_randomness\(int irq(?:, int irq_flags)?\)\n\{\n", text, re.MULTILINE))
    if len(heads) != 1:
        raise Unrecognised("one function add_interrupt_randomness(int irq)")
    after = heads[0].end()
    body = text[after : text.find("\n}\n", after)]
    declarations, blank, _ = body.partition("\n\n")
    if not blank or not all(_declares(line) for line in declarations.splitlines()):
        raise Unrecognised("declarations and a blank line at the start of add_interrupt_randomness()")
    at = after + len(declarations) + 1
    early = f"\n\t/* {_MARK} no entropy from the host's timing. */\n\tif (IS_ENABLED(CONFIG_UML_TIME_TRAVEL_SUPPORT))\n\t\treturn;\n"
    return "add_interrupt_randomness() returns at once", text[:at] + early + text[at:]


def _declares(line: str) -> bool:
    statement = line.strip()
    return re.match(r"(if|for|while|switch|return|do|goto)\b|\w+\s*\(", statement) is None


_STATX = re.compile(r"\bstatx\((fd|fd < 0 \? AT_FDCWD : fd), path, flags, ")


def _folder(text: str) -> tuple[str, str]:
    """Let a guest's root be named relative to its kernel's working directory, so that no command line names a place.

    Newer kernels' hostfs, 6.12's among them, asks the host by ``statx()`` and gives -1 for the folder where relative names start; the host
    finds nothing there.
    """
    if not re.search(r"\bstatx\(", text):
        return "nothing: names start from the working directory", text
    places = list(_STATX.finditer(text))
    if len(places) != 1:
        raise Unrecognised("one call statx(fd, path, flags, ...), or none")
    if places[0][1] != "fd":
        return "nothing: names start from the working directory already", text
    return "statx() of a relative name starts from the working directory", _STATX.sub("statx(fd < 0 ? AT_FDCWD : fd, path, flags, ", text)


_STATE_BYTES = 12_288
"""Of a processor's extended state, at most: a host with AMX has 11,008 (XSAVE's standard format), one with AVX-512 2696."""
_STATE = re.compile(r"\bDEFINE_LONGS\(HOST_FP_SIZE, (\d+)\);")


def _registers(text: str) -> tuple[str, str]:
    """Keep all that a host's processor has beside its general registers: ptrace() takes the whole of it back, or nothing.

    A kernel that has room for less starts no process there. From 6.13 on it asks the host how much there is.
    """
    if "HOST_FP_SIZE" not in text:
        return "nothing: the host is asked for the size", text
    places = list(_STATE.finditer(text))
    if len(places) != 1:
        raise Unrecognised("one number for HOST_FP_SIZE, or none")
    size = int(places[0][1])
    if size >= _STATE_BYTES:
        return f"nothing: there is room for {size} bytes already", text
    return f"room for {_STATE_BYTES} bytes in place of {size}", text[: places[0].start(1)] + str(_STATE_BYTES) + text[places[0].end(1) :]


_ALARM = re.compile(r"^static void timer_real_alarm_handler\(mcontext_t \*mc\)\n\{\n", re.MULTILINE)


def _alarm(text: str) -> tuple[str, str]:
    """Hand the alarms of virtual time one set of empty registers, in place of room that is cleared for each of them, twice.

    The room is of 12 kB (`_registers`), and clearing it was a third of what a guest cost (the processor's caches lost what they held). No
    result depends on this: a handler of another form stays as it is.
    """
    if f"{_MARK} an alarm" in text:
        return "nothing: they have their own already", text
    heads = list(_ALARM.finditer(text))
    body = text[heads[0].end() : text.find("\n}\n", heads[0].end())] if len(heads) == 1 else ""
    if "timer_handler(SIGALRM, NULL, &regs);" not in body:
        return "nothing: the handler has another form", text
    early = (
        f"\t/* {_MARK} an alarm of virtual time interrupts no process. */\n"
        "\tif (mc == NULL) {\n\t\tstatic struct uml_pt_regs none;\n\n"
        "\t\ttimer_handler(SIGALRM, NULL, &none);\n\t\treturn;\n\t}\n"
    )
    return "alarms of virtual time clear no registers", text[: heads[0].end()] + early + text[heads[0].end() :]


_CLOCK = Change("arch/um/Kconfig", "a clock of 1000 ticks a second", _clock)
_QUIET = Change("drivers/char/random.c", "no entropy from interrupts", _interrupts)
_FOLDER = Change("fs/hostfs/hostfs_user.c", "a root folder without a name", _folder)
_ROOM = Change("arch/x86/um/user-offsets.c", "processors with much state", _registers)
_EMPTY = Change("arch/um/os-Linux/signal.c", "alarms that cost little", _alarm)
CHANGES = (_CLOCK, Change("arch/um/os-Linux/util.c", "entropy from a seed", entropy.answer), _QUIET, _FOLDER, _ROOM, _EMPTY)
"""To a kernel that asks its host for entropy."""
OLDER = (
    _CLOCK,
    Change("arch/um/os-Linux/util.c", "entropy from a seed", entropy.add),
    Change("arch/um/kernel/um_arch.c", "entropy from a seed", entropy.hand_over),
    _QUIET,
    _FOLDER,
    _ROOM,
    _EMPTY,
)
"""To one that does not."""


def apply(tree: Path, more: Sequence[Change] = ()) -> list[Done]:
    """Make the changes in a tree of our own, all or none.

    Parameters
    ----------
    tree : Path
        A copy that may be changed.
    more : sequence of Change, optional
        Beside those that every kernel gets.

    Returns
    -------
    list of Done
        What each change did; "nothing" where it was made before or is not needed.

    Raises
    ------
    KernelError
        When a place is not recognised; no file is changed then.
    """
    results = []
    for change in (*(CHANGES if entropy.asks_host(tree) else OLDER), *more):
        path = tree / change.file
        try:
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            raise KernelError(f"{change.file}: cannot be read: {error.strerror}; it is changed for {change.purpose}") from None
        try:
            what, new = change.apply(text)
        except Unrecognised as error:
            raise KernelError(f"{change.file}: is not as expected, so {change.purpose} cannot be had; looked for: {error}") from None
        results.append((path, new, Done(change.file, change.purpose, what)))
    for path, new, _ in results:
        path.write_text(new, encoding="utf-8", errors="surrogateescape")
    return [done for _, _, done in results]
