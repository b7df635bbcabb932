"""``windtunnel run``: one scenario, its tables, its records, its figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.output import stoppable
from windtunnel.cli.trust import trusting

if TYPE_CHECKING:
    from windtunnel.cli.files import Files
    from windtunnel.scenario import Scenario


def run_command(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Scenario file (TOML or JSON); options prevail.")] = None,
    rate: Annotated[str | None, typer.Option(metavar="RATE", help="Bottleneck rate, as 250Mbit.")] = None,
    rtt: Annotated[str | None, typer.Option(metavar="TIME", help="Base round-trip time of flows that name none, as 42ms.")] = None,
    queue: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Queue: 175 (packets), 20%bdp, 50ms, 256kB.", show_default="100%bdp")
    ] = None,
    mark: Annotated[str | None, typer.Option(metavar="SIZE", help="Mark ECN-capable packets from this queue on, as 65.")] = None,
    aqm: Annotated[str | None, typer.Option(metavar="NAME[,KEY=VALUE...]", help="Queue discipline, as codel,target=5ms.")] = None,
    flow: Annotated[list[str] | None, typer.Option(metavar="ALG[:VARIANT][,KEY=VALUE...]", help="A flow; repeat for more.")] = None,
    arrivals: Annotated[
        list[str] | None,
        typer.Option(metavar="ALG,load=SHARE,mean=SIZE[,KEY=VALUE...]", help="Transfers that come and go, Poisson; repeat for more."),
    ] = None,
    sessions: Annotated[
        list[str] | None, typer.Option(metavar="ALG,count=N[,KEY=VALUE...]", help="People who look at pages and think; repeat for more.")
    ] = None,
    udp: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE,...", help="A source of datagrams, as rate=50Mbit,start=10s.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="Length of the run, at most 4h.", show_default="60s")] = None,
    warmup: Annotated[str | None, typer.Option(metavar="TIME", help="First part left out of every mean.", show_default="0s")] = None,
    seed: Annotated[str | None, typer.Option(metavar="N", help="Seed of every random draw.", show_default="1")] = None,
    hop: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE,...", help="A link behind it, rate=..,queue=..,delay=..; repeat for more.")
    ] = None,
    loss: Annotated[
        list[str] | None, typer.Option(metavar="P|MODEL,...", help="Loss: 1e-4, or periodic,every=5000; repeat for more.")
    ] = None,
    reverse_rate: Annotated[str | None, typer.Option(metavar="RATE", help="A reverse link of this rate.")] = None,
    reverse_queue: Annotated[str | None, typer.Option(metavar="SIZE", help="Its queue.", show_default="100%bdp")] = None,
    reverse_aqm: Annotated[str | None, typer.Option(metavar="NAME[,KEY=VALUE...]", help="Its queue discipline, as ack-filter.")] = None,
    reverse_loss: Annotated[list[str] | None, typer.Option(metavar="P|MODEL,...", help="Loss on it: of ACKs, and of reverse data.")] = None,
    rate_step: Annotated[list[str] | None, typer.Option(metavar="AT=RATE", help="A new rate from then on; repeat for more.")] = None,
    outage: Annotated[
        list[str] | None, typer.Option(metavar="AT=TIME", help="Nothing is transmitted for this long; repeat for more.")
    ] = None,
    delay_step: Annotated[list[str] | None, typer.Option(metavar="AT=TIME", help="Delay besides the RTT from then on.")] = None,
    queue_step: Annotated[list[str] | None, typer.Option(metavar="AT=SIZE", help="A new size of the queue from then on.")] = None,
    trace: Annotated[str | None, typer.Option(metavar="FILE", help="Deliveries in mahimahi's format, in place of a rate.")] = None,
    reorder: Annotated[str | None, typer.Option(metavar="P", help="Probability that data arrives late, out of order.")] = None,
    reorder_by: Annotated[str | None, typer.Option(metavar="TIME", help="How late, with --reorder.")] = None,
    duplicate: Annotated[str | None, typer.Option(metavar="P", help="Probability that data arrives twice.")] = None,
    host: Annotated[str | None, typer.Option(metavar="KEY=VALUE,...", help="The senders' host, as nic=1Gbit,txqueuelen=100.")] = None,
    jitter: Annotated[
        str | None, typer.Option(metavar="TIME", help="Largest ACK delay.", show_default="a packet time, or 1 % of RTT")
    ] = None,
    sample: Annotated[str | None, typer.Option(metavar="TIME", help="Sampling interval, 0 for none.", show_default="10ms")] = None,
    profile: Annotated[str | None, typer.Option(metavar="NAME", help="Stack profile.", show_default="linux-6.1")] = None,
    handshake: Annotated[
        str | None, typer.Option(metavar="true|false", help="Connections begin with a handshake.", show_default="transfers only")
    ] = None,
    backend: Annotated[
        str, typer.Option(metavar="NAME", help="What runs it: sim, linux (a built kernel), live (this machine's), or live:HOSTS.")
    ] = "sim",
    per_ack: Annotated[bool, typer.Option("--per-ack", help="Record every ACK.")] = False,
    drops: Annotated[bool, typer.Option("--drops", help="Record every drop as an event.")] = False,
    marks: Annotated[bool, typer.Option("--marks", help="Record every congestion mark as an event.")] = False,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="Write the run's folder here, whole or not at all.")] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Samples go to DIR as they come: for runs larger than memory.")] = False,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Draw the overview: .svg, .pdf or .png.")] = None,
    deliveries: Annotated[str | None, typer.Option(metavar="FILE", help="Write what the first link delivered as a trace.")] = None,
    qlog: Annotated[str | None, typer.Option(metavar="FILE", help="Write each flow as qlog; of several, FILE and their numbers.")] = None,
    pcap: Annotated[str | None, typer.Option(metavar="FILE", help="Write packets as pcapng: headers of TCP, datagrams of stacks.")] = None,
    pcap_at: Annotated[
        str | None, typer.Option(metavar="PLACE,...", help="Where: sender, bottleneck, receiver.", show_default="sender")
    ] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Build and run code that a scenario file names from elsewhere.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run a scenario: in the simulator, on a built Linux kernel, or on the kernel of this machine.

    Flow keys: rtt, start, stop, bytes, count, window, profile, direction, mtu, handshake, jitter, enter and leave (hops); on and off,
    app_rate and chunk, or video, video_min and frame; response, request, think (laws, or a size or time) and requests, of a client that
    asks; rcvbuf, rcvbuf_max, read_rate, read_every, read_on and read_off, of a receiver that may be full; application (a number that its
    connections share); those of its host; transport options, and the algorithm's own parameters (see: windtunnel algorithms NAME).
    Keys of --udp: rate, amplitude and period, packet, start, stop, direction, enter and leave.

    Keys of arrivals: load or rate (transfers per second), sizes (pareto, exponential, fixed), mean, shape, max, rtt (one, or several as
    30ms+60ms), start, stop, window, profile, direction, handshake, enter, leave; of sessions: count, think, objects and sizes (laws, as
    pareto:15kB:1.2), connections (objects at once), and the same from max on. Both take the keys of a host, transport
    options and the algorithm's parameters.

    ALG may be a file: a controller in the kernel's dialect of C (./mine.c), a library (./libmine.so), or a class in Python
    (./mine.py, or ./mine.py:Mine).
    """
    top = {"rtt": rtt, "duration": duration, "warmup": warmup, "seed": seed, "sample": sample, "jitter": jitter, "profile": profile}
    top |= {"host": host, "handshake": handshake}
    disorder = {"reorder": reorder, "reorder_by": reorder_by, "duplicate": duplicate}
    service = {"rate": rate, "queue": queue, "mark": mark, "discipline": aqm, "trace": trace and str(Path(trace).absolute())}
    changes = {"rate_steps": rate_step, "outages": outage, "delay_steps": delay_step, "queue_steps": queue_step}
    links = {
        "bottleneck": link_table(service | disorder, loss or []) | {key: value for key, value in changes.items() if value},
        "reverse": link_table({"rate": reverse_rate, "queue": reverse_queue, "discipline": reverse_aqm}, reverse_loss or []),
    }
    traffic = [f"udp,{source}" for source in udp or []]
    lists = {"flows": flow, "hops": hop, "arrivals": arrivals, "sessions": sessions, "traffic": traffic}
    scenario = trusting(lambda trusted: _scenario(file, top, links, lists, trust=trusted), trust)
    asked = {"per_ack": per_ack, "record_drops": drops, "record_marks": marks}
    scenario = scenario.model_copy(update={field: True for field, wanted in asked.items() if wanted})
    with stoppable():
        from windtunnel.cli import files

        _run(scenario, backend, files.Files(out, plot, deliveries, qlog, pcap, pcap_at, stream), as_json=json)


def link_table(fields: dict[str, str | None], losses: list[str]) -> dict[str, Any]:
    """Return a link's options as its table; a loss without a model is a probability."""
    table: dict[str, Any] = {key: value for key, value in fields.items() if value is not None}
    models = [loss for loss in losses if loss[:1].isalpha()]
    probabilities = [loss for loss in losses if not loss[:1].isalpha()]
    if len(probabilities) > 1:
        from windtunnel.scenario import ScenarioError

        raise ScenarioError("loss", f"{' and '.join(probabilities)} are all given; allowed: one probability, and models")
    return table | ({"loss": probabilities[0]} if probabilities else {}) | ({"losses": models} if models else {})


def _scenario(
    file: str | None, top: dict[str, str | None], links: dict[str, dict[str, Any]], lists: dict[str, list[str] | None], *, trust: bool
) -> Scenario:
    from windtunnel.scenario import ScenarioError, parse
    from windtunnel.scenario.controllers import with_files
    from windtunnel.scenario.files import read_document, with_traces
    from windtunnel.scenario.links import Bottleneck
    from windtunnel.scenario.models import Scenario as Model
    from windtunnel.scenario.sizes import MARK_FIELDS, QUEUE_FIELDS

    document: dict[str, Any] = {}
    if file is not None:
        document = {key: value for key, value in read_document(Path(file)).items() if not lists.get(key)}
        document = with_files(document, Path(file).parent, name=file, trust=trust)
    for key, value in top.items():
        if value is not None:
            document.pop(Model.SHORT.get(key, key), None)
            document[key] = value
    for name, given in links.items():
        table = document.get(name, {})
        if given and isinstance(table, dict):
            sizes = {"queue": QUEUE_FIELDS, "mark": MARK_FIELDS, "trace": ("trace_ms",), "discipline": ("discipline_parameters",)}
            replaced = {Bottleneck.SHORT.get(key, key) for key in given} | {name for key in given for name in sizes.get(key, ())}
            document[name] = {key: value for key, value in table.items() if key not in replaced} | given
    document |= {name: given for name, given in lists.items() if given}
    if file is None:
        if not {"rate", "trace"} & set(links["bottleneck"]):
            raise ScenarioError("rate", "is missing; give --rate, for example --rate 250Mbit, or a scenario file")
        if not any(lists[name] for name in ("flows", "arrivals", "sessions")):
            raise ScenarioError("flow", "is missing; give at least one --flow, for example --flow cubic, or --arrivals, or a scenario file")
    return parse(with_traces(document, Path(file).parent if file else Path()), name=file or "")


def _run(scenario: Scenario, backend: str, files: Files, *, as_json: bool) -> None:
    from windtunnel import backends
    from windtunnel.backends.estimate import announced
    from windtunnel.cli.output import note, print_json
    from windtunnel.cli.tables import print_run

    chosen = backends.backend(backend)
    files.check(scenario, chosen)
    for line in announced([scenario]) if chosen.name == "sim" and not files.stream else ():
        note(line)
    summary = files.run(scenario, chosen, quiet=as_json).summary
    if as_json:
        print_json(summary)
    else:
        print_run(summary)
