"""The columns every backend writes: names, units by suffix, types. What a backend could not measure is null, never zero.

The core knows them (`crates/records/src/schema.rs`).
"""

from __future__ import annotations

import json
from typing import Any

from windtunnel import native
from windtunnel.frames import pl

SCHEMA_VERSION = 4
READABLE_VERSIONS = (2, 3, 4)
"""Folders of these versions are read: version 3 only adds the frame of transfers, version 4 those of pages and hosts, and columns."""

_SCHEMA: list[dict[str, Any]] = json.loads(native.schema())
FRAMES: dict[str, dict[str, pl.DataType]] = {
    frame["name"]: {column: getattr(pl, kind)() for column, kind in frame["columns"]} for frame in _SCHEMA
}
OPTIONAL_FRAMES = tuple(frame["name"] for frame in _SCHEMA if frame["optional"])
"""Frames of runs that asked for them: ACKs one by one, sources of transfers, sessions, hosts whose processor costs something."""
OPEN_FRAMES = tuple(frame["name"] for frame in _SCHEMA if frame["open"])
"""Frames that may carry further float columns: the algorithms' own variables."""
