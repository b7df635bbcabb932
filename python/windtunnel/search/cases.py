"""A found case, as a scenario file that stands for itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from windtunnel.scenario import Scenario, ScenarioError
from windtunnel.search.onlinux import OnLinux
from windtunnel.search.properties import Property


@dataclass(frozen=True)
class Case:
    """A scenario that breaks a property.

    Parameters
    ----------
    sought : Property
        Which.
    scenario : Scenario
        The scenario, with seed 1.
    values : mapping of str to float
        What was searched, in SI.
    fresh : tuple of float
        What the property measures with seeds that the search had not seen; None where there is none.
    linux : OnLinux, optional
        What a kernel says of it; None where it was not asked.
    """

    sought: Property
    scenario: Scenario
    values: Mapping[str, float]
    fresh: tuple[float | None, ...]
    linux: OnLinux | None = None

    @property
    def broken(self) -> int:
        """With how many of the fresh seeds it breaks the property."""
        return sum(self.sought.distance(value) < 0 for value in self.fresh)

    @property
    def is_confirmed(self) -> bool:
        """Whether it does so with all of them."""
        return bool(self.broken == len(self.fresh))


def write_case(case: Case, folder: Path) -> Path:
    """Write a case as a scenario file, with what it breaks in its first lines.

    Parameters
    ----------
    case : Case
        The case.
    folder : Path
        Where; it is made when it is absent.

    Returns
    -------
    Path
        ``ALGORITHMS-PROPERTY.toml``; a case of an earlier search of that name is replaced.

    Raises
    ------
    ScenarioError
        When it cannot be written.
    """
    own = case.scenario
    names = "-".join(dict.fromkeys(str(flow.algorithm).partition("#")[0].rpartition("/")[2] for flow in own.flows))
    path = folder / f"{names.replace(':', '-')}-{case.sought.name}.toml"
    shown = ", ".join("none" if value is None else f"{value:.4g}" for value in case.fresh)
    link = own.bottleneck
    steps = ", ".join(f"{{ at_s = {one.at_s!r}, extra_s = {one.extra_s!r} }}" for one in link.delay_steps)
    lines = [
        f"# Breaks: {case.sought.text}{f' ({case.sought.about})' if case.sought.about else ''}.",
        f"# With {len(case.fresh)} fresh seeds {case.sought.metric} is {shown}: {case.broken} of {len(case.fresh)} break it.",
        *_linux_lines(case),
        f"duration_s = {own.duration_s!r}",
        f"warmup_s = {own.warmup_s!r}",
        f"sample_s = {own.sample_s!r}",
        *([f"jitter_s = {own.jitter_s!r}"] if own.jitter_s is not None else []),
        "",
        "[bottleneck]",
        f"rate_bps = {link.rate_bps!r}",
        f"queue_bdp = {link.queue_bdp!r}",
        *([f"loss_probability = {link.loss_probability!r}"] if link.loss_probability else []),
        *([f"delay_steps = [{steps}]"] if steps else []),
    ]
    for flow in own.flows:
        lines += ["", "[[flows]]", f'algorithm = "{flow.algorithm}"', f"rtt_s = {flow.rtt_s!r}", f"start_s = {flow.start_s!r}"]
        lines += [f"jitter_s = {flow.jitter_s!r}"] if flow.jitter_s is not None else []
    for source in own.arrivals:
        given = {"algorithm": source.algorithm, "load": source.load, "mean_bytes": source.mean_bytes, "max_bytes": source.max_bytes}
        lines += ["", "[[arrivals]]", *(f"{name} = {json.dumps(value)}" for name, value in given.items())]
        lines += [f"rtts_s = {json.dumps(list(source.rtts_s))}"]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise ScenarioError("out", f"{str(path)!r} cannot be written: {error.strerror}; allowed: a writable folder") from None
    return path


def _linux_lines(case: Case) -> list[str]:
    if case.linux is None:
        return []
    if case.linux.reason:
        return [f"# On {case.linux.kernel}: not run, {case.linux.reason}."]
    shown = ", ".join("none" if value is None else f"{value:.4g}" for value in case.linux.values)
    broken = f"{case.linux.broken(case.sought)} of {len(case.linux.values)} break it"
    return [f"# On {case.linux.kernel} {case.sought.metric} is {shown}: {broken}."]
