"""The register's metrics by name: what each is measured in, and how a run gives it.

Names, units and windows are the register's, and so are the non-SI units (Mbit/s, ms, packets): `named` and this module are where they are
allowed. A metric that the register does not have is of a standard, and says which.
"""

from __future__ import annotations

from windtunnel.metrics.named import bottleneck, convergence, hosts, rates, recovery, sharing, transfers, windows
from windtunnel.metrics.named.request import Defined, Request
from windtunnel.metrics.view import View

FAMILIES: dict[str, dict[str, Defined]] = {
    "Rates": rates.MEASURES,
    "Sharing": sharing.MEASURES,
    "Bottleneck": bottleneck.MEASURES,
    "Convergence": convergence.MEASURES,
    "Windows": windows.MEASURES,
    "Recovery": recovery.MEASURES,
    "Transfers and other traffic": transfers.MEASURES,
    "Hosts": hosts.MEASURES,
}
"""The metrics by family, in the order of the reference page."""

MEASURES: dict[str, Defined] = {name: one for family in FAMILIES.values() for name, one in family.items()}
"""The register's metrics that a run of this project can give, in its units. A variant of a definition follows an @."""


def _selected(view: View, flow: int | str | None) -> tuple[int, ...] | None:
    if flow is None:
        return None
    if flow == "sum":
        return view.foreground
    if isinstance(flow, int) or flow.isdecimal():
        number = int(flow)
        return tuple(one for part in view.applications[number - 1 : number] for one in part) if number >= 1 else ()
    return tuple(one for one in view.foreground if flow in (view.name(one), view.name(one).partition(":")[0]))


def measured(
    name: str, view: View, *, flow: int | str | None = None, t0: float | None = None, t1: float | None = None
) -> float | str | None:
    """Return one metric of a run, a name where its unit is ``name``; see `measure`."""
    chosen = MEASURES[name]
    if flow is not None and not chosen.by_flow:
        raise ValueError(f"{name}: is not of a flow, so that none can be selected")
    if not chosen.windowed and (t0 is not None or t1 is not None):
        raise ValueError(f"{name}: has a window of its own, so that none can be selected")
    flows = _selected(view, flow)
    if not view.foreground or flows == ():
        return None
    return chosen.function(Request(view, flows, (t0, t1)))


def measure(name: str, view: View, *, flow: int | str | None = None, t0: float | None = None, t1: float | None = None) -> float | None:
    """Return one metric of a run.

    Parameters
    ----------
    name : str
        A key of `MEASURES` whose value is a number.
    view : View
        The run.
    flow : int or str, optional
        Number of a foreground flow from 1 in order of start (the streams of an application are one flow), ``"sum"`` for all of them, or a
        protocol for its flow. Left out: the flows under test, together where the metric is a throughput, in the mean elsewhere.
    t0, t1 : float, optional
        Beginning and end of the window in place of the default, seconds. For ``refill_s``, ``onset_delay_s`` and ``ai_eff``, `t0` is the
        time of the disturbance.

    Returns
    -------
    float or None
        In the register's unit; None when the run has no such value; infinite only where the measure says so.

    Raises
    ------
    KeyError
        When there is no such measure.
    ValueError
        When a flow or window is selected for a measure that has none to select, or its value is a name (`measured` gives those).
    """
    value = measured(name, view, flow=flow, t0=t0, t1=t1)
    if isinstance(value, str):
        raise ValueError(f"{name}: is {value}, not a number")
    return value
