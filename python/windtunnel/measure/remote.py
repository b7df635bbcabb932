"""The listener on another machine by SSH: nothing is installed there, nothing is written there, and it ends with the connection.

The other machine needs ``python3`` alone. The sources of `windtunnel.wire` go over the connection and are run from memory; when the
connection ends, however it does, its standard input ends, and it with it.
"""

from __future__ import annotations

import contextlib
import json
import select
import shlex
import shutil
import subprocess
import time
from importlib.resources import files
from types import TracebackType

from windtunnel.measure.errors import MeasureError

SENT = (
    *("live", "live.counters", "live.netlink", "live.namespaces"),
    *("wire", "wire.channel", "wire.datagrams", "wire.machine", "wire.pings", "wire.streams", "wire.party", "wire.listener"),
)
"""Modules of the package that the other machine runs, each behind those that it needs."""
LEAST_PYTHON = (3, 10)
ANSWER_S = 30.0
CLOCK_LOOKS = 5
OPTIONS = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3")
BOOT = f"""
import sys
if sys.version_info < {LEAST_PYTHON}:
    print("python", ".".join(map(str, sys.version_info[:3])), flush=True); sys.exit(1)
import json, os, threading, time, types
print("ready", flush=True)
package = sys.modules["windtunnel"] = types.ModuleType("windtunnel")
package.__path__ = []
for name, source in json.loads(sys.stdin.readline()):
    one = sys.modules["windtunnel." + name] = types.ModuleType("windtunnel." + name)
    one.__path__ = []
    exec(compile(source, name, "exec"), one.__dict__)
    above, _, last = ("windtunnel." + name).rpartition(".")
    setattr(sys.modules[above], last, one)
def follow():
    for line in sys.stdin:
        print(time.time_ns(), flush=True)
    os._exit(1)
listener = sys.modules["windtunnel.wire.listener"]
threading.Thread(target=follow, daemon=True).start()
code = listener.command(sys.argv[1:])
sys.stdout.flush()
os._exit(code)
"""


class Remote:
    """A listener on another machine, for as long as this is open.

    Parameters
    ----------
    target : str
        What ``ssh`` is called with: a name, an address, options.
    port : int
        The listener's, 0 for any.
    seconds, most_bytes : float, int
        Its bounds.

    Raises
    ------
    MeasureError
        When ssh or the other machine's Python is missing, or it does not answer; one line.
    """

    def __init__(self, target: str, port: int, seconds: float, most_bytes: int) -> None:
        if shutil.which("ssh") is None:
            raise MeasureError("ssh is not installed (Debian: apt-get install openssh-client)")
        asked = f"exec python3 -c {shlex.quote(BOOT)} '' {port} {seconds:.0f} {most_bytes}"
        self._process = subprocess.Popen(
            ["ssh", *OPTIONS, *shlex.split(target), asked],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._target = target
        try:
            words = self._line().split()
            if words[:1] == ["python"]:
                least = ".".join(map(str, LEAST_PYTHON))
                raise MeasureError(f"python3 of {target} is {words[1]}; {least} or newer is needed")
            sources = [(name, _source(name)) for name in SENT]
            self._say(json.dumps(sources))
            _, self.token, _, self.port = self._line().split()
            self.clock = self._clock()
        except BaseException:
            self.close()
            raise

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        if select.select([self._process.stdout], [], [], ANSWER_S)[0]:
            line = self._process.stdout.readline()
            if line:
                return line.strip()
            self._process.wait(timeout=ANSWER_S)
            assert self._process.stderr is not None
            said = self._process.stderr.read().strip().splitlines()
            raise MeasureError(f"ssh {self._target}: {said[-1] if said else f'ended with code {self._process.returncode}'}")
        raise MeasureError(f"ssh {self._target} did not answer within {ANSWER_S:g} s")

    def _clock(self) -> dict[str, float]:
        """Return by how much the other clock is ahead, seconds, and how far that may be wrong: half of the quickest answer's time."""
        found = []
        for _ in range(CLOCK_LOOKS):
            asked = time.time_ns()
            self._say("clock")
            theirs, came = int(self._line()), time.time_ns()
            found.append(((came - asked) / 2, theirs - (asked + came) / 2))
        within, ahead = min(found)
        return {"ahead_s": ahead * 1e-9, "within_s": within * 1e-9}

    def close(self) -> None:
        """End it: the other machine's part ends with the connection."""
        for one in (self._process.stdin, self._process.stdout, self._process.stderr):
            if one is not None:
                with contextlib.suppress(OSError):
                    one.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Remote:
        """Return it."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End it."""
        self.close()


def _source(name: str) -> str:
    """Return a module's text, of a package that of its first file."""
    *above, last = name.split(".")
    place = files("windtunnel").joinpath(*above)
    package = place.joinpath(last).joinpath("__init__.py")
    return (package if package.is_file() else place.joinpath(f"{last}.py")).read_text(encoding="utf-8")
