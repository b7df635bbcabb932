"""Our protocols and parameters as the kernel's modules and theirs. Module parameters belong to the kernel, not to a flow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Module:
    """One congestion control of the kernel.

    Parameters
    ----------
    name : str
        What the socket option ``TCP_CONGESTION`` takes.
    parameters : dict of str to (str, callable)
        Our parameter to the module's, and our value in its unit.
    fixed : dict of str to (str, int)
        A variant of ours that is a setting of the module: variant to (parameter, value).
    report : dict of str to callable
        Columns of ours, shape (rows,), out of the five words the module reports about a connection (``TCP_CC_INFO``), shape (rows, 5);
        NaN where it knows nothing yet.
    """

    name: str
    parameters: dict[str, tuple[str, Callable[[float], float]]] = field(default_factory=dict)
    fixed: dict[str, tuple[str, int]] = field(default_factory=dict)
    report: dict[str, Callable[[Array], Array]] = field(default_factory=dict)


def _same(value: float) -> float:
    return value


def _per_1024(value: float) -> float:
    return value * 1024


def _vegas_min_rtt_s(words: Array) -> Array:
    """Read struct tcpvegas_info: the module's base RTT in microseconds, its largest integer until there is one."""
    known = (words[:, 3] > 0) & (words[:, 3] < 0x7FFFFFFF)
    return np.where(known, words[:, 3] * 1e-6, np.nan)


def _bbr_bandwidth_bps(words: Array) -> Array:
    """Read struct tcp_bbr_info: bytes per second in two words."""
    return (words[:, 0] + words[:, 1] * 2.0**32) * 8.0


def _word(index: int, unit: float) -> Callable[[Array], Array]:
    """Read one word, in parts of `unit`."""
    return lambda words: words[:, index] / unit


MODULES: dict[str, Module] = {
    "reno": Module("reno"),
    "scalable": Module("scalable"),
    "hstcp": Module("highspeed"),
    "bic": Module(
        "bic",
        parameters={
            "s_max": ("max_increment", _same),
            "beta": ("beta", _per_1024),
            "smooth_part": ("smooth_part", _same),
            "low_window": ("low_window", _same),
            "fast_convergence": ("fast_convergence", _same),
        },
    ),
    "cubic": Module(
        "cubic",
        parameters={
            "beta": ("beta", _per_1024),
            # The module's C is bic_scale * 10 / 1024.
            "c": ("bic_scale", lambda value: value * 102.4),
            "fast_convergence": ("fast_convergence", _same),
            "tcp_friendliness": ("tcp_friendliness", _same),
        },
        fixed={"nohystart": ("hystart", 0)},
    ),
    "htcp": Module("htcp", parameters={"rtt_scaling": ("use_rtt_scaling", _same), "bandwidth_switch": ("use_bandwidth_switch", _same)}),
    "veno": Module("veno"),
    "westwood": Module("westwood", report={"rtt_min_s": _vegas_min_rtt_s}),
    "vegas": Module(
        "vegas",
        parameters={name: (name, _same) for name in ("alpha", "beta", "gamma")},
        report={"base_rtt_s": _vegas_min_rtt_s},
    ),
    "illinois": Module(
        "illinois",
        parameters={"win_thresh": ("win_thresh", _same), "theta": ("theta", _same)},
        report={"base_rtt_s": _vegas_min_rtt_s},
    ),
    "hybla": Module("hybla", parameters={"rtt0": ("rtt0", lambda value: value * 1000)}),
    "yeah": Module("yeah", report={"base_rtt_s": _vegas_min_rtt_s}),
    "lp": Module("lp"),
    "dctcp": Module("dctcp", report={"alpha": _word(1, 1024)}),
    "bbr": Module(
        "bbr",
        report={
            "bandwidth_bps": _bbr_bandwidth_bps,
            "rtt_min_s": _word(2, 1e6),
            "pacing_gain": _word(3, 256),
            "cwnd_gain": _word(4, 256),
        },
    ),
}
"""By our name. What is not here no Linux kernel has."""


_WORDS = {
    ("cubic", "slow_start", "hystart"): ("hystart", 1),
    ("cubic", "slow_start", "standard"): ("hystart", 0),
}


def setting(algorithm: str, parameter: str, value: float | str) -> tuple[str, int] | None:
    """Return a parameter of ours as one of the module's.

    Parameters
    ----------
    algorithm, parameter : str
        Our names.
    value : float or str
        In our unit, or a word (`slow_start`).

    Returns
    -------
    tuple of str and int or None
        The module's parameter and value; None when it has no such parameter, or only whole numbers that this is none of.
    """
    if isinstance(value, str):
        return _WORDS.get((algorithm, parameter, value))
    known = MODULES[algorithm].parameters.get(parameter)
    if known is None:
        return None
    name, scaled = known
    exact = scaled(value)
    # Half a thousandth of a unit: 0.7 is 716.8 / 1024 and is refused, 0.7001953125 is 717.
    return (name, round(exact)) if abs(exact - round(exact)) < 5e-4 else None
