"""What is asked for when a run's packets are captured, and what was written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from windtunnel.scenario import ScenarioError

PLACES = ("sender", "bottleneck", "receiver")
"""Where packets are seen, by the names of the file's interfaces."""


@dataclass(frozen=True)
class Captured:
    """What a capture holds.

    Parameters
    ----------
    file : Path
        Where it is.
    packets : mapping of str to int
        Packets by place; 0 where none was asked for. Those of a handshake before the run are among them, three for each connection.
    waited_packets : int
        Most packets that were in memory at once.
    """

    file: Path
    packets: Mapping[str, int]
    waited_packets: int


@dataclass(frozen=True)
class Capture:
    """A capture that is asked for.

    Parameters
    ----------
    file : Path
        The pcapng file.
    places : tuple of str
        Where packets are captured, of `PLACES`: an interface each, in this order.
    """

    file: Path
    places: tuple[str, ...] = ("sender",)

    @classmethod
    def of_text(cls, file: str, places: str | None) -> Capture:
        """Return what the command line asks for: places with commas between them.

        Raises
        ------
        ScenarioError
            When a place is not one, or named twice.
        """
        return cls.at(file, [place.strip() for place in places.split(",")] if places is not None else ("sender",))

    @classmethod
    def at(cls, file: str | Path, places: Sequence[str]) -> Capture:
        """Return what is asked for at these places.

        Raises
        ------
        ScenarioError
            When a place is not one, or named twice, or there is none.
        """
        wrong = [place for place in places if place not in PLACES]
        if wrong or not places or len(set(places)) < len(places):
            raise ScenarioError("pcap_at", f"{','.join(places)!r} is not allowed; allowed: {', '.join(PLACES)}, each once")
        return cls(Path(file), tuple(places))

    def check(self) -> None:
        """Refuse a file that cannot be written, before anything runs.

        Raises
        ------
        ScenarioError
            One line.
        """
        if not str(self.file) or self.file.is_dir() or not self.file.parent.is_dir():
            problem = f"{str(self.file)!r} cannot be written: no such file or folder; allowed: a file in a writable folder"
            raise ScenarioError("pcap", problem)

    @contextmanager
    def staged(self) -> Iterator[Path]:
        """Give a file beside it, which takes its place when all went well.

        Raises
        ------
        ScenarioError
            When it cannot be put there.
        """
        temporary = self.file.with_name(f".{self.file.name}.partial")
        try:
            yield temporary
            os.replace(temporary, self.file)
        except OSError as error:
            problem = f"{str(self.file)!r} cannot be written: {error.strerror}; allowed: a file in a writable folder"
            raise ScenarioError("pcap", problem) from None
        finally:
            temporary.unlink(missing_ok=True)
