"""From a C file in the kernel's dialect to one for BPF: the file itself, unchanged, and a program for each of its hooks around it.

What can be found before the kernel is asked is found here: floating point, a table that is none, a licence that BPF refuses, work that a
module does when it is loaded and that no BPF program does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HOOKS = {
    "ssthresh": ("u32", ("struct sock *",)),
    "cong_avoid": ("void", ("struct sock *", "u32", "u32")),
    "set_state": ("void", ("struct sock *", "u8")),
    "cwnd_event": ("void", ("struct sock *", "enum tcp_ca_event")),
    "in_ack_event": ("void", ("struct sock *", "u32")),
    "pkts_acked": ("void", ("struct sock *", "const struct ack_sample *")),
    "min_tso_segs": ("u32", ("struct sock *",)),
    "cong_control": ("void", ("struct sock *", "u32", "int", "const struct rate_sample *")),
    "undo_cwnd": ("u32", ("struct sock *",)),
    "sndbuf_expand": ("u32", ("struct sock *",)),
    "init": ("void", ("struct sock *",)),
    "release": ("void", ("struct sock *",)),
}
"""What each hook of struct tcp_congestion_ops returns and takes. `get_info` is missing: BPF takes none (net/ipv4/bpf_tcp_ca.c)."""
TABLE = "wt_ops"
"""Of the program's map of hooks."""
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TABLE = re.compile(r"struct\s+tcp_congestion_ops\s+(\w+)[^={;()]*=\s*\{(.*?)\}\s*;", re.DOTALL)
_FIELD = re.compile(r"\.(\w+)\s*=\s*([^,]+?)\s*(?:,|$)", re.DOTALL)
_DEFINED = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
_ENUM = re.compile(r"\benum\b[^{;()]*\{(.*?)\}", re.DOTALL)
_LINE = re.compile(r'^#line (\d+) "([^"]+)"')


class NotBpf(Exception):
    """Why a file becomes no BPF program; the text is one line, and begins with file and line where there is one."""


@dataclass(frozen=True)
class Unit:
    """A file's text, without its comments, whose lines stay where they were."""

    text: str
    bare: str

    def where(self, position: int) -> str:
        """Return file and line of a position of the bare text."""
        file, line = "", 0
        for one in self.bare[:position].split("\n"):
            line += 1
            marked = _LINE.match(one)
            if marked:
                line, file = int(marked[1]) - 1, marked[2]
        return f"{file}:{line}"


def unit(text: str) -> Unit:
    """Return a file's text and what is left of it without comments."""
    return Unit(text, _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text))


def table(main: Unit) -> dict[str, str]:
    """Return the hooks of a file's table: field and value.

    Raises
    ------
    NotBpf
        When there is none that can be read.
    """
    found = _TABLE.search(main.bare)
    if found is None:
        raise NotBpf(f"{main.where(len(main.bare))}: holds no `struct tcp_congestion_ops NAME = {{ ... }};`")
    fields = {name: value.strip() for name, value in _FIELD.findall(found[2].strip())}
    lacking = [name for name in ("ssthresh", "undo_cwnd") if name not in fields]
    if not {"cong_avoid", "cong_control"} & set(fields):
        lacking.append("cong_avoid")
    if lacking:
        raise NotBpf(f"{main.where(found.start())}: its table has no {', '.join(lacking)}, and BPF wants them")
    return fields


def check(units: Sequence[Unit]) -> None:
    """Refuse what is known not to work, before anything is compiled; the first of the units is the file.

    Raises
    ------
    NotBpf
        With file and line.
    """
    main = units[0]
    for one in units:
        real = re.search(r"\b(?:float|double)\b", one.bare)
        if real is not None:
            raise NotBpf(f"{one.where(real.start())}: uses {real[0]}, and BPF has no floating point")
    licence = re.search(r'MODULE_LICENSE\(\s*"([^"]*)"\s*\)', main.bare)
    if licence is None or "GPL" not in licence[1]:
        said = "none" if licence is None else repr(licence[1])
        at = main.where(licence.start() if licence else len(main.bare))
        raise NotBpf(f"{at}: its licence (MODULE_LICENSE) is {said}, and the kernel lends its functions to programs under the GPL alone")
    for one in units:
        _check_init(one)


def _check_init(one: Unit) -> None:
    """Refuse a module that works out variables when it is loaded: a BPF program is loaded without a function of its own."""
    named = re.search(r"^\s*(?:module|core|subsys|late)_init(?:call)?\(\s*(\w+)\s*\)", one.bare, re.MULTILINE)
    if named is None:
        return
    body = re.search(rf"\b{named[1]}\s*\(\s*void\s*\)\s*\{{(.*?)^\}}", one.bare, re.DOTALL | re.MULTILINE)
    if body is None:
        return
    local = set(re.findall(r"\b(?:int|u32|s32|u64|long|unsigned|bool)\s+(\w+)\s*[=;]", body[1]))
    for found in re.finditer(r"(?:^|[;{}])\s*(\w+)\s*(?:[-+*/|&]|<<|>>)?=(?!=)", body[1]):
        if found[1] not in local:
            raise NotBpf(
                f"{one.where(body.start(1) + found.start(1))}: {named[1]} sets {found[1]} when the module is loaded, which BPF does not run"
            )


def renamed(units: Sequence[Unit], taken: frozenset[str]) -> list[str]:
    """Return the names of types and constants that a file defines and the kernel's types have already: the file's get another name."""
    own: set[str] = set()
    for one in units:
        own |= set(_DEFINED.findall(one.bare))
        for body in _ENUM.findall(one.bare):
            own |= set(re.findall(r"(?:^|,)\s*(\w+)", body))
    return sorted(own & taken)


def with_parameters(text: str, settings: Mapping[str, str]) -> str:
    """Return a file's text with other first values of its parameters.

    Raises
    ------
    NotBpf
        When a parameter's variable has no first value that can be replaced.
    """
    for name, value in settings.items():
        named = re.search(rf"\bmodule_param_named\(\s*{name}\s*,\s*(\w+)", text)
        variable = named[1] if named else name
        pattern = rf"(^static\s[^=;()]*\b{variable}\b[^=;()]*)(=[^;]*)?;"
        text, count = re.subn(pattern, rf"\g<1>= {value};", text, count=1, flags=re.MULTILINE)
        if not count:
            raise NotBpf(f"its parameter {name} cannot be set: no variable {variable} of its own is declared with a first value")
    return text


def program(units: Sequence[Unit], name: str, taken: frozenset[str]) -> str:
    """Return the text of the BPF program.

    Parameters
    ----------
    units : sequence of Unit
        The file, then those it needs.
    name : str
        Under which the kernel shall know it, fifteen letters at most.
    taken : frozenset of str
        Names that the kernel's types have.
    """
    fields = table(units[0])
    others = renamed(units, taken)
    parts = ['#include "windtunnel_kernel.h"', "#pragma GCC visibility push(hidden)"]
    parts += [f"#define {one} wt_own_{one}" for one in others]
    parts += [one.text for one in reversed(units)]
    parts += [f"#undef {one}" for one in others]
    parts += ['#line 1 "windtunnel"', "#pragma GCC visibility pop"]
    entries = []
    for hook, (returned, takes) in HOOKS.items():
        if hook in fields and fields[hook] != "NULL":
            given = ", ".join(f"({kind})ctx[{place}]" for place, kind in enumerate(takes))
            call = f"{'' if returned == 'void' else 'return '}{fields[hook]}({given});"
            place = f'__attribute__((section("struct_ops/{hook}"), used))'
            parts.append(f"{place} {returned} wt_{hook}(unsigned long long *ctx) {{ {call} }}")
            entries.append(f"\t.{hook} = (void *)wt_{hook},")
    if "flags" in fields:
        entries.append(f"\t.flags = {fields['flags']},")
    body = "\n".join([*entries, f'\t.name = "{name}",'])
    parts.append(f'__attribute__((section(".struct_ops"), used)) struct tcp_congestion_ops {TABLE} = {{\n{body}\n}};')
    parts.append('char wt_license[] __attribute__((section("license"), used)) = "GPL";')
    return "\n".join(parts) + "\n"
