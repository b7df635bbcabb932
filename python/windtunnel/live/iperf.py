"""iperf3 as the traffic of a run, in place of our own sender: the ends of flows on one host, and what they report."""

from __future__ import annotations

import contextlib
import json
import select
import signal
import subprocess
import time
from typing import Any

from windtunnel.live.ends import PORT, TCP_IP_BYTES

INTERVAL_S = 0.1
"""The shortest that it takes."""
ENOUGH_S = 4 * 3600
"""It takes whole seconds: it is ended when the flow is to end."""
LAST_WORDS_S = 5.0


class Traffic:
    """The ends of flows that are here; the receivers' wait from now on.

    Parameters
    ----------
    flows : list of dict
        ``index``, ``given`` (see `windtunnel.live.ends.Flow`), ``sends`` and ``receives`` (addresses), ``here`` (``sender``, ``receiver``).
    """

    def __init__(self, flows: list[dict[str, Any]]) -> None:
        self._flows = flows
        self._ends: list[tuple[int, str, subprocess.Popen[str]]] = []
        for flow in flows:
            if "receiver" in flow["here"]:
                self._begin(flow, "receiver", ["-s", "-1", "-B", flow["receives"]])

    def _begin(self, flow: dict[str, Any], end: str, words: list[str]) -> None:
        words = ["iperf3", *words, "-p", str(PORT), "-i", str(INTERVAL_S), "-J"]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self._ends.append((flow["index"], end, process))

    def _send(self, flow: dict[str, Any]) -> None:
        given = flow["given"]
        addresses = ["-c", flow["receives"], "-B", flow["sends"]]
        self._begin(flow, "sender", [*addresses, "-C", given["algorithm"], "-M", str(given["mtu"] - TCP_IP_BYTES), "-t", str(ENOUGH_S)])

    def run(self, begin_ns: int, end: int) -> dict[str, Any]:
        """Send and receive until a descriptor is readable.

        Parameters
        ----------
        begin_ns : int
            When the network's time begins, of the monotonic clock.
        end : int
            The descriptor.

        Returns
        -------
        dict
            ``iperf3``: of each end that is here its flow, which end it is, and its intervals: begin and end (of the network's time as this
            host's clock has it, seconds), bytes, retransmissions, window (bytes), RTT (microseconds).
        """
        waits = sorted((flow["given"]["start_ns"], flow["index"]) for flow in self._flows if "sender" in flow["here"])
        stops = sorted((flow["given"]["stop_ns"], flow["index"]) for flow in self._flows if flow["given"]["stop_ns"] is not None)
        known = {flow["index"]: flow for flow in self._flows}
        said: list[list[Any]] = []
        try:
            while True:
                now = time.monotonic_ns() - begin_ns
                while waits and waits[0][0] <= now:
                    self._send(known[waits.pop(0)[1]])
                while stops and stops[0][0] <= now:
                    said += self._ended(begin_ns, stops.pop(0)[1])
                due = min([0.5, *((times[0][0] - now) * 1e-9 for times in (waits, stops) if times)])
                if select.select([end], [], [], max(0.0, due))[0]:
                    return {"iperf3": said + self._ended(begin_ns)}
        finally:
            self.close()

    def _ended(self, begin_ns: int, index: int | None = None) -> list[list[Any]]:
        """End a flow's senders, or all ends, and return what they said."""
        chosen = [one for one in self._ends if index is None or one[:2] == (index, "sender")]
        self._ends = [one for one in self._ends if one not in chosen]
        for _, _, process in chosen:
            process.send_signal(signal.SIGINT)
        ended_s = (time.monotonic_ns() - begin_ns) * 1e-9
        said = []
        for flow, end, process in chosen:
            try:
                text, _ = process.communicate(timeout=LAST_WORDS_S)
            except subprocess.TimeoutExpired:
                process.kill()
                text, _ = process.communicate()
            said.append([flow, end, _intervals(text, ended_s)])
        return said

    def close(self) -> None:
        """End what is left of it."""
        for _, _, process in self._ends:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
        self._ends = []


def _intervals(text: str, ended_s: float) -> list[list[Any]]:
    """Return the intervals of a report that was written when the process was ended; its own clock begins with the transfer."""
    try:
        streams = [one["streams"][0] for one in json.loads(text)["intervals"] if one["streams"]]
    except (ValueError, KeyError):
        return []
    if not streams:
        return []
    zero_s = ended_s - streams[-1]["end"]
    names = ("bytes", "retransmits", "snd_cwnd", "rtt")
    return [[zero_s + one["start"], zero_s + one["end"], *(one.get(name) for name in names)] for one in streams]
