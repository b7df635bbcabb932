"""Write figures: whole or not at all, and the same bytes for the same figure."""

from __future__ import annotations

import colorsys
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.plots.axes import styled
from windtunnel.plots.drawing import draw
from windtunnel.plots.style import ABOVE, BELOW, DARK, RC, SHADES, TINTS, shade
from windtunnel.scenario import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from matplotlib.figure import Figure

    from windtunnel.plots.declared import Declaration, History

SUFFIXES = (".svg", ".pdf", ".png")
_METADATA: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
_FONTS = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
# On a dark screen the flows of one protocol part the other way: what is mixed with black on paper is mixed with white.
_DARK = {shade(colour, share): shade(dark, -1.2 * share) for colour, dark in DARK.items() for share in SHADES if share}
_DARK |= {shade(colour, share): shade(DARK[colour], -0.9 * share) for colour in (ABOVE, BELOW) for share in TINTS}
_DARK |= {colour.lower(): dark for colour, dark in DARK.items()}


def check_target(path: Path) -> None:
    """Refuse a figure's file that cannot be written, before anything runs.

    Raises
    ------
    ScenarioError
        When the suffix is not svg, pdf or png, or the folder is missing or not writable.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ScenarioError("plot", f"{str(path)!r} has no known form; allowed: {', '.join(SUFFIXES)}")
    folder = path.parent
    try:
        if path.is_dir():
            raise ScenarioError("plot", f"{str(path)!r} is a folder; allowed: a file in a writable folder")
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ScenarioError("plot", f"{str(path)!r} cannot be written: {error.strerror}; allowed: a file in a writable folder") from None


def _settle_layout(figure: Figure) -> None:
    """Fix what the layout solver found, to 1e-6: its last bits change from run to run, and so would the file."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = (round(float(edge), 6) for edge in axes.get_position().bounds)
        axes.set_position((left, bottom, width, height))


def save(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all; the suffix chooses svg, pdf or png. An SVG follows the reader's light or dark scheme.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    path : Path
        Where.

    Raises
    ------
    ScenarioError
        When it cannot be written.
    """
    import matplotlib

    check_target(path)
    suffix = path.suffix.lower()
    temporary = path.with_name(f".{path.name}.partial{suffix}")
    try:
        with matplotlib.rc_context(RC):
            _settle_layout(figure)
            figure.savefig(temporary, dpi=200, format=suffix[1:], metadata=_METADATA[suffix])
        if suffix == ".svg":
            temporary.write_text(adapt(temporary.read_text(encoding="utf-8")), encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ScenarioError("plot", f"{str(path)!r} cannot be written: {error.strerror}; allowed: a file in a writable folder") from None


def render(
    declaration: Declaration,
    stem: Path,
    *,
    measures: pl.DataFrame | None = None,
    histories: Sequence[History] = (),
    beside: Mapping[str, pl.DataFrame] | None = None,
    suffixes: Sequence[str] = (".svg", ".pdf"),
) -> tuple[float, float]:
    """Draw a declared figure once and write it in several forms.

    Every argument can be pickled, so figures can be drawn in other processes.

    Parameters
    ----------
    declaration : Curves or Histories
        The figure.
    stem : Path
        The files without their suffix; they are written in place, so the folder is best a temporary one.
    measures, histories, beside
        As for `windtunnel.plots.draw`.
    suffixes : sequence of str
        Forms to write: .svg, .pdf, .png. An SVG follows the reader's light or dark scheme; the others are black on white.

    Returns
    -------
    tuple of (float, float)
        Width and height, inches.

    Raises
    ------
    ValueError
        When there is nothing to draw.
    OSError
        When a file cannot be written.
    """
    return write_forms(draw(declaration, measures=measures, histories=histories, beside=beside), stem, suffixes)


def write_forms(figure: Figure, stem: Path, suffixes: Sequence[str]) -> tuple[float, float]:
    """Write a drawn figure in several forms, in place.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        In the style of declared figures.
    stem, suffixes
        As for `render`.

    Returns
    -------
    tuple of (float, float)
        Width and height, inches.

    Raises
    ------
    OSError
        When a file cannot be written.
    """
    with styled():
        for suffix in suffixes:
            path = stem.with_name(stem.name + suffix)
            figure.savefig(path, dpi=200, format=suffix[1:], metadata=_METADATA[suffix])
            if suffix == ".svg":
                path.write_text(adapt(path.read_text(encoding="utf-8")), encoding="utf-8")
    width_in, height_in = figure.get_size_inches()
    return float(width_in), float(height_in)


def adapt(svg: str) -> str:
    """Give an SVG the reader's own font and a dark scheme.

    Parameters
    ----------
    svg : str
        What matplotlib wrote, text as text.

    Returns
    -------
    str
        The same picture; on a dark screen its colours change lightness and keep their hue. Programs that know no media queries, and
        printers, use the light one.
    """
    svg = svg.replace("'DejaVu Sans'", _FONTS)
    svg = _PATH.sub(lambda path: _DECIMALS.sub(r"\1", path[0]), svg)
    rules = []
    for name in sorted({colour.lower() for colour in re.findall(r"(?:fill|stroke): (#[0-9a-fA-F]{6})\b", svg)}):
        dark = dark_of(name)
        rules += [f'[style*="{part}: {name}"]{{{part}:{dark}!important}}' for part in ("fill", "stroke") if f"{part}: {name}" in svg]
    style = f"<style>@media screen and (prefers-color-scheme: dark){{{''.join(rules)}}}</style>"
    return re.sub(r"(<svg\b[^>]*>)", lambda match: match[1] + "\n " + style, svg, count=1)


_PATH = re.compile(r' d="[^"]*"')
_DECIMALS = re.compile(r"(\.\d\d)\d+")
"""A hundredth of a point is nothing that a reader sees."""


def dark_of(colour: str) -> str:
    """Return a colour's counterpart on dark paper: the palette's own, greys turned over, shades raised to where they are seen."""
    if colour in _DARK:
        return _DARK[colour]
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    grey = saturation < 0.2
    light = 0.08 + 0.9 * (1 - light) if grey else max(light, 0.74)
    return "#" + "".join(f"{round(255 * part):02x}" for part in colorsys.hls_to_rgb(hue, light, min(saturation, 0.6)))
