"""What of a scenario a guest cannot express, by name. A guest never runs something similar instead."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from windtunnel.backends.beyond import beyond
from windtunnel.backends.linux import clients, disciplines, disorder, links, receivers, steps, transfers, usermodules
from windtunnel.backends.linux import senders as hosts
from windtunnel.backends.linux.modules import MODULES, setting
from windtunnel.backends.linux.profiles import PROFILE
from windtunnel.foreign import is_made
from windtunnel.scenario import Bottleneck, Flow, Scenario, catalogue, fill, resolve, writes
from windtunnel.scenario.arrivals import Arrivals
from windtunnel.scenario.catalogue import DROP_TAIL
from windtunnel.scenario.changes import CHANGES
from windtunnel.scenario.flows import MSS_BYTES, PACKET_BYTES
from windtunnel.scenario.hosts import Host
from windtunnel.scenario.laws import Law
from windtunnel.scenario.links import Hop
from windtunnel.scenario.losses import MODELS as MODELS_OF_LOSS
from windtunnel.scenario.losses import GilbertElliott
from windtunnel.scenario.sessions import Sessions
from windtunnel.scenario.traffic import Udp
from windtunnel.scenario.transfers import MOST_KINDS

FLOWS_MOST = 1000
SEGMENT_HEADER_BYTES = PACKET_BYTES - MSS_BYTES
INITIAL_WINDOW_MOST = 45
"""Packets: the receiver's first window is 65535 bytes in any kernel."""
WINDOW_BYTES_MOST = 1 << 29
_SIZED_BY_DEVICE = ("codel", "fq_codel", "pie", "fq_pie")

_LINK = {"rate_bps", "queue_packets", "queue_bytes", "queue_s", "queue_bdp", "excludes_in_service", "loss_probability", "losses"}
_LINK |= disciplines.FIELDS | steps.FIELDS | disorder.FIELDS | {"trace_ms"}
_SOURCE = {"algorithm", "parameters", "transport", "window_packets", "profile", "direction", "rtts_s", "start_s", "stop_s", "max_bytes"}
_SOURCE |= {"handshake", "enter", "leave", "host"}

# A field that is not named here came later than this module, and is refused unless it has its default.
_EXPRESSED: dict[type[BaseModel], set[str]] = {
    Scenario: {"bottleneck", "flows", "traffic", "reverse", "rtt_s", "duration_s", "warmup_s", "seed", "sample_s", "jitter_s"}
    | {"profile", "handshake", "arrivals", "sessions", "hops", "host"},
    Host: {"nic_bps", "txqueuelen", "shared"},
    Bottleneck: _LINK,
    Hop: _LINK | {"delay_s"},
    **{model: set(model.model_fields) for model in CHANGES.values()},
    **{model: set(model.model_fields) for model in MODELS_OF_LOSS.values()},
    Flow: {
        "algorithm",
        "parameters",
        "transport",
        "rtt_s",
        "start_s",
        "stop_s",
        "bytes",
        "count",
        "window_packets",
        "window_bytes",
        "mtu_bytes",
        "profile",
        "direction",
        "handshake",
        "jitter_s",
        "enter",
        "leave",
        "host",
        *writes.SHORT.values(),
        *receivers.FIELDS,
        *clients.FIELDS,
    },
    Arrivals: _SOURCE | {"load", "per_second", "sizes", "mean_bytes", "shape"},
    Sessions: _SOURCE | {"count", "objects", "connections", "size_bytes", "think_s"},
    Law: {"law", "mean", "shape"},
    Udp: {*Udp.SHORT.values(), "kind", "direction", "enter", "leave"},
}


def unsupported(scenario: Scenario, profile: str = PROFILE) -> list[str]:
    """Return what a guest cannot express.

    Parameters
    ----------
    scenario : Scenario
        As written or filled in.
    profile : str, optional
        The one that stands for the kernel's stack; the default profile means it too, for it is what a scenario has that names none.

    Returns
    -------
    list of str
        One entry per field, beginning with its path; empty when the scenario can be run.
    """
    found = beyond(scenario, _EXPRESSED)
    try:
        full = fill(scenario).scenario
    except ValidationError:
        # An experiment's field that only the profile knows in whose place the kernel's stack runs.
        if found:
            return found
        raise
    found += _links(full) + _disciplines(full) + _losses(full)
    for one in links.each(full):
        least = min(map(limit_packets, sized(one.link)))
        found += steps.unsupported(one, least) + disorder.unsupported(one, transfers.senders(full), full.traffic)
    senders = transfers.senders(full)
    if len(senders) > FLOWS_MOST:
        found.append(f"flows: {len(senders)} of them; at most {FLOWS_MOST}, each has a network namespace of its own")
    if transfers.expected(full) > transfers.MOST:
        sources = "arrivals" if full.arrivals else "sessions"
        found.append(f"{sources}: some {transfers.expected(full):.0f} transfers; at most {transfers.MOST}")
    for index, (flow, exact) in enumerate(zip(full.flows, resolve(full)["flows"], strict=True)):
        found += _flow(f"flows[{index}]", flow, exact["window_packets"], profile)
    for kind in transfers.kinds(full):
        found += _flow(kind.path, kind.flow, kind.exact["window_packets"], profile)
    found += _sessions(full) + hosts.unsupported(full, lambda flow: (sysctls(flow), initial_window(flow), flow.mtu_bytes))
    found += receivers.unsupported(full) + clients.unsupported(full) + _contradicting(full)
    return list(dict.fromkeys(found))


def _sessions(full: Scenario) -> list[str]:
    found = []
    for index, source in enumerate(full.sessions):
        if source.handshake is False:
            why = "false; when an object begins depends on the one before it, too late for a connection made earlier"
            found.append(f"sessions[{index}].handshake: {why}")
        if source.count > MOST_KINDS:
            found.append(f"sessions[{index}].count: {source.count}; at most {MOST_KINDS} of one source")
    return found


def _links(full: Scenario) -> list[str]:
    """Netem counts packets: bytes and time are expressible where all packets have one size."""
    found = []
    for one in links.each(full):
        link = one.link
        if not _is_mixed(full, one):
            continue
        if any(step.queue_packets is None for step in link.queue_steps) or (link.queue_steps and counts_bytes(full, one)):
            found.append(
                f"{one.path}.queue_steps: other sizes of packets pass this queue too, and the kernel counts them; give queue_packets"
            )
        if link.queue_packets is not None or counts_bytes(full, one) or counts_exactly(full, one):
            continue
        unit = "queue_bytes" if link.queue_bytes is not None else "queue_s"
        why = "other sizes of packets pass this queue too, and the kernel's shaper counts them"
        bytes_too = link.queue_bytes is not None and not disciplines.wanted(link)
        other = ", or exclude the packet in service, which no queue of bytes has in it" if bytes_too else ""
        found.append(f"{one.path}.{unit}: {why}; give queue_packets{other}")
    return found


def largest_bytes(full: Scenario) -> int:
    """Return the IP bytes of the largest packet of any sender, at least those of a full packet."""
    sizes = [flow.mtu_bytes for flow in full.flows] + [source.packet_bytes for source in full.traffic]
    return max([PACKET_BYTES, *sizes])


def _is_mixed(full: Scenario, one: links.Link) -> bool:
    """Return whether ACKs pass a link, or data in packets of other sizes than 1500 bytes."""
    has_others = any(source.packet_bytes != PACKET_BYTES and one.carries(source) for source in full.traffic)
    has_others |= any(flow.mtu_bytes != PACKET_BYTES and one.carries(flow) for flow in full.flows)
    return has_others or any(one.returns(flow) for flow in transfers.senders(full))


def counts_bytes(full: Scenario, one: links.Link) -> bool:
    """Return whether a queue is one of bytes in the kernel: several sizes of packets share it, and the one on the wire does not count."""
    link = one.link
    return link.queue_bytes is not None and link.excludes_in_service and not disciplines.wanted(link) and _is_mixed(full, one)


def counts_exactly(full: Scenario, one: links.Link) -> bool:
    """Return whether a queue is one of our own: of bytes or of seconds, several sizes of packets share it, and the link never changes."""
    link = one.link
    is_plain = not disciplines.wanted(link) and not steps.has_class(link) and not link.queue_steps
    return link.queue_packets is None and not counts_bytes(full, one) and is_plain and _is_mixed(full, one)


def limit_packets(link: Bottleneck) -> int:
    """Return the link's queue in packets, the one in service among them, as netem counts.

    Bytes hold so many full packets. With a limit in time a packet is taken while those ahead need at most so long: as many as fit
    into the time, and one more that is partly sent.
    """
    if link.queue_packets is not None:
        return link.queue_packets + int(link.excludes_in_service)
    if link.queue_bytes is not None:
        return link.queue_bytes // PACKET_BYTES + int(link.excludes_in_service)
    packet_s = 8 * PACKET_BYTES / link.rate_bps
    return int((link.queue_s or 0.0) / packet_s + 1e-9) + 1


def sized(link: Bottleneck) -> list[Bottleneck]:
    """Return a link with each of the queues that it has one after the other."""
    return [link, *(steps.resized(link, step) for step in link.queue_steps)]


def limit_most_packets(link: Bottleneck) -> int:
    """Return the largest of a link's queues, counted as `limit_packets` does."""
    return max(map(limit_packets, sized(link)))


def _disciplines(full: Scenario) -> list[str]:
    found = []
    for one in links.each(full):
        path, link = one.path, one.link
        if not disciplines.wanted(link):
            continue
        made = disciplines.kernel_discipline(link, limit_packets(link))
        if made is None:
            found.append(f"{path}.discipline: {disciplines.why_none(link.discipline)}")
            continue
        field = "" if link.discipline == DROP_TAIL else "discipline_parameters."
        found += [f"{path}.{field}{problem}" for problem in made.problems]
        if made.kind in _SIZED_BY_DEVICE and largest_bytes(full) > PACKET_BYTES:
            why = f"packets are larger than {PACKET_BYTES} bytes, and the kernel's {made.kind}"
            found.append(f"{path}.discipline: {why} takes its smallest queue from what a device may send")
        if made.knows_rate and link.rate_steps:
            found.append(f"{path}.rate_steps: the kernel's {made.kind} is told a rate once")
        if made.counts_bytes and _is_mixed(full, one):
            found.append(f"{path}.discipline: packets of other sizes pass this queue too, and the kernel's {made.kind} counts bytes")
        if made.values[0] < 1:
            found.append(f"{path}.queue: {limit_packets(link)}, the packet in service among them, leave the kernel's {made.kind} no room")
    return found


def _losses(full: Scenario) -> list[str]:
    """Netem has one law of loss, of all packets: independent, or of two states."""
    found = []
    for one in links.each(full):
        link = one.link
        for index, model in enumerate(link.losses):
            name = f"{one.path}.losses[{index}]"
            if not isinstance(model, GilbertElliott):
                found.append(f"{name}: netem has no {model.model}")
            elif model.among != "all":
                found.append(f"{name}.among: netem does not distinguish {model.among} from the rest")
            elif index > 0 or link.loss_probability > 0:
                found.append(f"{name}: netem has one law of loss per link")
    return found


def _flow(path: str, flow: Flow, window: int | None, profile: str) -> list[str]:
    """Return what of a flow, whose window is capped at so many packets, a guest cannot express."""
    found = []
    if flow.profile not in (profile, PROFILE):
        found.append(f"{path}.profile: {flow.profile}; the kernel is its own stack, {profile}")
    name, _, variant = flow.algorithm.partition(":")
    module = MODULES.get(name)
    if is_made(flow.algorithm):
        if not usermodules.is_module(flow.algorithm):
            found.append(
                f"{path}.algorithm: {name} is no C file in the kernel's dialect; of controllers from files a kernel runs those alone"
            )
    elif module is None:
        found.append(f"{path}.algorithm: no Linux kernel has {name}")
    elif variant not in ("", kernel_variant(name), *module.fixed):
        found.append(f"{path}.algorithm: the kernel's {name} is not the variant {variant}")
    else:
        unknown = [key for key, value in flow.parameters.items() if setting(name, key, value) is None]
        found += [f"{path}.parameters.{key}: {_shown(flow.parameters[key])} is no setting of the kernel's {module.name}" for key in unknown]
    lacking = [(key, value) for key, value in flow.transport.items() if not _has(name, key, value, profile)]
    found += [f"{path}.transport.{key}: {value} is no setting of the kernel" for key, value in lacking]
    most = WINDOW_BYTES_MOST // (flow.mtu_bytes - SEGMENT_HEADER_BYTES)
    if window is not None and window > most:
        field = "window_packets" if flow.window_packets is not None else "window_bytes"
        found.append(f"{path}.{field}: {getattr(flow, field)}; a TCP window holds at most {most} packets")
    return found


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def kernel_variant(name: str) -> str | None:
    """Return the variant of ours that is the kernel's own law."""
    known = catalogue().algorithms.get(name)
    return None if known is None else known.profiles.get(PROFILE)


SYSCTLS: dict[tuple[str, Any], tuple[str, int]] = {
    ("sack", False): ("net/ipv4/tcp_sack", 0),
    ("timestamps", False): ("net/ipv4/tcp_timestamps", 0),
    ("loss_detection", "rfc6675"): ("net/ipv4/tcp_recovery", 0),
    ("frto", False): ("net/ipv4/tcp_frto", 0),
    ("tlp", False): ("net/ipv4/tcp_early_retrans", 0),
    ("ecn", "classic"): ("net/ipv4/tcp_ecn", 1),
    ("ecn", "off"): ("net/ipv4/tcp_ecn", 0),
    ("idle_restart", "none"): ("net/ipv4/tcp_slow_start_after_idle", 0),
}
"""Transport options of ours as settings of a flow's own network namespace."""


def sysctls(flow: Flow) -> list[tuple[str, int]]:
    """Return the settings of a flow's network namespace: path below /proc/sys and value."""
    return [SYSCTLS[pair] for pair in flow.transport.items() if pair in SYSCTLS]


def initial_window(flow: Flow) -> int:
    """Return the initial window that a flow asks for, in packets, 0 for the kernel's own."""
    default = catalogue().profiles[PROFILE].transport["initial_window"]
    wanted = int(flow.transport.get("initial_window", default))
    return 0 if wanted == default else wanted


def _has(name: str, key: str, value: Any, profile: str) -> bool:
    default = catalogue().profiles[profile].transport.get(key)
    if (name, key, value) == ("dctcp", "ecn", "off"):
        # The module asks for it whatever the setting is.
        return False
    if key == "initial_window":
        return 1 <= int(value) <= INITIAL_WINDOW_MOST
    return value == default or (key, value) in SYSCTLS or (key, value) == ("pacing", "full")


def _contradicting(full: Scenario) -> list[str]:
    """Flows that want one module in two settings."""
    first: dict[str, tuple[str, dict[str, int]]] = {}
    found = []
    paths = [f"flows[{index}]" for index in range(len(full.flows))] + [kind.path for kind in transfers.kinds(full)]
    for path, flow in zip(paths, transfers.senders(full), strict=True):
        name, wanted = flow.algorithm.partition(":")[0], module_settings(flow)
        if wanted is None:
            continue
        other, settings = first.setdefault(name, (path, wanted))
        if settings != wanted:
            found.append(f"{path}.parameters: differ from those of {other}; the kernel has one {name}, for all flows")
    return found


def module_settings(flow: Flow) -> dict[str, int] | None:
    """Return what a flow asks of its module, by the module's parameters; None when that cannot be expressed."""
    name, _, variant = flow.algorithm.partition(":")
    if name not in MODULES:
        return None
    made = [setting(name, key, value) for key, value in flow.parameters.items()]
    if variant in MODULES[name].fixed:
        made.append(MODULES[name].fixed[variant])
    return None if None in made else dict(sorted(pair for pair in made if pair is not None))
