"""The three small changes that make a kernel a laboratory instrument.

A clock of 1000 ticks a second, entropy from a seed, and none from interrupts. Each change looks for the place it knows, says what it did,
finds its own work again and refuses what it does not recognise: a change guessed at would give numbers that look right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windtunnel.backends.linux.config import HZ
from windtunnel.backends.linux.errors import KernelError

SEED_VARIABLE = "UML_SEED"
"""The environment variable that holds a guest's seed, a decimal number below 2^64."""

_MARK = "windtunnel:"


class Unrecognised(ValueError):
    """A place that is not as expected; its text says what was looked for."""


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


_OS_GETRANDOM = re.compile(
    r"^ssize_t os_getrandom\(void \*(\w+), size_t (\w+), unsigned int (\w+)\)\n\{\n(\treturn getrandom\(\1, \2, \3\);\n)\}\n", re.MULTILINE
)

# The generator is Vigna's splitmix64, of the public domain.
_SEEDED = f"""
/* {_MARK} a seed in the environment replaces the host's entropy by splitmix64. */
static int windtunnel_fill(unsigned char *to, size_t len)
{{
	static unsigned long long state;
	static int known, seeded;
	size_t at;

	if (!known) {{
		const char *seed = getenv("{SEED_VARIABLE}");

		known = 1;
		seeded = seed != NULL && *seed != 0;
		if (seeded)
			state = strtoull(seed, NULL, 10);
	}}
	if (!seeded)
		return 0;
	for (at = 0; at < len; at += 8) {{
		unsigned long long word = (state += 0x9e3779b97f4a7c15ULL);

		word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
		word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
		word ^= word >> 31;
		memcpy(to + at, &word, len - at < 8 ? len - at : 8);
	}}
	return 1;
}}

"""


def _entropy(text: str) -> tuple[str, str]:
    """BBR's phase, initial sequence numbers, timestamp offsets and addresses all come from the host's entropy."""
    if f"{_MARK} a seed" in text:
        return "nothing: seeded already", text
    places = list(_OS_GETRANDOM.finditer(text))
    if len(places) != 1:
        raise Unrecognised(
            "a function os_getrandom() that does nothing but call getrandom() (new in Linux 5.19, and in stable trees of 2022)"
        )
    place = places[0]
    for header in ("stdlib.h", "string.h"):
        if f"#include <{header}>" not in text:
            raise Unrecognised(f"#include <{header}>")
    early = f"\tif (windtunnel_fill({place[1]}, {place[2]}))\n\t\treturn {place[2]};\n"
    new = text[: place.start()] + _SEEDED.lstrip("\n") + text[place.start() : place.start(4)] + early + text[place.start(4) :]
    return f"os_getrandom() fills from {SEED_VARIABLE} where that is set", new


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


CHANGES = (
    Change("arch/um/Kconfig", "a clock of 1000 ticks a second", _clock),
    Change("arch/um/os-Linux/util.c", "entropy from a seed", _entropy),
    Change("drivers/char/random.c", "no entropy from interrupts", _interrupts),
)


def apply(tree: Path) -> list[Done]:
    """Make the three changes in a tree of our own, all or none.

    Parameters
    ----------
    tree : Path
        A copy that may be changed.

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
    for change in CHANGES:
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
