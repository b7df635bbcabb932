"""The machine's own kernel as a backend: one process, and its namespaces, per run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

from windtunnel.backends.captures import Capture, Captured
from windtunnel.backends.host import host
from windtunnel.backends.linux.profiles import profile_of
from windtunnel.backends.live import afar, bpf, expressible, orders, records, validity
from windtunnel.backends.live.errors import LiveError, NotValid
from windtunnel.backends.live.hosts import read
from windtunnel.backends.live.validity import Validity
from windtunnel.foreign import is_made
from windtunnel.live import enter
from windtunnel.records import Records, RunFacts, build
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, fill
from windtunnel.version import __version__

RESULTS_VERSION = 1
"""Raised by hand when the same kernel's results may change."""
TRIES = 3
"""Of a run, until one is valid."""
_SLACK_S = 60.0
"""Real time that a run may take beyond its duration, twice: it is stuck then."""


class LiveKernel:
    """The machine's own kernel as a backend, or those of hosts that are reached by SSH.

    Parameters
    ----------
    hosts : str, optional
        A file that names the hosts, see `windtunnel.backends.live.hosts`; without one they are namespaces of this machine.

    Raises
    ------
    LiveError
        When the file does not say what it has to.
    """

    def __init__(self, hosts: str | None = None) -> None:
        self._hosts = None if hosts is None else read(hosts)

    @property
    def name(self) -> str:
        """Its name: ``live``."""
        return "live"

    @property
    def exact(self) -> str:
        """Its name, with the file of hosts where there is one."""
        return self.name if self._hosts is None else f"{self.name}:{Path(self._hosts.file).absolute()}"

    @property
    def title(self) -> str:
        """The kernel's version."""
        return f"live kernel {self._kernel()[0]}" + ("" if self._hosts is None else f", hosts of {self._hosts.file}")

    @property
    def runs_alone(self) -> bool:
        """A run is in real time, and another one beside it would disturb it."""
        return True

    @property
    def stack(self) -> str | None:
        """The profile that stands for the kernel's own stack."""
        return profile_of(self._kernel()[0])

    def _kernel(self) -> tuple[str, str]:
        """Return release and version of the kernel that sends.

        Raises
        ------
        LiveError
            When the hosts that send have several.
        """
        if self._hosts is None:
            return platform.release(), platform.version()
        (release, version), *others = afar.known(self._hosts)["kernels"]
        if others:
            raise LiveError(f"{self._hosts.file}: hosts that send have several kernels, {release} and {others[0][0]}; allowed: one")
        return str(release), str(version)

    def version(self) -> int:
        """Return a number for kernel and hosts (ten digits of a digest) and for our own version (the last two decimals)."""
        text = " ".join(self._kernel()) + ("" if self._hosts is None else f" {self._hosts}")
        return int(hashlib.sha256(text.encode()).hexdigest()[:10], 16) * 100 + RESULTS_VERSION

    def unsupported(self, scenario: Scenario) -> list[str]:
        """Return what this machine's kernel cannot express, its missing congestion controls among it."""
        found = expressible.unsupported(scenario, profile_of(self._kernel()[0]))
        if self._hosts is not None:
            found += expressible.unsupported_afar(scenario, self._hosts.traffic)
        if found or self._hosts is not None:
            return found
        named = dict.fromkeys(orders.module(flow) for flow in fill(scenario).scenario.flows if not is_made(flow.algorithm))
        return [f"flows: this kernel has no congestion control '{name}'; it has: {available()}" for name in named if not has(name)]

    def check(self, scenario: Scenario) -> None:
        """Refuse what cannot be run, before anything starts.

        Raises
        ------
        ScenarioError
            When the scenario cannot be expressed; every field by name.
        LiveError
            When the machine does not allow it; the right that is missing.
        ForeignError
            When a controller's file becomes no BPF program; with its line.
        """
        found = self.unsupported(scenario)
        if found:
            raise ScenarioError("backend", f"live cannot express {'; '.join(found)}; allowed: --backend sim")
        if self._hosts is not None:
            return
        own = orders.controllers(scenario)
        missing = missing_right() or (bpf.missing() if own else None)
        if missing is not None:
            raise LiveError(missing)
        for algorithm, settings in own:
            bpf.check(algorithm, dict(settings))

    def capture(self, scenario: Scenario, capture: Capture) -> tuple[Records, Captured]:
        """Refuse to capture: a live run's packets are for the machine's own tools.

        Raises
        ------
        ScenarioError
            Always; one line.
        """
        del scenario
        raise ScenarioError("pcap", f"{str(capture.file)!r} cannot be written: a live run is not captured; allowed: --backend sim")

    def run(self, scenario: Scenario) -> Records:
        """Run the scenario until a try is valid, three times at most.

        Parameters
        ----------
        scenario : Scenario
            What to run, in real time.

        Returns
        -------
        Records
            The records of the valid try. Two runs are never the same.

        Raises
        ------
        ScenarioError, LiveError
            See `check`; also when the machine does not keep the rate, or something broke.
        NotValid
            When no try was valid; with the reasons of each.
        """
        self.check(scenario)
        if self._hosts is not None:
            return self._tried(scenario, {})
        with bpf.loaded(orders.controllers(scenario)) as names:
            return self._tried(scenario, names)

    def _tried(self, scenario: Scenario, names: dict[bpf.Key, str]) -> Records:
        """Run until a try is valid, with the kernel's names of controllers from files."""
        reasons: list[str] = []
        proof: dict[str, Any] = {}
        for number in range(1, TRIES + 1):
            given = orders.make(scenario, proof=number == 1, names=names)
            answer, wall_s = _ran(given, scenario.duration_s) if self._hosts is None else afar.ran(given, self._hosts, scenario.duration_s)
            proof = answer["proof"] or proof
            found = _judged(answer, scenario)
            if not found.faults:
                return self._records(scenario, answer, found, {"wall_s": wall_s, "tries": number, "proof": proof})
            reasons.append(f"try {number}: {', '.join(found.faults)}")
        raise NotValid(f"no try of {TRIES} was valid, so there is no result; {'; '.join(reasons)}")

    def _records(self, scenario: Scenario, answer: dict[str, Any], found: Validity, extra: dict[str, Any]) -> Records:
        filled, made = fill(scenario), orders.make(scenario, proof=False)
        frames = records.frames(answer, filled.scenario, made["spec"])
        release, version = self._kernel()
        own = profile_of(release)
        others = dict.fromkeys(flow.profile for flow in filled.scenario.flows if flow.profile != own)
        facts = RunFacts(
            scenario=canonical(scenario),
            digest=digest(scenario),
            backend="live",
            engine_version=self.version(),
            code_version=__version__,
            counters={
                "data_packets": sum(flow["sent"] for flow in answer["router"]["flows"]),
                "events": None,
                "wall_s": extra["wall_s"],
                "cpu_s": None,
            },
            host=host() | {"kernel": version, "live": _facts(answer, found, extra)},
            notes=(
                *filled.notes,
                *(f"profile: {name}; the kernel has its own stack, {own}" for name in others),
                f"live: try {extra['tries']} {found.words()}",
            ),
        )
        return build(frames, facts)


def _judged(answer: dict[str, Any], scenario: Scenario) -> Validity:
    full, spec = fill(scenario).scenario, orders.make(scenario, proof=False)["spec"]
    longest_us = max((row[5] for row in answer["rows"]), default=0)
    largest_s = max([longest_us * 1e-6, *((flow.rtt_s or 0.0) for flow in full.flows)])
    return validity.of_run(answer, spec, largest_s=largest_s)


def _facts(answer: dict[str, Any], found: Validity, extra: dict[str, Any]) -> dict[str, Any]:
    """Return what the machine did to the run, for its folder."""
    return {
        **{name: getattr(found, name) for name in found.__dataclass_fields__ if name != "faults"},
        "late_s_max": answer["router"]["late_ns_max"] * 1e-9,
        "stalls": answer["router"]["stalls"],
        "realtime": answer["realtime"],
        "setup_s": answer["setup_s"],
        "tries": extra["tries"],
        "proof": extra["proof"],
        "offloads": "tx tso gso gro off, gso_max_segs 1",
        **{name: answer[name] for name in ("hosts", "clocks", "steered") if name in answer},
    }


def _ran(given: dict[str, Any], duration_s: float) -> tuple[dict[str, Any], float]:
    """Run the orders in a process of its own; return its answer and how long it took."""
    begun = time.monotonic()
    python = [sys.executable, "-m", "windtunnel.live.lab"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with subprocess.Popen(
        [sys.executable, "-I", enter.__file__, *python],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            out, said = process.communicate(json.dumps(given), timeout=2 * duration_s + _SLACK_S)
        except subprocess.TimeoutExpired:
            raise LiveError(f"the run did not end within {2 * duration_s + _SLACK_S:g} s") from None
        finally:
            # What is left of it: the session is its own.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode == enter.REFUSED:
        raise LiveError(said.strip())
    try:
        answer: dict[str, Any] = json.loads(out)
    except ValueError:
        last = said.strip().splitlines()[-1:] or ["it said nothing"]
        raise LiveError(f"the run's process ended with code {process.returncode}: {last[0]}") from None
    if "error" in answer:
        raise LiveError(answer["error"])
    return answer, time.monotonic() - begun


@cache
def missing_right() -> str | None:
    """Return the right that is missing for network namespaces, one line; None when they can be made."""
    tried = subprocess.run(
        [sys.executable, "-I", enter.__file__, sys.executable, "-I", "-c", ""], capture_output=True, text=True, check=False
    )
    return None if tried.returncode == 0 else tried.stderr.strip().splitlines()[-1]


@cache
def has(algorithm: str) -> bool:
    """Return whether this kernel has a congestion control; root's question loads its module."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as asking:
        try:
            asking.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm.encode())
        except PermissionError:
            # It is there, and not for every user: for root of a namespace it is.
            return True
        except OSError:
            return False
    return True


def available() -> str:
    """Return the congestion controls that this kernel has loaded."""
    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="ascii").strip()
