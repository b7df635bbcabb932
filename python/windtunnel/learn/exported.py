"""A policy as a controller's file: Python that needs nothing but `windtunnel`, with the numbers written out."""

from __future__ import annotations

from pathlib import Path

from windtunnel.learn.acting import Acting
from windtunnel.learn.policy import Policy
from windtunnel.scenario import ScenarioError

_OBSERVED = {
    "step_s": "step",
    "delivered_packets": "delivered",
    "lost_packets": "lost",
    "marked_packets": "marked",
    "rate_bps": "rate",
    "rtt_s": "rtt",
    "rtt_min_s": "self.seen_rtt_min",
    "cwnd_packets": "self.seen_cwnd",
    "latency_ratio": "ratio(rtt - self.seen_rtt_min, self.seen_rtt_min)",
    "latency_gradient": "min(max((rtt - last) / step, -10.0), 10.0)",
    "loss": "ratio(lost, lost + delivered)",
    "marks": "ratio(marked, delivered)",
    "rate_ratio": "ratio(rate, self.rate_max)",
    "window_ratio": "ratio(self.seen_cwnd * step, max(delivered, 1.0) * self.seen_rtt_min)",
    "log_window": "math.log2(self.seen_cwnd)",
}
"""What can be observed in a controller, as the core computes it (`crates/sim/src/engine/reading.rs`)."""

_HEAD = '''"""{doc}

Written by windtunnel.learn.export. Observes {observed}, {history} step(s) of them; decides {when}.
"""

import math

import windtunnel as wt


def ratio(of, whole):
    return min(max(of / whole, 0.0), 10.0) if whole > 0.0 else 0.0

{decorator}
class {name}(wt.Controller):
    """{doc}"""

    needs = wt.Needs(control="{control}", rtt_samples="exact")
    variables = ("action",)

    def __init__(self):
        # When the next decision is due, seconds; before the first ACK never.
        self.next_s = -1.0
        self.step_s = 0.0
        # The window and the pacing rate that were decided; 0 while nothing was.
        self.window = 0.0
        self.pacing = 0.0
        self.action = 0.0
        # Counters as of the last ACK, and as of the last decision.
        self.seen_delivered = 0.0
        self.seen_marked = 0.0
        self.seen_rtt_min = 0.0
        self.seen_cwnd = 0.0
        self.seen_srtt = 0.0
        self.seen_mss = 0.0
        self.delivered = 0.0
        self.marked = 0.0
        self.lost = 0.0
        self.rtt_sum = 0.0
        self.rtt_count = 0.0
        # The mean RTT of the step before, seconds (0 before), and the largest rate, bit/s.
        self.rtt = 0.0
        self.rate_max = 0.0
{slots}
    def on_rtt_sampled(self, w, c, s):
        if self.next_s >= 0.0:
            self.seen_cwnd = w.cwnd
            while c.now_s >= self.next_s:
                self.decide(c.lost + 0.0)
                self.step_s = {stride}
                self.next_s += self.step_s
        if s.rtt_s is not None:
            self.rtt_sum += s.rtt_s
            self.rtt_count += 1.0
        self.seen_delivered = c.delivered + 0.0
        self.seen_marked = c.delivered_ce + 0.0
        if c.rtt_min_s is not None:
            self.seen_rtt_min = c.rtt_min_s
        if c.srtt_s is not None:
            self.seen_srtt = c.srtt_s
        self.seen_mss = c.mss_bytes + 0.0
        if self.next_s < 0.0:
            self.step_s = {stride}
            self.next_s = c.now_s + self.step_s
        if self.window > 0.0:
            w.cwnd = self.window

    def decide(self, lost_now):
        step = self.step_s
        delivered = self.seen_delivered - self.delivered
        marked = self.seen_marked - self.marked
        lost = lost_now - self.lost
        rate = delivered * self.seen_mss * 8.0 / step
        last = self.rtt if self.rtt > 0.0 else self.seen_rtt_min
        rtt = self.rtt_sum / self.rtt_count if self.rtt_count > 0.0 else last
        self.rate_max = max(self.rate_max, rate)
{observing}
{network}
        window = self.window if self.window > 0.0 else self.seen_cwnd
        self.action = {action}
        self.window = min(max({acts}, 1.0), {window_max!r})
{pacing}        self.delivered = self.seen_delivered
        self.marked = self.seen_marked
        self.lost = lost_now
        self.rtt_sum = 0.0
        self.rtt_count = 0.0
        self.rtt = rtt

    def on_acked(self, w, c, acked):
        pass

    def ssthresh(self, w, c):
        return w.cwnd

    def undo(self, w, c):
        return w.cwnd
'''

_PACED = """
    def pacing_rate(self, w, c):
        return max(self.pacing, 1.0) if self.pacing > 0.0 else None
"""


def export(policy: Policy, path: str | Path, acting: Acting, *, name: str = "Learned", doc: str = "", compiled: bool = False) -> Path:
    """Write a policy as a controller's file, which stands wherever an algorithm's name may stand: ``--flow ./learned.py``.

    Parameters
    ----------
    policy : Policy
        What decides.
    path : str or Path
        The file to write; its name ends in ``.py``.
    acting : Acting
        How the policy was trained to observe and act.
    name : str
        Name of the class.
    doc : str, optional
        One line on what it is.
    compiled : bool
        Whether Numba compiles its hooks (``pip install 'windtunnel[compiled]'``).

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ScenarioError
        When a controller cannot observe what the policy does, or sizes differ.
    """
    acting.checked()
    path = Path(path)
    if path.suffix != ".py":
        raise ScenarioError("path", f"{path.name} is no name of a controller in Python; give one that ends in .py")
    seen = len(acting.observations) * acting.history
    if (policy.sizes[0], policy.sizes[-1]) != (seen, acting.numbers):
        raise ScenarioError(
            "policy", f"it has {policy.sizes[0]} numbers in and {policy.sizes[-1]} out; {seen} and {acting.numbers} are needed"
        )
    hidden = [one for one in acting.observations if one not in _OBSERVED]
    if hidden:
        raise ScenarioError("observations", f"a controller does not see {hidden[0]}; allowed: {', '.join(_OBSERVED)}")
    width = len(acting.observations)
    action = f"o{len(policy.sizes) - 1}_0"
    octaves, most = float(acting.octaves), float(acting.window_max_packets)
    by_rtt = f"max({float(acting.step)!r} * self.seen_rtt_min, 1e-6)"
    text = _HEAD.format(
        doc=doc or "A policy that was trained in windtunnel/Dumbbell-v0.",
        observed=", ".join(acting.observations),
        history=acting.history,
        when=f"every {acting.step:g} smallest RTT(s)" if acting.by == "rtt" else f"every {acting.step:g} s",
        decorator="\n@wt.compiled" if compiled else "",
        name=name,
        control="full" if acting.paced else "full-unpaced",
        slots="".join(f"        self.x{index} = 0.0\n" for index in range(seen)) + "        self.is_shown = False\n",
        stride=by_rtt if acting.by == "rtt" else repr(float(acting.step)),
        observing=_observing(acting, width, seen),
        network=_network(policy),
        action=action,
        acts=f"window * 2.0 ** ({octaves!r} * {action})" if acting.action == "factor" else f"{most!r} ** (({action} + 1.0) / 2.0)",
        window_max=most,
        pacing=_pacing(policy) if acting.paced else "",
    )
    path.write_text(text + (_PACED if acting.paced else ""))
    return path


def _observing(acting: Acting, width: int, seen: int) -> str:
    """Return the lines that move the history on and compute the latest observations."""
    lines = [f"        self.x{index} = self.x{index + width}" for index in range(seen - width)]
    lines += [f"        self.x{seen - width + index} = {_OBSERVED[name]}" for index, name in enumerate(acting.observations)]
    if acting.history > 1:
        lines.append("        if not self.is_shown:")
        lines += [f"            self.x{index} = self.x{seen - width + index % width}" for index in range(seen - width)]
        lines.append("        self.is_shown = True")
    return "\n".join(lines)


def _network(policy: Policy) -> str:
    lines = []
    for number, (weights, offsets) in enumerate(policy.layers(), start=1):
        for row, (line, offset) in enumerate(zip(weights, offsets, strict=True)):
            before = (f"self.x{index}" if number == 1 else f"o{number - 1}_{index}" for index in range(len(line)))
            terms = [f"{float(weight)!r} * {value}" for weight, value in zip(line, before, strict=True)]
            lines.append(f"        o{number}_{row} = math.tanh({' + '.join([*terms, repr(float(offset))])})")
    return "\n".join(lines)


def _pacing(policy: Policy) -> str:
    gain = f"o{len(policy.sizes) - 1}_1"
    return f"        self.pacing = 4.0 ** {gain} * self.window * self.seen_mss / self.seen_srtt\n"
