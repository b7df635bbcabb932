"""A run between hosts that are reached by SSH: the same orders and the same answer as `windtunnel.live.lab`'s, from several machines."""

from __future__ import annotations

import json
import select
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from windtunnel.backends.live.errors import LiveError
from windtunnel.backends.live.hosts import Hosts
from windtunnel.backends.live.iperf import rows as iperf_rows
from windtunnel.live import namespaces, proof
from windtunnel.live.ends import SETTINGS
from windtunnel.version import __version__
from windtunnel.wire.away import Away

SENT = (
    *("live", "live.netlink", "live.namespaces", "live.counters", "live.ends", "live.watch", "live.loop", "live.undo", "live.clock"),
    *("live.proof", "live.iperf", "live.agent"),
)
"""Modules of the package that a host runs, each behind those that it needs."""
LEAD_NS = 300_000_000
"""From the orders to the beginning of the network's time: so long may a line take to the hosts."""
CLOCK_LOOKS = 9
ANSWER_S = 60.0
_OFFLOADS = ("tx", "tso", "gso", "gro")


@dataclass
class Party:
    """A host with the program that is on it.

    Parameters
    ----------
    away : Away
        The program.
    within_ns, ahead_ns, real_ahead_ns : int
        By how much its monotonic and its real-time clock are ahead of this machine's monotonic one, and how far that may be wrong.
    """

    away: Away
    within_ns: int = 0
    ahead_ns: int = 0
    real_ahead_ns: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    def fileno(self) -> int:
        """Return what becomes readable when it answers, or is gone."""
        return self.away.fileno()

    def begin(self, what: str, **request: Any) -> None:
        """Ask."""
        self.away.say(json.dumps({"do": what, **request}))

    def answer(self, most_s: float = ANSWER_S) -> dict[str, Any]:
        """Return the answer; `LiveError` when it is an error, or none."""
        line = self.away.line(most_s)
        try:
            said: dict[str, Any] = json.loads(line)
        except ValueError:
            raise LiveError(f"{self.away.called}: {line}") from None
        if "error" in said:
            raise LiveError(f"{self.away.called}: {said['error']}")
        return said

    def ask(self, what: str, **request: Any) -> dict[str, Any]:
        """Ask, and return the answer."""
        self.begin(what, **request)
        return self.answer()

    def compare_clocks(self) -> None:
        """Learn what its clocks show: of several answers the quickest one's."""
        looks = []
        for _ in range(CLOCK_LOOKS):
            asked = time.monotonic_ns()
            theirs, came = self.ask("clock"), time.monotonic_ns()
            middle = (asked + came) // 2
            looks.append(((came - asked) // 2, theirs["monotonic_ns"] - middle, theirs["real_ns"] - middle))
        self.within_ns, self.ahead_ns, self.real_ahead_ns = min(looks)


def _opened(stack: ExitStack, hosts: Hosts) -> tuple[Party, dict[str | None, Party]]:
    """Start the programs of the router and of the hosts, all at once."""
    python = hosts.router_python or sys.executable
    router = Party(stack.enter_context(Away(hosts.router_ssh, ("live.agent",), python=python, fails=LiveError)))
    ends = {target: Party(stack.enter_context(Away(target, SENT, fails=LiveError))) for target in hosts.targets}
    for party in (router, *ends.values()):
        party.away.greet()
    return router, ends


def _asked_all(parties: Sequence[Party], what: str, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    for party, request in zip(parties, requests, strict=True):
        party.begin(what, **request)
    return [party.answer() for party in parties]


def _facts(hosts: Hosts, router: Party, ends: dict[str | None, Party], algorithms: Sequence[str]) -> None:
    """Look at what is installed on every host, before anything is changed there."""
    software = ["iperf3"] if hosts.traffic == "iperf3" else []
    for target, party in ends.items():
        devices = [end.device for pair in hosts.pairs for end in pair if end.ssh == target]
        party.begin("facts", devices=list(dict.fromkeys(devices)), software=software, algorithms=list(algorithms))
    towards = dict.fromkeys(end.router_device for pair in hosts.pairs for end in pair)
    router.begin("facts", devices=list(towards), software=[], algorithms=[])
    for party in (*ends.values(), router):
        party.facts = party.answer()
    theirs = router.ask("version")["version"]
    if theirs != __version__:
        raise LiveError(f"{router.away.called} has version {theirs} of this package; {__version__} is needed")


@cache
def known(hosts: Hosts) -> dict[str, Any]:
    """Return what the hosts are: ``kernels`` (release and version of those that send, each once), asked once.

    Raises
    ------
    LiveError
        When one is not reached, or something is missing there; one line.
    """
    with ExitStack() as stack:
        router, ends = _opened(stack, hosts)
        _facts(hosts, router, ends, ())
        senders = [ends[sends.ssh].facts for sends, _ in hosts.pairs]
        return {"kernels": list(dict.fromkeys((one["kernel"], one["kernel_version"]) for one in senders))}


def ran(orders: Mapping[str, Any], hosts: Hosts, duration_s: float) -> tuple[dict[str, Any], float]:
    """Run the orders on the hosts.

    Parameters
    ----------
    orders : mapping
        Of `windtunnel.backends.live.orders.make`.
    hosts : Hosts
        Where.
    duration_s : float
        Of the scenario.

    Returns
    -------
    (dict, float)
        What `windtunnel.live.lab.run` returns, with ``hosts`` and ``clocks`` besides, and how long it took, seconds.

    Raises
    ------
    LiveError
        When a host is not reached or lost, something is missing there, or broke; one line. Everything that was changed is as it was.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        router, ends = _opened(stack, hosts)
        run = _Run(orders, hosts, router, ends)
        return run.whole(duration_s), time.monotonic() - began


class _Run:
    """One run, with everything open."""

    def __init__(self, orders: Mapping[str, Any], hosts: Hosts, router: Party, ends: dict[str | None, Party]) -> None:
        self.orders, self.hosts, self.router, self.ends = orders, hosts, router, ends
        self.parties = [router, *ends.values()]
        self.addresses = [[namespaces.address(2 * flow + end) for end in (0, 1)] for flow in range(len(orders["flows"]))]

    def whole(self, duration_s: float) -> dict[str, Any]:
        """Prepare, prove, connect, run, put back."""
        began = time.monotonic()
        _facts(self.hosts, self.router, self.ends, list(dict.fromkeys(flow["algorithm"] for flow in self.orders["flows"])))
        for party in self.parties:
            party.compare_clocks()
        self._prepare()
        self.router.ask("router", places=self._places())
        setup_s = time.monotonic() - began
        proven = self._proven() if self.orders["proof"] is not None else None
        self._connect()
        answer = self._measured(duration_s)
        clocks = {party.away.called: self._clock(party) for party in self.parties}
        for party, said in zip(self.parties, _asked_all(self.parties, "restore", [{}] * len(self.parties)), strict=True):
            if said["failed"]:
                raise LiveError(f"{party.away.called}: {said['failed']} of its settings could not be put back")
        facts = {party.away.called: party.facts for party in self.parties}
        return {"proof": proven, "setup_s": setup_s, "clocks": clocks, "hosts": facts, **answer}

    def _clock(self, party: Party) -> dict[str, float]:
        """Return how a host's clock stood, and by how much it moved against this machine's during the run."""
        before, within = party.ahead_ns, party.within_ns
        party.compare_clocks()
        return {"ahead_s": before * 1e-9, "within_s": within * 1e-9, "moved_s": (party.ahead_ns - before) * 1e-9}

    def _prepare(self) -> None:
        """Set addresses, routes, offloads and sysctls, as a namespace of `windtunnel.live.lab` has them."""
        requests = []
        for target in self.ends:
            mine = [
                (flow, number, end)
                for flow in range(len(self.addresses))
                for number, end in enumerate(self.hosts.pair(flow))
                if end.ssh == target
            ]
            devices = dict.fromkeys(end.device for _, _, end in mine)
            mtu = {device: max(self.orders["flows"][flow]["mtu"] for flow, _, end in mine if end.device == device) for device in devices}
            requests.append(
                {
                    "switched": {device: list(_OFFLOADS) for device in devices},
                    "sysctls": self._sysctls(target, [flow for flow, _, _ in mine]),
                    "ends": [self._end(flow, number) for flow, number, _ in mine],
                    "mtu": mtu,
                }
            )
        _asked_all(list(self.ends.values()), "prepare", requests)
        devices = dict.fromkeys(end.router_device for pair in self.hosts.pairs for end in pair)
        # What several packets were joined to is no packet of the wire's, and what the router forwards its kernel shall not.
        forwarding = [[f"net/ipv4/conf/{device}/forwarding", "0"] for device in devices]
        self.router.ask("prepare", switched={device: ["gro"] for device in devices}, sysctls=forwarding, ends=[], mtu={})

    def _sysctls(self, target: str | None, flows: Sequence[int]) -> list[list[str]]:
        wanted: dict[str, str] = {}
        for path, value in [*SETTINGS, *((path, value) for flow in flows for path, value in self.orders["flows"][flow]["sysctls"])]:
            if wanted.setdefault(path, value) != value and (path, value) not in SETTINGS:
                raise LiveError(f"{target or 'this machine'} is to have {path} {wanted[path]} for one flow and {value} for another")
        return [[path, value] for path, value in wanted.items()]

    def _end(self, flow: int, number: int) -> dict[str, Any]:
        end, given = self.hosts.pair(flow)[number], self.orders["flows"][flow]
        return {
            "device": end.device,
            "address": self.addresses[flow][number],
            "peer": self.addresses[flow][1 - number],
            "mac": self.router.facts["devices"][end.router_device]["mac"],
            "initial_window": given["initial_window"] if number == 0 else 0,
            "mtu": given["mtu"],
        }

    def _places(self) -> list[list[dict[str, str]]]:
        def place(flow: int, number: int) -> dict[str, str]:
            end = self.hosts.pair(flow)[number]
            mac = self.ends[end.ssh].facts["devices"][end.device]["mac"]
            return {"device": end.router_device, "mac": mac, "address": self.addresses[flow][number]}

        return [[place(flow, number) for number in (0, 1)] for flow in range(len(self.addresses))]

    def _proven(self) -> dict[str, Any]:
        """Prove rate and delay between the first flow's hosts; as `windtunnel.live.proof.prove`, over two clocks."""
        spec = self.orders["proof"]
        sends, receives = (self.ends[end.ssh] for end in self.hosts.pair(0))
        (source, sink), payload = self.addresses[0], self.orders["flows"][0]["mtu"] - proof.UDP_IP_BYTES
        before = [self._apart_ns(party) for party in (sends, receives)]
        receives.ask("probed", address=sink)
        begin_ns = self._route(spec, plain=False)
        sends.ask("probe", address=source, to=sink, rate_bps=spec["forward"]["rate_bps"], payload=payload)
        time.sleep(proof.behind_s(spec, payload))
        came = receives.ask("probed", address=None)["came"]
        report = self._routed()
        for party, apart_ns in zip((sends, receives), before, strict=True):
            if abs(self._apart_ns(party) - apart_ns) >= proof.CLOCK_MOVED_NS:
                raise LiveError(f"{party.away.called}: its clock was set while rate and delay were proven; run it again")
        apart_ns = receives.real_ahead_ns - sends.real_ahead_ns
        shifted = [(mark, sent + apart_ns, at) for mark, sent, at in came]
        found = proof.found(shifted, report, begin_ns + receives.real_ahead_ns, spec, payload)
        found["clocks_within_s"] = (sends.within_ns + receives.within_ns) * 1e-9
        refused = proof.refused(found)
        if refused is not None:
            raise LiveError(refused.replace("this machine", "this router"))
        return found

    @staticmethod
    def _apart_ns(party: Party) -> int:
        """Return by how much a host's real-time clock is ahead of its monotonic one."""
        clocks = party.ask("clock")
        return int(clocks["real_ns"] - clocks["monotonic_ns"])

    def _route(self, spec: Mapping[str, Any], *, plain: bool) -> int:
        """Let the router begin, and return when, by this machine's monotonic clock."""
        begin_ns = time.monotonic_ns() + LEAD_NS
        self.router.begin("route", spec=spec, begin_ns=begin_ns + self.router.ahead_ns, plain=plain)
        if plain or spec is self.orders["proof"]:
            time.sleep(LEAD_NS * 1e-9)
        return begin_ns

    def _routed(self) -> dict[str, Any]:
        """End what the router does, and return its report."""
        self.router.begin("end")
        report: dict[str, Any] = self.router.answer()["router"]
        return report

    def _connect(self) -> None:
        """Open the ends; make connections before the network's time begins, over its propagation alone."""
        spec, traffic = self.orders["spec"], self.hosts.traffic
        requests = []
        for target in self.ends:
            flows = []
            for flow, given in enumerate(self.orders["flows"]):
                pair = self.hosts.pair(flow)
                here = [name for name, end in zip(("sender", "receiver"), pair, strict=True) if end.ssh == target]
                source, sink = self.addresses[flow]
                flows += [{"index": flow, "given": given, "sends": source, "receives": sink, "here": here}] if here else []
            requests.append({"flows": flows, "traffic": traffic})
        parties = list(self.ends.values())
        _asked_all(parties, "open", requests)
        if traffic != "own" or all(flow["handshake"] for flow in self.orders["flows"]):
            return
        longest_s = max(flow["rtt_ns"] for flow in spec["flows"]) * 1e-9
        self._route({**spec, "duration_ns": spec["duration_ns"] + 600_000_000_000, "warmup_ns": 0}, plain=True)
        for what in ("connect", "accept"):
            _asked_all(parties, what, [{}] * len(parties))
        # The last ACKs of the handshakes shall not be under way when the links begin.
        time.sleep(longest_s + 0.01)
        self._routed()

    def _measured(self, duration_s: float) -> dict[str, Any]:
        begin_ns = self._route(self.orders["spec"], plain=False)
        for party in self.ends.values():
            party.begin("run", begin_ns=begin_ns + party.ahead_ns, watch_ns=self.orders["watch_ns"], seconds=duration_s)
        self._wait(2 * duration_s + ANSWER_S)
        routed = self.router.answer()
        for party in self.ends.values():
            party.begin("end")
        said = [party.answer() for party in self.ends.values()]
        rows, events = ([row for one in said for row in one.get(name, ())] for name in ("rows", "events"))
        if self.hosts.traffic == "iperf3":
            ends = [one for answer in said for one in answer["iperf3"]]
            rows, events = iperf_rows(ends, self.orders["spec"])
        # The machine that was disturbed most says whether the run was.
        shares = [(one["steal"] / one["ticks"], one["steal"], one["ticks"]) for one in (routed, *said) if one.get("ticks")]
        _, steal, ticks = max(shares)
        realtime = all(one.get("realtime", True) for one in said)
        order = sorted(rows, key=lambda row: row[0])
        return {
            "router": routed["router"],
            "rows": order,
            "events": sorted(events, key=lambda event: event[0]),
            "steal": steal,
            "ticks": ticks,
            "realtime": realtime,
        }

    def _wait(self, most_s: float) -> None:
        """Wait for the router's report; a host that says anything before is lost."""
        ready = select.select(self.parties, [], [], most_s)[0]
        for party in ready:
            if party is not self.router:
                party.answer()
                raise LiveError(f"{party.away.called}: it ended before the run did")
