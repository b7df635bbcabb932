"""Records of a run: schema, frames, folder."""

from windtunnel.records.folder import FolderError, previous_digest, read, staged, stored_frames, write
from windtunnel.records.model import Records, RunFacts, build, frame_of, with_sources
from windtunnel.records.schema import FRAMES, SCHEMA_VERSION
from windtunnel.records.streaming import PART_ROWS, Streaming

__all__ = [
    "FRAMES",
    "PART_ROWS",
    "SCHEMA_VERSION",
    "FolderError",
    "Records",
    "RunFacts",
    "Streaming",
    "build",
    "frame_of",
    "previous_digest",
    "read",
    "staged",
    "stored_frames",
    "with_sources",
    "write",
]
