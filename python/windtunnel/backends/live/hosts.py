"""A file that names the hosts of a scenario: who routes, and of each flow who sends and who receives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel.backends.live.errors import LiveError
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.files import read_document

TRAFFIC = ("own", "iperf3")


@dataclass(frozen=True)
class End:
    """An end of a flow.

    Parameters
    ----------
    ssh : str or None
        What ``ssh`` is called with; None for this machine.
    device : str
        Of the host, towards the router.
    router_device : str
        Of the router, towards the host.
    """

    ssh: str | None
    device: str
    router_device: str


@dataclass(frozen=True)
class Hosts:
    """What the file says.

    Parameters
    ----------
    file : str
        Its name.
    router_ssh : str or None
        Who routes; None for this machine.
    router_python : str or None
        The router's Python that has this package; None for this command's own.
    pairs : tuple of (End, End)
        Sender and receiver of the first flow, the second, and so on; after the last comes the first again.
    traffic : str
        One of `TRAFFIC`.
    """

    file: str
    router_ssh: str | None
    router_python: str | None
    pairs: tuple[tuple[End, End], ...]
    traffic: str

    def pair(self, flow: int) -> tuple[End, End]:
        """Return where a flow's ends are."""
        return self.pairs[flow % len(self.pairs)]

    @property
    def targets(self) -> tuple[str | None, ...]:
        """Return who sends or receives, each once."""
        return tuple(dict.fromkeys(end.ssh for pair in self.pairs for end in pair))


def read(file: str) -> Hosts:
    """Read a file of hosts.

    Raises
    ------
    LiveError
        When it cannot be read, or does not say what it has to; a line with the field.
    """
    try:
        given = read_document(Path(file))
    except ScenarioError as error:
        raise LiveError(f"hosts: {error}") from None
    _known(file, "", given, {"traffic", "router", "pairs"})
    traffic = given.get("traffic", "own")
    if traffic not in TRAFFIC:
        raise LiveError(f"{file}: traffic: {traffic!r} is none; allowed: {', '.join(TRAFFIC)}")
    router, pairs = given.get("router", {}), given.get("pairs", [])
    if not isinstance(router, dict):
        raise LiveError(f"{file}: router: it is no table; allowed: [router] with ssh and python")
    _known(file, "router.", router, {"ssh", "python"})
    if not isinstance(pairs, list) or not pairs:
        raise LiveError(f"{file}: pairs: there are none; allowed: [[pairs]] with sender and receiver, at least one")
    made = Hosts(
        file,
        _text(file, "router.ssh", router.get("ssh"), optional=True),
        _text(file, "router.python", router.get("python"), optional=True),
        tuple(_pair(file, f"pairs[{index}]", pair) for index, pair in enumerate(pairs)),
        traffic,
    )
    if made.router_ssh in made.targets:
        who = "this machine" if made.router_ssh is None else made.router_ssh
        raise LiveError(f"{file}: {who} routes and is an end of a flow; allowed: a router of its own")
    if made.router_ssh is not None and made.router_python is None:
        raise LiveError(f"{file}: router.python: is missing; allowed: the path of a Python there that has this package")
    return made


def _pair(file: str, where: str, given: Any) -> tuple[End, End]:
    if not isinstance(given, dict):
        raise LiveError(f"{file}: {where}: it is no table; allowed: sender and receiver")
    _known(file, f"{where}.", given, {"sender", "receiver"})
    return _end(file, f"{where}.sender", given.get("sender")), _end(file, f"{where}.receiver", given.get("receiver"))


def _end(file: str, where: str, given: Any) -> End:
    if not isinstance(given, dict):
        raise LiveError(f"{file}: {where}: is missing; allowed: a table with ssh, device and router_device")
    _known(file, f"{where}.", given, {"ssh", "device", "router_device"})
    ssh = _text(file, f"{where}.ssh", given.get("ssh"), optional=True)
    device, router_device = (str(_text(file, f"{where}.{name}", given.get(name))) for name in ("device", "router_device"))
    return End(ssh, device, router_device)


def _known(file: str, where: str, given: dict[str, Any], names: set[str]) -> None:
    for name in given:
        if name not in names:
            raise LiveError(f"{file}: {where}{name}: is not known; allowed: {', '.join(sorted(names))}")


def _text(file: str, where: str, given: Any, *, optional: bool = False) -> str | None:
    if given is None and optional:
        return None
    if not isinstance(given, str) or not given:
        raise LiveError(f"{file}: {where}: {'is missing' if given is None else f'{given!r} is no text'}; allowed: a text")
    return given
