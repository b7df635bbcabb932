"""Clusters: one that is running somewhere, or a local one for a single command."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from windtunnel.campaign.dispatch import Deadly, Dispatch
from windtunnel.campaign.errors import CampaignError
from windtunnel.campaign.fitness import Needs
from windtunnel.campaign.link import Link, opened

if TYPE_CHECKING:
    from distributed import Client

Task = TypeVar("Task")
Answer = TypeVar("Answer")

PATIENCE_S = 300.0
"""How long a campaign waits for a scheduler that is gone."""
ANSWER_S = 10.0
"""How long a scheduler has to answer the first time."""
RESTART_S = 120.0
"""How long a local worker that was killed may take to start again: Dask gives it up after 15 s, which a busy machine may need for one."""


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True)
class Campaign:
    """Where runs are made.

    Parameters
    ----------
    client : distributed.Client
        Of the scheduler; it stays open.
    note : callable
        Told what a user must know, a line at a time.
    patience_s : float
        How long the scheduler may be gone.
    """

    client: Client
    note: Callable[[str], None] = _silent
    patience_s: float = PATIENCE_S

    def threads(self) -> int:
        """Return how many runs the workers that are there now can make at a time."""
        return sum(self.client.nthreads().values())

    def each(
        self, function: Callable[[Task], Answer], tasks: Sequence[Task], *, needs: Needs, named: Callable[[Task], str]
    ) -> Iterator[tuple[Task, Answer | Deadly]]:
        """Yield every task with its answer, as they finish; each answer comes once, whatever happens to workers and scheduler.

        Parameters
        ----------
        function : callable
            A function of a module, with one argument.
        tasks : sequence
            Its arguments, in the order they are begun.
        needs : Needs
            What is asked of a worker; others get nothing.
        named : callable
            From a task to what the scheduler's dashboard calls it.

        Yields
        ------
        task, answer
            In the order of completion; `Deadly` of a task that ended every worker that did it.

        Raises
        ------
        CampaignError
            When no worker is fit, or the scheduler does not come back.
        """
        link = Link(self.client, patience_s=self.patience_s, note=self.note)
        try:
            yield from Dispatch(link, function, needs, named, self.note).answers(tasks)
        finally:
            link.close()


@contextlib.contextmanager
def connected(address: str, *, note: Callable[[str], None]) -> Iterator[Campaign]:
    """Give the workers of a scheduler that is running somewhere.

    Parameters
    ----------
    address : str
        As ``tcp://HOST:8786``.
    note : callable
        Told what a user must know.

    Raises
    ------
    CampaignError
        When there is none.
    """
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # What matters of it is said in a line of ours.
    client = opened(address, timeout_s=ANSWER_S)
    try:
        yield Campaign(client, note)
    finally:
        client.close(timeout=2)


@contextlib.contextmanager
def local(workers: int, *, note: Callable[[str], None]) -> Iterator[Campaign]:
    """Give a cluster on this machine, which ends with the context.

    Parameters
    ----------
    workers : int
        Processes, each making one run at a time.
    note : callable
        Told what a user must know.

    Raises
    ------
    CampaignError
        When it cannot be started, or Dask is not installed.
    """
    try:
        import dask
        from distributed import LocalCluster
    except ModuleNotFoundError:
        raise CampaignError("campaigns need Dask, which the extra `dask` brings: pip install 'windtunnel[dask]'") from None
    has_pages = importlib.util.find_spec("bokeh") is not None
    try:
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",  # Any other number may be taken, and that is a warning of several lines.
            worker_dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
    except (OSError, RuntimeError) as error:
        raise CampaignError(f"a local cluster cannot be started: {' '.join(str(error).split())[:200]}") from None
    with dask.config.set({"distributed.deploy.lost-worker-timeout": f"{RESTART_S:.0f}s"}), cluster:
        client = opened(cluster.scheduler_address, timeout_s=ANSWER_S, security=cluster.security)
        try:
            if has_pages:
                note(f"what the workers do: {cluster.dashboard_link}")
            yield Campaign(client, note)
        finally:
            client.close(timeout=2)
