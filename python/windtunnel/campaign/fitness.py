"""Whether a worker can make the runs of a plan: it has the same engine, or its results would be others under the same name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windtunnel.backends import backend as backend_of
from windtunnel.campaign.errors import Unfit
from windtunnel.metrics.version import MEASURES_VERSION
from windtunnel.records import SCHEMA_VERSION


@dataclass(frozen=True)
class Needs:
    """What a plan asks of a worker.

    Parameters
    ----------
    backend : str
        What makes the runs, a kernel by its digest.
    engine : int
        Version of that backend's results.
    measures, schema : int
        Versions of the metrics and of the records.
    """

    backend: str
    engine: int
    measures: int = MEASURES_VERSION
    schema: int = SCHEMA_VERSION


def lacks(needs: Needs) -> str | None:
    """Return what this process lacks, in words; None when it can make the runs.

    Parameters
    ----------
    needs : Needs
        What is asked.
    """
    try:
        engine = backend_of(needs.backend).version()
    except Exception as error:  # A kernel that is not built here, a core that does not load: whatever it is, it is told.
        return " ".join(str(error).split()) or type(error).__name__
    own = {
        f"engine version of {needs.backend}": engine,
        "version of the metrics": MEASURES_VERSION,
        "schema of the records": SCHEMA_VERSION,
    }
    asked = (needs.engine, needs.measures, needs.schema)
    return next(
        (f"{name} is {has}, {wants} is needed" for (name, has), wants in zip(own.items(), asked, strict=True) if has != wants), None
    )


def carried_out(function: Callable[[Any], Any], task: Any, needs: Needs) -> Any:
    """Do a task in a worker that is fit for it.

    Parameters
    ----------
    function : callable
        Takes the task.
    task : object
        Its argument.
    needs : Needs
        What it asks of the worker.

    Raises
    ------
    Unfit
        When the worker is not.
    """
    lacking = lacks(needs)
    if lacking is not None:
        raise Unfit(lacking)
    return function(task)
