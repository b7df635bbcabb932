"""Handing tasks to a cluster and taking their answers, each once."""

from __future__ import annotations

import asyncio
import queue
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from windtunnel.campaign.crew import Crew
from windtunnel.campaign.errors import CampaignError, Unfit
from windtunnel.campaign.fitness import Needs, carried_out
from windtunnel.campaign.link import Link
from windtunnel.pool import LOOK_UP_S

if TYPE_CHECKING:
    from distributed import Future

ANSWERS_COME_S = 5.0
"""How long to wait for finished tasks' answers before the workers are looked at again."""
MOST_TRIES = 20
"""How often a task is handed over anew, because workers were unfit or schedulers went, before that counts as a fault."""


class Deadly:
    """The answer to a task that ended every worker that did it, alone at last."""


@dataclass(frozen=True)
class _Sent:
    """A task that was handed over: its number, how often, and to whom."""

    number: int
    tries: int
    future: Future[Any]
    chosen: frozenset[str] | None


class Dispatch:
    """One sequence of tasks on a cluster.

    Parameters
    ----------
    link : Link
        The scheduler.
    function : callable
        Takes a task.
    needs : Needs
        What is asked of a worker.
    named : callable
        From a task to what it is called.
    note : callable
        Told what a user must know.
    """

    def __init__(
        self, link: Link, function: Callable[[Any], Any], needs: Needs, named: Callable[[Any], str], note: Callable[[str], None]
    ) -> None:
        self._link = link
        self._function = function
        self._needs = needs
        self._named = named
        self._crew = Crew(link, needs, note)
        self._token = secrets.token_hex(4)
        """Of this campaign: another one on the same scheduler may make the same run for another folder."""
        self._sent: dict[str, _Sent] = {}
        self._ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._suspects: deque[int] = deque()
        self._deadly: list[int] = []

    def answers(self, tasks: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield every task with its answer; see `Campaign.each`."""
        waiting = deque((number, 0) for number in range(len(tasks)))
        try:
            while waiting or self._sent or self._suspects:
                self._look(waiting)
                self._send(tasks, waiting)
                for number, answer in self._take(waiting):
                    yield tasks[number], answer
                while self._deadly:
                    yield tasks[self._deadly.pop()], Deadly()
        finally:
            self._drop()

    def _look(self, waiting: deque[tuple[int, int]]) -> None:
        """Look at scheduler and workers; what they have lost is handed over anew."""
        try:
            if not self._link.is_up:
                raise OSError
            self._crew.look()
        except OSError:
            self._link.wait()
            self._crew.look_soon()
            waiting.extendleft((one.number, one.tries + 1) for one in reversed(self._sent.values()))
            self._sent.clear()
            return
        for key in [key for key, one in self._sent.items() if not self._crew.has_any_of(one.chosen)]:
            one = self._sent.pop(key)
            one.future.cancel()
            waiting.appendleft((one.number, one.tries))

    def _send(self, tasks: Sequence[Any], waiting: deque[tuple[int, int]]) -> None:
        room = self._crew.room
        while waiting and len(self._sent) < room and self._link.is_up:
            number, tries = waiting.popleft()
            if tries > MOST_TRIES:
                name = self._named(tasks[number])
                raise CampaignError(f"a run of {name} was handed over {tries} times and never made; see the workers' logs")
            self._hand_over(tasks, number, tries)
        if not waiting and not self._sent and self._suspects and room and self._link.is_up:
            self._hand_over(tasks, self._suspects[0], 0)  # Alone, so that the worker's end can be no other's fault.

    def _hand_over(self, tasks: Sequence[Any], number: int, tries: int) -> None:
        chosen = self._crew.chosen
        name = f"{number}-{self._token}-{secrets.token_hex(4)}"
        future = self._link.client.submit(
            carried_out,
            self._function,
            tasks[number],
            self._needs,
            key=(self._named(tasks[number]), name),  # The dashboard groups tasks by the first part.
            workers=None if chosen is None else sorted(chosen),
            priority=-number,
            pure=False,
        )
        self._await(name, _Sent(number, tries, future, chosen))

    def _await(self, name: str, one: _Sent) -> None:
        self._sent[name] = one
        one.future.add_done_callback(lambda _: self._ended.put(name))

    def _take(self, waiting: deque[tuple[int, int]]) -> Iterator[tuple[int, Any]]:
        """Yield what has ended, waiting a moment for the first."""
        ended: dict[str, _Sent] = {}
        try:
            name = self._ended.get(timeout=LOOK_UP_S)
            while True:
                if name in self._sent:
                    ended[name] = self._sent.pop(name)
                name = self._ended.get_nowait()
        except queue.Empty:
            pass
        finished = {name: one for name, one in ended.items() if one.future.status == "finished"}
        for name, one in ended.items():
            if name not in finished:
                self._fault(one, waiting)
        for one, answer in self._gathered(finished, waiting):
            one.future.release()
            if self._suspects and self._suspects[0] == one.number:
                self._suspects.popleft()
            yield one.number, answer

    def _gathered(self, finished: dict[str, _Sent], waiting: deque[tuple[int, int]]) -> list[tuple[_Sent, Any]]:
        """Return finished tasks with their answers; none of them when those do not come."""
        if not finished:
            return []
        client = self._link.client
        asked = partial(client.gather, [one.future for one in finished.values()], asynchronous=True)
        try:
            found = client.sync(asked, callback_timeout=ANSWERS_COME_S)
        except asyncio.TimeoutError:
            # Their worker went, and no other has made them yet: it is time to ask which workers are left.
            for name, one in finished.items():
                self._await(name, one)
            return []
        except Exception as error:
            if not _is_loss(error):
                raise
            waiting.extendleft((one.number, one.tries + 1) for one in finished.values())  # Its worker went with the answer.
            return []
        return list(zip(finished.values(), found, strict=True))

    def _fault(self, one: _Sent, waiting: deque[tuple[int, int]]) -> None:
        from distributed import KilledWorker

        if one.future.status != "error":  # Cancelled or lost: the scheduler has forgotten it.
            waiting.appendleft((one.number, one.tries + 1))
            return
        error = one.future.exception()
        if isinstance(error, KilledWorker):
            if self._suspects and self._suspects[0] == one.number:
                self._deadly.append(self._suspects.popleft())
            else:
                self._suspects.append(one.number)
            return
        if isinstance(error, Unfit) or "No module named 'windtunnel" in str(error):
            self._crew.look_soon()
            waiting.appendleft((one.number, one.tries + 1))
            return
        raise error

    def _drop(self) -> None:
        """Cancel what is still handed over."""
        if self._sent and self._link.is_up:
            self._link.client.cancel([one.future for one in self._sent.values()])
        self._sent.clear()


def _is_loss(error: Exception) -> bool:
    from concurrent.futures import CancelledError

    return isinstance(error, (OSError, CancelledError, KeyError))
