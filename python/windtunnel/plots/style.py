"""How figures look: one colour and marker per protocol, thin lines, SI units, nothing that carries no information."""

from __future__ import annotations

import zlib
from typing import Any

# Okabe and Ito's palette (Color Universal Design, 2008) without black and yellow; colour repeats only with another marker.
_BLUE, _ORANGE, _GREEN, _RED, _PURPLE, _SKY, _GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#666666"

LOOK: dict[str, tuple[str, str]] = {
    "reno": (_GREY, "o"),
    "cubic": (_BLUE, "s"),
    "htcp": (_RED, "^"),
    "bic": (_GREEN, "D"),
    "hstcp": (_ORANGE, "v"),
    "scalable": (_PURPLE, "P"),
    "fast": (_SKY, "X"),
}
_COLOURS = (_BLUE, _ORANGE, _GREEN, _RED, _PURPLE, _SKY, _GREY)
_MARKERS = "<>ph*dH8"
LINE_STYLES = ("-", "--", ":", "-.")

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
    "svg.hashsalt": "windtunnel",
    "pdf.fonttype": 42,
}


def look(algorithm: str) -> tuple[str, str]:
    """Return the colour and the marker of a protocol, the same in every figure.

    Parameters
    ----------
    algorithm : str
        ``name`` or ``name:variant``; variants share their protocol's look.

    Returns
    -------
    tuple of (str, str)
        A hexadecimal colour and a matplotlib marker.
    """
    name = algorithm.partition(":")[0]
    if name in LOOK:
        return LOOK[name]
    number = zlib.crc32(name.encode())
    return _COLOURS[number % len(_COLOURS)], _MARKERS[number // len(_COLOURS) % len(_MARKERS)]
