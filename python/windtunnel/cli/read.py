"""``windtunnel read``: what a capture of TCP says, with how each figure was estimated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from windtunnel.captured import Trace

_WHAT = ("rate", "rtt", "window", "retransmissions", "loss_episodes", "timeouts")


def read_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The capture: pcap or pcapng.")],
    interface: Annotated[
        str | None, typer.Option(metavar="NAME", help="Interface of the capture, by name or number.", show_default="first with TCP")
    ] = None,
    sample: Annotated[str | None, typer.Option(metavar="TIME", help="From one sample to the next.", show_default="10ms")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Draw window, goodput, RTT, losses: .svg, .pdf or .png.")] = None,
    deliveries: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write what the path delivered as a trace for --trace (mahimahi's format).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read a capture of TCP from anywhere: rate, RTT, estimated window and losses of each flow, each with how it was estimated.

    A flow is one direction of a connection that has data. Ethernet, Linux's cooked captures, loopback and raw IP are read, with IPv4 and
    IPv6. Exit code 2 when the file is no capture, is cut off or holds no data of TCP.
    """
    from windtunnel.captured import DELIVERIES_S, SAMPLE_S, read_capture
    from windtunnel.cli.output import note, print_json
    from windtunnel.scenario import traces
    from windtunnel.scenario.units import parse

    if plot is not None:
        from windtunnel.extras import need
        from windtunnel.run import DRAWN_BY

        need("figures need", *DRAWN_BY)
        from windtunnel.plots import check_target

        check_target(Path(plot))
    usual_s = SAMPLE_S if deliveries is None else DELIVERIES_S
    trace = read_capture(file, interface=interface, sample_s=usual_s if sample is None else parse(sample, "s"))
    for line in trace.notes:
        note(line)
    if plot is not None:
        trace.overview(plot)
    if deliveries is not None:
        traces.write(trace.deliveries_ms(), deliveries)
    if json:
        print_json({"file": trace.file, **trace.figures, "metrics_of": "the whole capture"})
    else:
        _print(trace)


def _print(trace: Trace) -> None:
    from windtunnel.cli.output import print_table

    flows = trace.figures["flows"]
    heads = ["flow", "from", "to", "throughput (Mbit/s)", "goodput (Mbit/s)", "packets", "sent again", "episodes", "timeouts"]
    rows = [(number, *_row(flow)) for number, flow in enumerate(flows, 1)]
    print_table("Flows", [*heads, "mean RTT (ms)", "least RTT (ms)"], rows, is_cut=True)
    how: dict[tuple[str, str], list[str]] = {}
    for number, flow in enumerate(flows, 1):
        for what in _WHAT:
            how.setdefault((what, flow["how"][what]), []).append(str(number))
    every_flow = len(flows)
    said = [(what, "all" if len(numbers) == every_flow else ", ".join(numbers), text) for (what, text), numbers in how.items()]
    said.sort(key=lambda row: _WHAT.index(row[0]))
    print_table("How it was estimated", ["figure", "flows", "how"], said, is_cut=True)


def _row(flow: dict[str, Any]) -> tuple[Any, ...]:
    scaled = [None if flow[name] is None else flow[name] * factor for name, factor in _SCALED]
    return (
        flow["from"],
        flow["to"],
        *scaled[:2],
        flow["sent_packets"],
        flow["retransmitted_packets"],
        flow["loss_episodes"],
        flow["timeouts"],
        *scaled[2:],
    )


_SCALED = (("throughput_bps", 1e-6), ("goodput_bps", 1e-6), ("mean_rtt_s", 1e3), ("min_rtt_s", 1e3))
