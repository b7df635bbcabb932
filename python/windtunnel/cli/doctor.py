"""``windtunnel doctor``: is this installation sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer


def doctor_command(json: Annotated[bool, typer.Option("--json", help="Print a JSON list of checks.")] = False) -> None:
    """Check the installation: versions, native core, determinism, speed. Exit code 1 if a check fails."""
    from windtunnel.cli.output import print_json, print_table

    checks: list[tuple[str, Callable[[], str]]] = [
        ("python", _python),
        ("packages", _packages),
        ("native core", _core),
        ("catalogue", _catalogue),
        ("determinism", _determinism),
        ("speed", _speed),
        ("folder", _folder),
        ("cores", _cores),
    ]
    results = [_result(name, check) for name, check in checks]
    if json:
        print_json(results)
    else:
        print_table("Doctor", ["check", "ok", "detail"], [(r["check"], r["ok"], r["detail"]) for r in results])
    if not all(result["ok"] for result in results):
        raise typer.Exit(1)


def _result(name: str, check: Callable[[], str]) -> dict[str, Any]:
    try:
        return {"check": name, "ok": True, "detail": check()}
    except Exception as error:
        return {"check": name, "ok": False, "detail": f"{type(error).__name__}: {' '.join(str(error).split())}"}


def _python() -> str:
    import platform

    major, minor = (int(part) for part in platform.python_version_tuple()[:2])
    if (major, minor) < (3, 10):
        raise RuntimeError(f"Python {platform.python_version()}; 3.10 or newer is needed")
    return f"{platform.python_implementation()} {platform.python_version()}"


def _packages() -> str:
    from importlib.metadata import version

    from windtunnel.extras import BROUGHT_BY, is_installed

    there = [name for name in BROUGHT_BY if is_installed(name)]
    lacking = [name for name in BROUGHT_BY if name not in there]
    found = ", ".join(f"{name} {version(name)}" for name in ("pydantic", "typer", "rich", "numpy", *there))
    return found if not lacking else f"{found}; without {', '.join(lacking)}, which windtunnel[report] brings"


def _core() -> str:
    from windtunnel.backends import sim

    return f"engine version {sim.engine_version()}"


def _catalogue() -> str:
    import json as json_module

    from windtunnel.backends import sim
    from windtunnel.scenario import catalogue
    from windtunnel.scenario.catalogue import from_json

    known = catalogue()
    if from_json(json_module.dumps(json_module.loads(sim.catalogue_json()))) != known:
        raise RuntimeError("the shipped catalogue differs from the engine's; reinstall, or run: python -m windtunnel.backends.catalogue")
    return f"{len(known.algorithms)} algorithms, {len(known.profiles)} profiles"


def _tiny(duration: str) -> Any:
    from windtunnel.scenario import parse

    bottleneck = {"rate": "100Mbit", "queue": "50%bdp"}
    return parse({"rtt": "20ms", "duration": duration, "sample": "100ms", "bottleneck": bottleneck, "flows": ["reno", "reno,start=0.5s"]})


def _determinism() -> str:
    from windtunnel.backends.sim import Simulator

    first, second = (Simulator().run(_tiny("2s")).digest() for _ in range(2))
    if first != second:
        raise RuntimeError(f"two runs of one scenario differ: {first[:12]}, {second[:12]}")
    return f"two runs agree: {first[:12]}"


def _speed() -> str:
    from windtunnel.backends.sim import Simulator

    counters = Simulator().run(_tiny("20s")).facts.counters
    packets = int(counters["data_packets"])
    if packets <= 0:
        raise RuntimeError("no packet was delivered")
    return f"{float(counters['cpu_s']) / packets * 1e9:.1f} ns of CPU per data packet ({packets} packets)"


def _folder() -> str:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryFile(dir=Path.cwd()):
        return f"{Path.cwd()} is writable"


def _cores() -> str:
    import os

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{usable} usable"
