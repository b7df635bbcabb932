"""How figures look: one colour and marker per protocol, thin lines, SI units, nothing that carries no information."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from windtunnel.scenario import catalogue

# Okabe and Ito's palette (Color Universal Design, 2008) without black and yellow, and four of Tol's "muted" scheme (2021); both keep
# their colours apart for colour-blind readers. A colour repeats only with another marker, so no figure depends on colour alone.
_BLUE, _ORANGE, _GREEN, _RED, _PURPLE, _SKY, _GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#666666"
_INDIGO, _WINE, _OLIVE, _TEAL = "#332288", "#882255", "#999933", "#44AA99"

LOOK: dict[str, tuple[str, str]] = {
    "reno": (_GREY, "o"),
    "cubic": (_BLUE, "s"),
    "htcp": (_RED, "^"),
    "bic": (_GREEN, "D"),
    "hstcp": (_ORANGE, "v"),
    "scalable": (_PURPLE, "P"),
    "fast": (_SKY, "X"),
    "ptcp": (_GREY, "*"),
    "areno": (_GREY, "d"),
    "hstcp-lp": (_ORANGE, "<"),
    "lp": (_SKY, "<"),
    "fast-bqd": (_SKY, "h"),
    "illinois": (_WINE, ">"),
    "ctcp": (_OLIVE, "p"),
    "vegas": (_INDIGO, "o"),
    "veno": (_INDIGO, "<"),
    "westwood": (_TEAL, "s"),
    "yeah": (_WINE, "d"),
    "hybla": (_OLIVE, "^"),
    "ledbat": (_TEAL, "v"),
    "dctcp": (_PURPLE, "H"),
    "prague": (_PURPLE, "<"),
    "bbr": (_WINE, "*"),
    "bbr3": (_RED, "p"),
    "copa": (_GREEN, "h"),
    "convex": (_RED, "<"),
    "concave-convex": (_INDIGO, "D"),
    "udp": (_INDIGO, "8"),
}
STACK_LOOK: dict[str, tuple[str, str]] = {
    "quinn": (_ORANGE, "^"),
    "noq": (_GREEN, "D"),
    "quiche": (_SKY, "v"),
    "s2n-quic": (_PURPLE, "P"),
    "tquic": (_INDIGO, "X"),
    "bbr3@tquic": (_BLUE, "h"),
    "picoquic": (_OLIVE, "<"),
    "bbr1@picoquic": (_TEAL, ">"),
}
"""Of the controllers of a whole stack, ``cubic@quinn``: the stack's colour and marker; of a second BBR of one stack its own."""
QUEUE_LOOK: dict[str, tuple[str, str]] = {
    "drop-tail": (_GREY, "o"),
    "drop-head": (_GREY, "D"),
    "red": (_RED, "^"),
    "ared": (_ORANGE, "v"),
    "pie": (_BLUE, "s"),
    "codel": (_GREEN, "o"),
    "cobalt": (_TEAL, "D"),
    "fq": (_INDIGO, "X"),
    "fq-codel": (_PURPLE, "P"),
    "fq-pie": (_SKY, "h"),
    "cake": (_WINE, "p"),
    "dualpi2": (_OLIVE, "d"),
}
"""Of queue disciplines, where a figure compares them."""
_COLOURS = (_BLUE, _ORANGE, _GREEN, _RED, _PURPLE, _SKY, _GREY)
_OF_FILES = ("#000000", "#7a3b00", "#b5007f")
"""Colours of controllers from files: no built-in one has them."""
_MARKERS = "<>ph*dH8"


def _free() -> Iterator[tuple[str, str]]:
    """Yield the looks that no protocol has yet, in a fixed order."""
    for marker in _MARKERS + "osvD^PX":
        for colour in (*_COLOURS, _INDIGO, _WINE, _OLIVE, _TEAL):
            if (colour, marker) not in LOOK.values():
                yield colour, marker


# A protocol without a chosen look has the next free one: the catalogue's order is the registry's, which only grows.
LOOK.update(zip([name for name in catalogue().algorithms if name not in LOOK], _free(), strict=False))
LINE_STYLES = ("-", "--", ":", "-.")

DARK: dict[str, str] = {
    _GREY: "#a9afb6",
    _BLUE: "#3f93d2",
    _ORANGE: "#e8aa2c",
    _GREEN: "#33b58e",
    _RED: "#e87d40",
    _PURPLE: "#d795b9",
    _SKY: "#94d6f8",
    _INDIGO: "#9384e6",
    _WINE: "#c95c92",
    _OLIVE: "#b6b65a",
    _TEAL: "#62c8b6",
    "#000000": "#f0f0f0",
    "#7a3b00": "#d09a66",
    "#b5007f": "#ff7ad0",
    "#ffffff": "#16191d",
}
"""Counterparts of the colours, and of white paper, on a dark screen: lighter, and still apart from each other."""

INK, PAPER, RULE, QUIET = "#24292f", "#ffffff", "#e3e6ea", "#6e7781"
"""Text, background, grid lines, secondary lines and text of a declared figure."""

RC: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "font.size": 8,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 0.8,
    "lines.markersize": 3.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    # Text stays text: it can be selected and searched, and the file stays small.
    "svg.fonttype": "none",
    "svg.hashsalt": "windtunnel",
    "pdf.fonttype": 42,
}
"""Settings of the figures of one run."""

DECLARED_RC: Any = {
    **RC,
    "axes.axisbelow": True,
    "axes.edgecolor": QUIET,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": INK,
    "axes.labelsize": 8.5,
    "axes.titlelocation": "left",
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.unicode_minus": True,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "legend.fontsize": 8,
    "lines.linewidth": 1.1,
    "lines.markersize": 4.8,
    "path.simplify": False,
    "text.color": INK,
    "xtick.color": QUIET,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 7.5,
    "xtick.minor.size": 2,
    "xtick.minor.width": 0.4,
    "ytick.color": QUIET,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 7.5,
    "ytick.minor.size": 2,
    "ytick.minor.width": 0.4,
}
"""Settings of the figures that experiments declare; explicit, so that a reader's own matplotlibrc changes nothing that matters."""


def look(algorithm: str) -> tuple[str, str]:
    """Return the colour and the marker of a protocol or a queue discipline, the same in every figure.

    Parameters
    ----------
    algorithm : str
        ``name`` or ``name:variant``; variants share their protocol's look. One from a file (its name has a dot) has colours of its own,
        and those of a whole stack, ``cubic@quinn``, have the stack's look.

    Returns
    -------
    tuple of (str, str)
        A hexadecimal colour and a matplotlib marker.
    """
    name = algorithm.partition(":")[0]
    for known in (name, name.partition("@")[2]):
        if known in STACK_LOOK:
            return STACK_LOOK[known]
    if name in LOOK:
        return LOOK[name]
    if name in QUEUE_LOOK:
        return QUEUE_LOOK[name]
    number = zlib.crc32(name.encode())
    colours = _OF_FILES if "." in name else _COLOURS
    return colours[number % len(colours)], _MARKERS[number // len(colours) % len(_MARKERS)]


TINTS = (-0.92, -0.8, -0.68, -0.56, -0.44, -0.32)
"""Shares of white in the cells of a matrix, from its centre outwards."""
ABOVE, BELOW = _BLUE, _ORANGE
"""Colours of cells above and below a matrix's centre."""
SHADES = (0.0, 0.55, -0.45, 0.3, -0.65)
"""Share of black, or below zero of white, in the colours of one protocol's flows."""


def shade(colour: str, share: float) -> str:
    """Mix a colour with black or white.

    Parameters
    ----------
    colour : str
        Hexadecimal colour.
    share : float
        Share of black, from 0 to 1; of white where negative.

    Returns
    -------
    str
        A hexadecimal colour.
    """
    target = 0 if share > 0 else 255
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(value + abs(share) * (target - value)):02x}" for value in channels)
