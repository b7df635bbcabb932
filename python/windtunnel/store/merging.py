"""Put the runs of small packs, as workers of a cluster send them, into larger ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from windtunnel.records import FRAMES, OPEN_FRAMES
from windtunnel.store.packing import MOST_BYTES, MOST_RUNS, write
from windtunnel.store.packs import DOCUMENTS, INDEX, INDEX_SCHEMA, OWN, PACKS, RUN, Pack, forget, origin_of, packs, remove
from windtunnel.store.scans import Scan

MERGE_AT = 20
"""So many small packs are handier than one more that is written."""
_Left = tuple[Pack, Sequence[str]]
"""A pack, and the keys of its runs that are read from elsewhere."""


def small(runs: Path) -> list[Pack]:
    """Return the packs of a folder of runs of which two have room in one, if that is worth while; none of a mirror, for they were sent.

    Raises
    ------
    ResultsError
        When a pack is damaged.
    """
    found = [] if origin_of(runs / PACKS) else [pack for pack in packs(runs) if _size_bytes(pack) <= MOST_BYTES // 2]
    found = [pack for pack in found if len(pack.names()) <= MOST_RUNS // 2]
    return found if len(found) > MERGE_AT else []


def merge(runs: Path, elsewhere: Mapping[str, Sequence[str]]) -> list[Path]:
    """Put the runs of small packs into larger ones, and remove the small ones when those are there.

    A kill at any moment leaves runs in both, which readers count once. A damaged pack stays where it is.

    Parameters
    ----------
    runs : Path
        The folder of runs. Only the holder of the results folder's lock may do so.
    elsewhere : mapping of str to sequence of str
        By the place of a pack, the keys of its runs that are read from elsewhere.

    Raises
    ------
    ResultsError
        When they cannot be written.
    """
    made = []
    sound = [pack for pack in small(runs) if pack.damage() is None]
    for group in _groups([(pack, elsewhere.get(f"{PACKS}/{pack.folder.name}", ())) for pack in sound]):
        target = _write(runs / PACKS, group)
        if target is not None:
            made.append(target)
        for pack, _ in group:
            if pack.folder != target:
                remove(pack.folder)
    forget()
    return made


def _groups(found: Sequence[_Left]) -> Iterator[list[_Left]]:
    group: list[_Left] = []
    count = size = 0
    for pack, left in found:
        more, larger = len(pack.names()), _size_bytes(pack)
        if group and (count + more > MOST_RUNS or size + larger > MOST_BYTES):
            yield group
            group, count, size = [], 0, 0
        group.append((pack, left))
        count, size = count + more, size + larger
    if group:
        yield group


def _size_bytes(pack: Pack) -> int:
    return sum((pack.folder / file).stat().st_size for file in pack.files if (pack.folder / file).is_file())


def _write(folder: Path, group: Sequence[_Left]) -> Path | None:
    """Write the runs of some packs that are not read from elsewhere into one; None when there are none."""
    index = _rows(INDEX, group, {name: kind for name, kind in INDEX_SCHEMA.items() if name != RUN} | {OWN: pl.String()})
    documents = _rows(DOCUMENTS, group, {"document": pl.String()})
    if index is None or documents is None or index.height == 0:
        return None
    return write(folder, documents, _frames(group), lambda: index)


def _frames(group: Sequence[_Left]) -> Callable[[str], pl.DataFrame | None]:
    def frame_of(name: str) -> pl.DataFrame | None:
        schema = dict(FRAMES[name])
        for pack, _ in group if name in OPEN_FRAMES else ():
            path = pack.checked(name)
            found = {} if path is None else pl.read_parquet_schema(path)
            schema |= {column: kind for column, kind in found.items() if column not in {RUN, *FRAMES[name]}}
        return _rows(name, group, schema)

    return frame_of


def _rows(name: str, group: Sequence[_Left], schema: Mapping[str, pl.DataType]) -> pl.DataFrame | None:
    """Return the rows of a file of some packs in the order of keys; those of one run keep theirs."""
    files = [(str(path), left) for pack, left in group if (path := pack.checked(name)) is not None]
    return Scan([], schema, [RUN, *schema], files).frame().sort(RUN, maintain_order=True) if files else None
