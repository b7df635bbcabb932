"""Worker processes that die with their parent and leave nothing half-written."""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")


LOOK_UP_S = 0.2
"""How often a parent that waits for answers looks whether the user has stopped it."""
POLARS_THREADS = "POLARS_MAX_THREADS"
"""What polars reads, as it is loaded, for its number of threads."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerLost(RuntimeError):
    """A worker process died: killed, or out of memory."""


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end when the parent does, however it ended."""
    # Blocked and not ignored: libraries install handlers of their own as they are loaded (polars does), and a handler may raise.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    if parent is not None:
        if multiprocessing.connection.wait([parent.sentinel], 0):
            os._exit(1)  # It ended before this process had begun; its work is another's now.
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


_kept: list[ProcessPoolExecutor] = []
"""The pool that is shared, if one is."""


@contextlib.contextmanager
def kept(jobs: int) -> Iterator[None]:
    """Let all that asks for `workers` meanwhile have the same ones: starting them takes longer than a few short runs.

    Parameters
    ----------
    jobs : int
        Number of processes.
    """
    with workers(jobs) as pool:
        _kept.append(pool)
        try:
            yield
        finally:
            _kept.pop()


@contextlib.contextmanager
def readied(jobs: int, modules: Sequence[str]) -> Iterator[None]:
    """As `kept`, and the workers load what they need while this process does something else; with one job there are none.

    Parameters
    ----------
    jobs : int
        Number of processes.
    modules : sequence of str
        Names of what to load.
    """
    if jobs <= 1:
        yield
        return
    with kept(jobs):
        for _ in range(jobs):
            with _starting():
                _kept[-1].submit(_load, modules)
        yield


def _load(modules: Sequence[str]) -> None:
    for name in modules:
        importlib.import_module(name)


@contextlib.contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of `jobs` processes; on any error or Ctrl-C they are ended at once.

    Parameters
    ----------
    jobs : int
        Number of processes.

    Yields
    ------
    ProcessPoolExecutor
        The pool; the shared one inside of `kept`.
    """
    if _kept:
        yield _kept[-1]
        return
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_begin)
    try:
        yield pool
    except BaseException:
        processes = list(multiprocessing.active_children())
        for process in processes:
            process.kill()
        # Until none is left to write into what is swept next. The pool reaps its own: with two that wait for one child, one never hears.
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


def each(
    pool: ProcessPoolExecutor, function: Callable[[Task], Answer], tasks: Sequence[Task], *, ahead: int
) -> Iterator[tuple[Task, Answer]]:
    """Yield every task with its answer, as they finish.

    Parameters
    ----------
    pool : ProcessPoolExecutor
        The workers.
    function : callable
        A function of a module, with one argument.
    tasks : sequence
        Its arguments, in the order they are begun.
    ahead : int
        How many are handed over at a time, so that few are pending when the user stops.

    Yields
    ------
    task, answer
        In the order of completion.

    Raises
    ------
    WorkerLost
        When a worker died.
    """
    waiting: dict[Future[Answer], Task] = {}
    remaining = iter(tasks)
    try:
        while True:
            for task in _next(remaining, ahead - len(waiting)):
                with _starting():
                    waiting[pool.submit(function, task)] = task
            if not waiting:
                return
            # Ctrl-C does not end a wait in every process: libraries install handlers that let it go on.
            done, _ = wait(waiting, timeout=LOOK_UP_S, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()
    except BrokenProcessPool:
        raise WorkerLost("a worker process died (killed, or out of memory); finished runs are kept, run the command again") from None


@contextlib.contextmanager
def _starting() -> Iterator[None]:
    """Prepare for the pool's starting a process.

    Ctrl-C is held back: the process begins so too, and `_begin` keeps it so. And the user's script is hidden from it: it would be
    executed once more there, which a script without a guard does not survive. What is asked of workers is never the script's. There is a
    process for each core: threads of polars in each would only wait for each other, unless the user has said how many there are.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    is_said = POLARS_THREADS in os.environ
    os.environ.setdefault(POLARS_THREADS, "1")
    try:
        yield
    finally:
        if not is_said:
            os.environ.pop(POLARS_THREADS, None)
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _next(tasks: Iterator[Any], count: int) -> Iterator[Any]:
    for _ in range(count):
        try:
            yield next(tasks)
        except StopIteration:
            return
