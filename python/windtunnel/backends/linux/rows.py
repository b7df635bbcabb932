"""The guest's file of rows: whether it is whole, and its rows apart by kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

VERSION = 1
ROW = np.dtype([("t_ns", "<u8"), ("kind", "<u4"), ("index", "<u4"), ("value", "<u8", (14,))])
"""guest/records.h, struct row."""

BEGIN, END, FLOW, LINK, FLOW_TOTALS, LINK_TOTALS, EVENT, SOURCE, SOURCE_TOTALS, EXCHANGE = range(1, 11)
STOP, BEGIN_OF_OBJECT = 2, 7

Array = np.ndarray[Any, Any]
Columns = dict[str, Any]


class RecordsDamaged(ValueError):
    """A guest's records that are not whole, or not of this version."""


@dataclass(frozen=True)
class Rows:
    """The rows of a guest, apart by kind."""

    kinds: Mapping[int, Array]

    def of(self, kind: int) -> Array:
        """Return the rows of one kind, in the order they were written."""
        return self.kinds[kind]

    def totals(self, kind: int, index: int, window_end: int) -> Array | None:
        """Return the counters of a flow, link or source at the beginning (0) or the end (1) of its window, None when it was not there."""
        rows = self.of(kind)
        chosen = rows[(rows["index"] == index) & (rows["value"][:, 0] == window_end)]
        return chosen[-1]["value"] if len(chosen) else None

    def stopped_s(self, flow: int) -> float:
        """Return when a flow had everything acknowledged, in seconds, NaN when it had not."""
        rows = self.of(EVENT)
        chosen = rows[(rows["index"] == flow) & (rows["value"][:, 0] == STOP)]
        return float(chosen[-1]["t_ns"]) * 1e-9 if len(chosen) else math.nan


def read(content: bytes) -> Rows:
    """Check that the guest's file is whole and return its rows.

    Parameters
    ----------
    content : bytes
        The file.

    Returns
    -------
    Rows
        All of them.

    Raises
    ------
    RecordsDamaged
        When it is cut short or of another version.
    """
    if len(content) == 0 or len(content) % ROW.itemsize:
        raise RecordsDamaged(f"the guest's records are {len(content)} bytes, no multiple of {ROW.itemsize}")
    rows = np.frombuffer(content, dtype=ROW)
    if rows[0]["kind"] != BEGIN or rows[0]["value"][0] != VERSION:
        raise RecordsDamaged(f"the guest's records are not of version {VERSION}")
    if rows[-1]["kind"] != END:
        raise RecordsDamaged("the guest's records have no end")
    return Rows({kind: rows[rows["kind"] == kind] for kind in range(BEGIN, EXCHANGE + 1)})
