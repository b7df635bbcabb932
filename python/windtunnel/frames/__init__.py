"""Frames of columns: polars where it is installed, and otherwise the part of it that a run needs, on numpy.

``from windtunnel.frames import pl`` is what the layers of a run import. polars is half of what an installation with figures and
reports takes; a run, its tables and its records in memory do without it. What the small part cannot do has no name there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
else:
    try:
        import polars as pl
    except ModuleNotFoundError as error:
        if error.name != "polars":
            raise
        from windtunnel.frames import small as pl

__all__ = ["pl"]
