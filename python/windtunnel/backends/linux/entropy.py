"""Where a seed enters a kernel: in its answer from the host, or, in a kernel that asks its host nothing, at boot."""

from __future__ import annotations

import re
from pathlib import Path

from windtunnel.backends.linux.errors import KernelError, Unrecognised

SEED_VARIABLE = "UML_SEED"
"""The environment variable that holds a guest's seed, a decimal number below 2^64."""

_MARK = "windtunnel: a seed"
_DECLARED = "arch/um/include/shared/os.h"

_OS_GETRANDOM = re.compile(
    r"^ssize_t os_getrandom\(void \*(\w+), size_t (\w+), unsigned int (\w+)\)\n\{\n(\treturn getrandom\(\1, \2, \3\);\n)\}\n", re.MULTILINE
)
_SETUP_ARCH = re.compile(
    r"^void __init setup_arch\(char \*\*\w+\)\n\{\n(?:(?:\t.*)?\n)*?\tsetup_hostinfo\(\w+, sizeof \w+\);\n(?=\}\n)", re.MULTILINE
)

_WHY = f"/* {_MARK} in the environment replaces the host's entropy by splitmix64. */\n"
# The generator is Vigna's splitmix64, of the public domain.
_FILL = f"""int windtunnel_fill(unsigned char *to, size_t len)
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
# 64 bytes: what Linux before 5.18 counts as enough to begin with; later ones need 32.
_HAND_OVER = f"""
	/* {_MARK} starts the generator, as a bootloader's would. */
	{{
		extern int windtunnel_fill(unsigned char *to, size_t len);
		unsigned char seed[64];

		if (windtunnel_fill(seed, sizeof(seed)))
			add_bootloader_randomness(seed, sizeof(seed));
	}}
"""


def asks_host(tree: Path) -> bool:
    """Return whether a kernel asks its host for entropy, by ``os_getrandom()``.

    It does from Linux 5.19 on and in some stable trees since 2022, not all of them: 5.10.262 does not.

    Raises
    ------
    KernelError
        When the header that would declare it cannot be read.
    """
    try:
        return "os_getrandom(" in (tree / _DECLARED).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise KernelError(f"{_DECLARED}: cannot be read: {error.strerror}; it says where the kernel's entropy comes from") from None


def options(tree: Path) -> list[str]:
    """Return the configuration's options without which the seed is not enough for the generator to begin."""
    return [] if asks_host(tree) else ["RANDOM_TRUST_BOOTLOADER"]


def answer(text: str) -> tuple[str, str]:
    """Answer from the seed where the kernel asks its host."""
    if _MARK in text:
        return "nothing: seeded already", text
    places = list(_OS_GETRANDOM.finditer(text))
    if len(places) != 1:
        raise Unrecognised("a function os_getrandom() that does nothing but call getrandom()")
    place = places[0]
    _check_headers(text)
    early = f"\tif (windtunnel_fill({place[1]}, {place[2]}))\n\t\treturn {place[2]};\n"
    new = f"{text[: place.start()]}{_WHY}static {_FILL}\n{text[place.start() : place.start(4)]}{early}{text[place.start(4) :]}"
    return f"os_getrandom() fills from {SEED_VARIABLE} where that is set", new


def add(text: str) -> tuple[str, str]:
    """Add the seeded stream to a file of the host's side that has nothing of the kind."""
    if _MARK in text:
        return "nothing: seeded already", text
    if "getrandom" in text:
        raise Unrecognised(f"nothing named getrandom, as {_DECLARED} declares no os_getrandom()")
    _check_headers(text)
    return f"windtunnel_fill() fills from {SEED_VARIABLE}", f"{text}\n{_WHY}{_FILL}"


def hand_over(text: str) -> tuple[str, str]:
    """Hand the seed to the kernel's generator at boot."""
    if _MARK in text:
        return "nothing: seeded already", text
    places = list(_SETUP_ARCH.finditer(text))
    if len(places) != 1:
        raise Unrecognised("one function setup_arch() that ends with setup_hostinfo()")
    first = re.search(r"^#include <linux/.*>\n", text, re.MULTILINE)
    if first is None or first.start() > places[0].start():
        raise Unrecognised("#include <linux/...>")
    include = "" if "#include <linux/random.h>" in text else "#include <linux/random.h>\n"
    at = places[0].end()
    new = text[: first.end()] + include + text[first.end() : at] + _HAND_OVER + text[at:]
    return f"setup_arch() starts the kernel's generator from {SEED_VARIABLE} where that is set", new


def _check_headers(text: str) -> None:
    for header in ("stdlib.h", "string.h"):
        if f"#include <{header}>" not in text:
            raise Unrecognised(f"#include <{header}>")
