"""Records of a run: schema, frames, folder."""

from windtunnel.records.folder import (
    RUN_FILE,
    FolderError,
    from_document,
    previous_digest,
    read,
    staged,
    stored_frames,
    write,
    write_frame,
    written_frames,
)
from windtunnel.records.model import Records, RunFacts, build, frame_of, with_sources
from windtunnel.records.schema import FRAMES, OPEN_FRAMES, SCHEMA_VERSION
from windtunnel.records.streaming import PART_ROWS, Streaming

__all__ = [
    "FRAMES",
    "OPEN_FRAMES",
    "PART_ROWS",
    "RUN_FILE",
    "SCHEMA_VERSION",
    "FolderError",
    "Records",
    "RunFacts",
    "Streaming",
    "build",
    "frame_of",
    "from_document",
    "previous_digest",
    "read",
    "staged",
    "stored_frames",
    "with_sources",
    "write",
    "write_frame",
    "written_frames",
]
