"""The links of a scenario, as the guest counts them: the forward ones in a row, then the reverse link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from windtunnel.scenario import Bottleneck, Flow, Scenario


@dataclass(frozen=True)
class Link:
    """One link.

    Parameters
    ----------
    name : str
        In the records and in a plan: ``forward``, ``forward2`` and so on, ``reverse``.
    path : str
        Where it stands in the scenario.
    hop : int or None
        Its number among the forward links, from 1; None of the reverse link.
    link : Bottleneck
        What it is.
    """

    name: str
    path: str
    hop: int | None
    link: Bottleneck

    def carries(self, party: Any) -> bool:
        """Return whether data of a flow, of transfers or of datagrams go over it."""
        return self._crosses(party) if party.direction == "forward" else self.hop is None

    def returns(self, flow: Flow) -> bool:
        """Return whether ACKs of a flow go over it."""
        return self.hop is None if flow.direction == "forward" else self._crosses(flow)

    def _crosses(self, party: Any) -> bool:
        return self.hop is not None and (party.enter or 1) <= self.hop <= (party.leave or self.hop)


def each(full: Scenario) -> list[Link]:
    """Return the links of a scenario with defaults filled in, in the order of their numbers in the records."""
    hops = [Link("forward", "bottleneck", 1, full.bottleneck)]
    hops += [Link(f"forward{number}", f"hops[{number - 2}]", number, hop) for number, hop in enumerate(full.hops, 2)]
    return hops if full.reverse is None else [*hops, Link("reverse", "reverse", None, full.reverse)]


def crossed(full: Scenario, flow: Flow) -> Iterable[Link]:
    """Return the links that a flow's data or ACKs go over."""
    return (one for one in each(full) if one.carries(flow) or one.returns(flow))
