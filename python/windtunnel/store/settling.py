"""What a command does with the runs that it has made, while it makes more: pack them, and send them to an object store."""

from __future__ import annotations

import time

from windtunnel.remarks import say
from windtunnel.store.objects import Unreachable
from windtunnel.store.packing import PACK_AT
from windtunnel.store.results import Results

PACK_EVERY = 2 * PACK_AT
"""Runs that are made before they are packed: a hundred thousand folders are slow to list, to copy and to read."""
SEND_EVERY_S = 60.0
"""How long a finished run is on this machine alone at most, while the object store answers, seconds."""


class Settling:
    """Packs and sends what a command makes.

    Parameters
    ----------
    results : Results
        Where it writes, opened for writing.
    """

    def __init__(self, results: Results) -> None:
        self._results = results
        self._count = 0
        self._sent = time.monotonic()
        self._told = False

    def has_one_more(self) -> None:
        """Take notice that a run is stored."""
        self._count += 1
        remote = self._results.remote
        if self._count >= PACK_EVERY or (remote is not None and time.monotonic() - self._sent >= SEND_EVERY_S):
            self.settle()

    def settle(self) -> None:
        """Pack what there is where it is much, all of it for an object store, and send it there.

        Raises
        ------
        ResultsError
            When it cannot be written.
        """
        self._count = 0
        runs, remote = self._results.runs, self._results.remote
        if remote is None:
            if runs.is_to_pack():
                runs.pack()
            return
        self._sent = time.monotonic()
        runs.pack(large=True)
        try:
            remote.push()
            self._told = False
        except Unreachable as error:
            if not self._told:
                say(f"{error}; runs are kept in {remote.mirror} until it answers")
            self._told = True
