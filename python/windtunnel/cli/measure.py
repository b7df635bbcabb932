"""``windtunnel measure``: a path that exists, from one end or as the other."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.measure import Asked, Measurement

PORT = 5282
TOKEN = "WINDTUNNEL_TOKEN"


def measure_command(
    host: Annotated[str | None, typer.Argument(metavar="[HOST]", help="The other end, where `windtunnel measure --listen` runs.")] = None,
    listen: Annotated[bool, typer.Option("--listen", help="Be the other end, for one caller who knows the token that is printed.")] = False,
    token: Annotated[
        str | None, typer.Option(metavar="WORD", help=f"The listener's token; or in {TOKEN}.", show_default="asked for")
    ] = None,
    ssh: Annotated[
        str | None,
        typer.Option(metavar="[USER@]HOST", help="Start the listener there by ssh; ssh's options may stand here."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP and UDP port of the listener.")] = PORT,
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="Listen there alone.", show_default="every address")] = "",
    alg: Annotated[str, typer.Option(metavar="NAMES", help="Congestion controls of this machine's kernel.")] = "cubic",
    window: Annotated[str, typer.Option(metavar="SIZES", help="Window limits, as 1MiB,8MiB,auto; auto is the kernel's own.")] = "auto",
    streams: Annotated[str, typer.Option(metavar="NUMBERS", help="How many at once, as 1,16.")] = "1",
    repeat: Annotated[int, typer.Option(min=1, max=100, help="Runs of each configuration.")] = 3,
    duration: Annotated[str, typer.Option(metavar="TIME", help="How long a run sends.")] = "60s",
    udp_sine: Annotated[
        bool, typer.Option("--udp-sine", help="Also beside datagrams that swing between 5 and 20 % of the path's rate.")
    ] = False,
    reverse: Annotated[bool, typer.Option("--reverse", help="Also beside 16 streams from the other side.")] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Also two transfers at once, each algorithm with each: their asymmetry.")] = False,
    ping: Annotated[bool, typer.Option("--ping", help="Ask for an echo ten times a second meanwhile: ICMP, or datagrams.")] = False,
    seed: Annotated[int, typer.Option(help="Of the order of the runs.")] = 1,
    volume: Annotated[str, typer.Option(metavar="SIZE", help="Ask before more than this is sent.")] = "1GB",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Results: a new or empty folder.")] = Path("results/measure"),
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Draw the study's figures into the folder.")] = True,
    limit: Annotated[str, typer.Option(metavar="SIZE", help="The listener sends and receives no more in all.")] = "100GB",
    within: Annotated[str, typer.Option("--for", metavar="TIME", help="The listener ends after so long.")] = "2h",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure a path between this machine and another: throughput, round-trip times, loss, processor time, and what limits them.

    On the other machine run `windtunnel measure --listen` first; it prints a token. Both stop by themselves.
    """
    from windtunnel.scenario import ScenarioError

    with stoppable("what was measured is kept"):
        if listen:
            if host is not None:
                raise ScenarioError("host", f"{host!r} and --listen are both given; allowed: one of them")
            _listen(address, port, _quantity("for", within, "s"), int(_quantity("limit", limit, "bytes")))
            return
        if host is None:
            raise ScenarioError("host", "is missing; allowed: the other end, or --listen")
        from windtunnel.cli.grids import algorithms
        from windtunnel.measure import Asked

        asked = Asked(
            algorithms(alg) or (),
            [None if one.strip() == "auto" else int(_quantity("window", one.strip(), "bytes")) for one in window.split(",")],
            [_whole("streams", one) for one in streams.split(",")],
            repeat,
            _quantity("duration", duration, "s"),
            udp_sine,
            reverse,
            pairs,
            ping,
            seed,
        )
        asked.check()
        target = _Target(host, port, token, out, _quantity("volume", volume, "bytes"), yes)
        if ssh is None:
            _measure(target, asked, figures=figures, as_json=json)
            return
        if token is not None:
            raise ScenarioError("token", "is given, and --ssh starts a listener with a token of its own; allowed: one of them")
        _check_out(out)
        from windtunnel.measure.remote import Remote

        with Remote(ssh, port, _quantity("for", within, "s"), int(_quantity("limit", limit, "bytes"))) as there:
            target = replace(target, port=int(there.port), token=there.token)
            _measure(target, asked, figures=figures, as_json=json, clock=there.clock)


@dataclass(frozen=True)
class _Target:
    """Where to, with which token, into which folder; what may be sent without a question."""

    host: str
    port: int
    token: str | None
    out: Path
    volume: float
    yes: bool


def _quantity(option: str, text: str, unit: str) -> float:
    from windtunnel.scenario import ScenarioError
    from windtunnel.scenario.units import EXAMPLES, parse

    try:
        value = parse(text, unit)
    except ValueError as error:
        raise ScenarioError(option, f"{text!r}: {error}; allowed: as {EXAMPLES[unit]}") from None
    if value <= 0:
        raise ScenarioError(option, f"{text!r}; allowed: above 0")
    return value


def _whole(option: str, text: str) -> int:
    from windtunnel.scenario import ScenarioError

    try:
        return int(text)
    except ValueError:
        raise ScenarioError(option, f"{text!r} is no whole number; allowed: as 1,16") from None


def _listen(address: str, port: int, seconds: float, most_bytes: int) -> None:
    from windtunnel.measure import MeasureError
    from windtunnel.wire.channel import ChannelError
    from windtunnel.wire.listener import Bounds, Listener

    try:
        made = Listener(address, port, Bounds(seconds, most_bytes), lambda line: print(line, flush=True))
    except OSError as error:
        raise MeasureError(f"port {port} cannot be listened on ({error.strerror or error})") from None
    print(f"token {made.token} port {made.port}", flush=True)
    try:
        made.serve()
    except ChannelError as error:
        raise MeasureError(str(error)) from None


def _check_out(out: Path) -> None:
    from windtunnel.scenario import ScenarioError

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ScenarioError("out", f"{out} is there; allowed: a new or empty folder")


def _measure(target: _Target, asked: Asked, *, figures: bool, as_json: bool, clock: dict[str, float] | None = None) -> None:
    from windtunnel.cli.output import note, print_json
    from windtunnel.measure import MeasureError, Measurement, as_data
    from windtunnel.scenario import ScenarioError
    from windtunnel.wire.caller import Caller
    from windtunnel.wire.channel import ChannelError

    _check_out(target.out)
    word = target.token or os.environ.get(TOKEN) or (_asked_for() if sys.stdin.isatty() else None)
    if not word:
        raise ScenarioError("token", f"is missing; allowed: what the listener printed, with --token or in {TOKEN}")
    try:
        caller = Caller(target.host, target.port, word)
    except ChannelError as error:
        raise MeasureError(str(error)) from None
    try:
        measurement = Measurement(asked, caller, target.out, target.host, clock=clock)
        agreed = _agreed(measurement, target)
        target.out.mkdir(parents=True, exist_ok=True)
        measurement.run(agreed, lambda line: print(line, file=sys.stderr, flush=True))
    except (ChannelError, OSError) as error:
        raise MeasureError(str(getattr(error, "strerror", None) or error)) from None
    finally:
        caller.close()
    if figures:
        from windtunnel.measure.figures import draw

        draw(target.out, measurement.rows)
    if as_json:
        print_json({"folder": str(target.out), "ended": measurement.ended, "runs": measurement.rows, "tables": as_data(measurement.rows)})
    else:
        _print(measurement.rows)
        print(f"results: {target.out}")
    if measurement.ended is not None:
        note(f"it ended early, {measurement.ended}")


def _asked_for() -> str:
    answer: str = typer.prompt("token", hide_input=True)
    return answer.strip()


def _agreed(measurement: Measurement, target: _Target) -> float:
    """Return the volume that is agreed to, bytes: asked for where it is more than was allowed beforehand."""
    from windtunnel.measure import MeasureError, volume_words

    volume, seconds = measurement.estimate()
    rate = measurement.probe["rate_bps"] / 1e6
    planned = f"about {volume_words(volume)} in {seconds / 60:.3g} min, by a probe that carried {rate:.4g} Mbit/s"
    print(planned, file=sys.stderr)
    if volume > target.volume and not target.yes:
        if not sys.stdin.isatty():
            raise MeasureError(f"it would send {planned}, more than --volume {volume_words(target.volume)}; --yes agrees")
        typer.confirm("Send that?", abort=True, err=True)
    return max(volume, min(target.volume, 2 * volume))


def _print(rows: list[dict[str, Any]]) -> None:
    from windtunnel.cli.output import note, print_table
    from windtunnel.measure import KEYS, TABLES, as_data
    from windtunnel.report import text

    headings = {table.title: dict(table.figures) for table in TABLES}
    for table in as_data(rows):
        named = headings[table["title"]]
        shown = [name for name in named if any(line[name] is not None for line in table["rows"])]
        lines = [(*(line[key] for key in KEYS), *(_cell(text, line[name]) for name in shown)) for line in table["rows"]]
        print_table(f"{table['title']} ({table['source']} of the study of 2003)", [*KEYS, *(named[name] for name in shown)], lines)
    for row in rows:
        if row["limits"]:
            note(f"{row['name']}: {'; '.join(row['limits'])}")


def _cell(text: Any, value: dict[str, Any] | None) -> str | None:
    if value is None:
        return None
    if value["sem"] is None:
        return str(text.number(value["mean"], digits=4))
    return str(text.mean_and_error(value["mean"], value["sem"]))
