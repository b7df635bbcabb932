"""A program of the package on another machine by SSH: nothing is installed or written there, and it ends with the connection.

The other machine needs ``python3`` alone. The sources that the program needs go over the connection and are run from memory; when the
connection ends, however it does, its standard input ends, by which it knows.
"""

from __future__ import annotations

import contextlib
import json
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from types import TracebackType

LEAST_PYTHON = (3, 10)
ANSWER_S = 30.0
OPTIONS = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3")
BOOT = f"""
import sys
if sys.version_info < {LEAST_PYTHON}:
    print("python", ".".join(map(str, sys.version_info[:3])), flush=True); sys.exit(1)
import json, types
print("ready", flush=True)
package = sys.modules["windtunnel"] = types.ModuleType("windtunnel")
package.__path__ = []
for name, source in json.loads(open(0, "rb", buffering=0, closefd=False).readline()):
    one = sys.modules["windtunnel." + name] = types.ModuleType("windtunnel." + name)
    one.__path__ = []
    exec(compile(source, name, "exec"), one.__dict__)
    above, _, last = ("windtunnel." + name).rpartition(".")
    setattr(sys.modules[above], last, one)
sys.modules["windtunnel." + sys.argv[1]].away(sys.argv[2:])
"""


class Away:
    """A program on another machine, or on this one, for as long as this is open: lines go to it, and lines come back.

    Parameters
    ----------
    target : str or None
        What ``ssh`` is called with: a name, an address, options; None for this machine.
    modules : sequence of str
        Modules of the package, each behind those that it needs, the last the program's: it has a function ``away`` that takes `arguments`.
    arguments : sequence of str
        Of the program.
    python : str, optional
        A Python there that has the package: modules are imported then, and none is sent.
    fails : type of Exception
        Raised with a line when ssh or the other machine's Python is missing, or it does not answer.
    """

    def __init__(
        self,
        target: str | None,
        modules: Sequence[str],
        arguments: Sequence[str] = (),
        *,
        python: str | None = None,
        fails: type[Exception] = RuntimeError,
    ) -> None:
        self._fails, self._modules = fails, modules
        self.called = "this machine" if target is None else f"ssh {target}"
        if target is not None and shutil.which("ssh") is None:
            raise fails("ssh is not installed (Debian: apt-get install openssh-client)")
        boot = (
            BOOT
            if python is None
            else f"import sys; print('ready', flush=True); import windtunnel.{modules[-1]} as one; one.away(sys.argv[2:])"
        )
        words = [python or ("python3" if target else sys.executable), "-c", boot, modules[-1], *arguments]
        self._process = subprocess.Popen(
            words if target is None else ["ssh", *OPTIONS, *shlex.split(target), f"exec {shlex.join(words)}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._rest = b""
        self._is_installed = python is not None

    def greet(self) -> None:
        """Wait until it is there, and send what it needs."""
        words = self.line().split()
        if words[:1] == ["python"]:
            least = ".".join(map(str, LEAST_PYTHON))
            raise self._fails(f"python3 of {self.called.removeprefix('ssh ')} is {words[1]}; {least} or newer is needed")
        if not self._is_installed:
            self.say(json.dumps([(name, _source(name)) for name in self._modules]))

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when it says something, or ends."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def say(self, line: str) -> None:
        """Send a line; that it has gone shows when it is to answer."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def line(self, most_s: float = ANSWER_S) -> str:
        """Return the next line that it says; what `fails` is when there is none in time, or it has ended."""
        until = time.monotonic() + most_s
        while b"\n" not in self._rest:
            if not select.select([self], [], [], max(0.0, until - time.monotonic()))[0]:
                raise self._fails(f"{self.called} did not answer within {most_s:g} s")
            assert self._process.stdout is not None
            part = self._process.stdout.read1(1 << 16)  # type: ignore[attr-defined]
            if not part:
                raise self._fails(f"{self.called}: {self._last_words()}")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return str(line.decode("utf-8", "replace").strip())

    def _last_words(self) -> str:
        self._process.wait(timeout=ANSWER_S)
        assert self._process.stderr is not None
        said = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
        return said[-1] if said else f"ended with code {self._process.returncode}"

    def close(self) -> None:
        """End it: its standard input ends, and it with it."""
        for one in (self._process.stdin, self._process.stdout, self._process.stderr):
            if one is not None:
                with contextlib.suppress(OSError):
                    one.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Away:
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
