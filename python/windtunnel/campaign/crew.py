"""The workers of a cluster: which are fit for a plan, and who comes and goes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from windtunnel.campaign.errors import CampaignError
from windtunnel.campaign.fitness import Needs, lacks
from windtunnel.campaign.link import Link

LOOK_S = 2.0
"""How often the scheduler is asked who its workers are."""
AHEAD = 3
"""Runs handed over for each thread: one runs, the others are there when it ends."""
_MOST_NAMED = 3


class Crew:
    """Workers by their addresses.

    Parameters
    ----------
    link : Link
        The scheduler.
    needs : Needs
        What is asked of a worker.
    note : callable
        Told who is left out, and who is gone.
    """

    def __init__(self, link: Link, needs: Needs, note: Callable[[str], None]) -> None:
        self._link = link
        self._needs = needs
        self._note = note
        self._threads: dict[str, int] = {}
        self._unfit: dict[str, str] = {}
        self._looked = -LOOK_S
        self._had_one = self._said_none = False

    @property
    def room(self) -> int:
        """How many runs may be handed over at a time."""
        return AHEAD * sum(self._threads.values())

    @property
    def chosen(self) -> frozenset[str] | None:
        """The workers that may be given a run; None when any may."""
        return frozenset(self._threads) if self._unfit else None

    def has_any_of(self, addresses: frozenset[str] | None) -> bool:
        """Return whether one of some workers is still there; of None, any worker."""
        return addresses is None or not addresses.isdisjoint(self._threads)

    def look_soon(self) -> None:
        """Look again at the next opportunity, at those too that were found fit."""
        self._threads.clear()
        self._looked = -LOOK_S

    def look(self) -> None:
        """Ask the scheduler who is there, at most every `LOOK_S` seconds, and the new ones what they lack.

        Raises
        ------
        CampaignError
            When there are workers, and from the start none is fit.
        OSError
            When the scheduler does not answer.
        """
        if time.monotonic() - self._looked < LOOK_S:
            return
        found = self._link.workers()
        for address in [one for one in self._threads if one not in found]:
            del self._threads[address]
            self._note(f"worker {address} is gone, {len(self._threads)} are left; what it was making is made by another")
        for address in [one for one in self._unfit if one not in found]:
            del self._unfit[address]
        self._ask({address: threads for address, threads in found.items() if address not in self._threads and address not in self._unfit})
        self._looked = time.monotonic()
        if self._threads:
            self._had_one, self._said_none = True, False
        else:
            self._say_none()

    def _ask(self, new: dict[str, int]) -> None:
        if not new:
            return
        answers = self._link.client.run(lacks, self._needs, workers=list(new), on_error="return")
        for address in new:
            answer = answers.get(address)
            if isinstance(answer, OSError) or address not in answers:
                continue  # It went while it was asked.
            if isinstance(answer, BaseException):
                answer = _in_words(answer)
            if answer is None:
                self._threads[address] = new[address]
            else:
                self._unfit[address] = answer
                self._note(f"worker {address} is left out: {answer}")

    def _say_none(self) -> None:
        if self._unfit and not self._had_one:
            named = "; ".join(f"{address}: {why}" for address, why in list(self._unfit.items())[:_MOST_NAMED])
            raise CampaignError(f"none of {len(self._unfit)} workers can make the runs: {named}")
        if not self._said_none:
            self._note("there is no worker yet that can make the runs; waiting for one")
        self._said_none = True


def _in_words(error: BaseException) -> str:
    """Return why a worker could not answer; of what it could not import the scheduler hands on the text alone."""
    text = " ".join(str(error).split())
    missing = re.search(r"No module named '[\w.]*'", text)
    return f"has no windtunnel that can make them ({missing[0]})" if missing else f"{type(error).__name__}: {text}"[:200]
