"""Building, storing and the command line, with a tree in miniature whose "kernel" is a script: all but the real thing."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kernel_tree
import pytest

from windtunnel.backends.linux import build, store
from windtunnel.backends.linux.errors import BuildFailed, KernelError

pytestmark = pytest.mark.skipif(
    os.uname().machine != "x86_64" or any(shutil.which(tool) is None for tool in ("make", "flex", "bison", "bc")), reason="no kernel tools"
)


class Silent:
    """Progress for nobody."""

    def step(self, name: str) -> None: ...

    def count(self, done: int) -> None: ...

    def say(self, line: str) -> None: ...


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(build, "_TOOLS", ("make", "cc"))
    return tmp_path / "cache"


def _built(tree: Path, name: str | None = None) -> build.Built:
    return build.build(tree, name=name, jobs=1, progress=Silent())


def _left(cache: Path) -> list[str]:
    return sorted(str(p.relative_to(cache)) for p in cache.rglob("*") if p.is_file())


def test_a_kernel_is_kept_under_version_and_digest_with_what_it_is(tmp_path: Path, _cache: Path) -> None:
    built = _built(kernel_tree.tree(tmp_path / "tree"), "mine")
    kernel = built.kernel
    assert built.fresh and kernel.folder == _cache / f"windtunnel/kernels/6.1.9-{kernel.digest[:12]}"
    assert (kernel.name, kernel.algorithms) == ("mine", ("reno", "cubic", "mine"))
    assert sorted(p.name for p in kernel.folder.iterdir()) == ["against", "build.log", "config", "kernel.json", "linux"]
    assert store.kernels() == [kernel]
    assert [p.name for p in store.root().iterdir()] == [kernel.folder.name]
    kernel.require("mine")
    with pytest.raises(KernelError, match="no congestion control 'bbr'; it has: reno, cubic, mine"):
        kernel.require("bbr")


def test_what_was_asked_of_the_configuration_reaches_it(tmp_path: Path) -> None:
    keeping = kernel_tree.MAKEFILE.replace("cp .config asked", f"cp .config {tmp_path}/asked")
    _built(kernel_tree.tree(tmp_path / "tree", Makefile=keeping))
    asked = (tmp_path / "asked").read_text().splitlines()
    assert {"CONFIG_UML_TIME_TRAVEL_SUPPORT=y", "CONFIG_TCP_CONG_MINE=y", "# CONFIG_STATIC_LINK is not set"} <= set(asked)


def test_a_source_is_compiled_through_the_cache_of_objects_that_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    telling = kernel_tree.MAKEFILE.replace("cp .config asked", f"echo '$(origin CC)' '$(CC)' > {tmp_path}/compiler")
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "ccache" else f"/usr/bin/{name}")
    _built(kernel_tree.tree(tmp_path / "without", Makefile=telling))
    assert "command line" not in (tmp_path / "compiler").read_text()
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    _built(kernel_tree.tree(tmp_path / "with", Makefile=telling + "\n"))
    assert (tmp_path / "compiler").read_text() == "command line ccache gcc\n"


def test_the_same_source_is_built_once_and_can_be_renamed(tmp_path: Path) -> None:
    first = _built(kernel_tree.tree(tmp_path / "one"), "one")
    again = _built(kernel_tree.tree(tmp_path / "two"), "two")
    assert not again.fresh and again.kernel.digest == first.kernel.digest
    assert [kernel.name for kernel in store.kernels()] == ["two"]
    assert _built(tmp_path / "two").kernel.name == "two"


def test_an_edited_source_is_another_kernel(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path / "tree")
    first = _built(tree).kernel
    (tree / "net/ipv4/tcp_mine.c").write_text("int mine;\n")
    second = _built(tree).kernel
    assert first.id != second.id and len(store.kernels()) == 2
    assert store.find(first.digest[:8]) == first and store.find(second.name) == second
    with pytest.raises(KernelError, match="means several kernels; say which: "):
        store.find("6.1.9")
    store.remove(first)
    assert store.kernels() == [second] and store.find("6.1.9") == second


def test_a_version_means_the_kernel_without_a_name_of_its_own(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path / "tree")
    plain = _built(tree).kernel
    (tree / "net/ipv4/tcp_mine.c").write_text("int mine;\n")
    patched = _built(tree, "patched").kernel
    assert store.find("6.1.9") == store.find("6.1") == plain and store.find("patched") == patched


def test_a_series_is_found_by_its_two_numbers_though_another_begins_with_them(tmp_path: Path) -> None:
    first = _built(kernel_tree.tree(tmp_path / "one")).kernel
    newer = kernel_tree.tree(tmp_path / "two")
    makefile = newer / "Makefile"
    makefile.write_text(makefile.read_text().replace("PATCHLEVEL = 1\n", "PATCHLEVEL = 12\n"))
    second = _built(newer).kernel
    assert (first.version, second.version) == ("6.1.9", "6.12.9")
    assert store.find("6.1") == first and store.find("6.12") == second
    with pytest.raises(KernelError, match="means several kernels"):
        store.find("6")


def test_a_taken_name_is_refused_before_anything_is_copied(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path / "tree")
    _built(tree, "mine")
    (tree / "more.c").touch()
    with pytest.raises(KernelError, match=r"belongs to kernel 6\.1\.9-"):
        _built(tree, "mine")


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "-x", "a b", "x" * 65, "ä"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(KernelError, match=r"name .* is refused; allowed"):
        _built(kernel_tree.tree(tmp_path / "tree"), name)


@pytest.mark.parametrize(
    ("makefile", "step", "cause"),
    [
        (("@: > .config", "@echo 'scripts/x: line 3: nonsense'; exit 1"), "configuring", "scripts/x: line 3: nonsense"),
        (("@cp kernel.sh", "@echo 'net/x.c:7:1: error: bad'; exit 2"), "compiling", "net/x.c:7:1: error: bad"),
        (("@cp kernel.sh linux; chmod +x linux", "@:"), "compiling", "make made no file `linux`"),
    ],
)
def test_a_failed_step_is_named_with_its_log_and_leaves_nothing_else(
    tmp_path: Path, _cache: Path, makefile: tuple[str, str], step: str, cause: str
) -> None:
    tree = kernel_tree.tree(tmp_path / "tree", Makefile=kernel_tree.MAKEFILE.replace(*makefile))
    with pytest.raises(BuildFailed) as failed:
        _built(tree)
    assert failed.value.step == step and failed.value.last == cause
    assert _left(_cache) == [str(failed.value.log.relative_to(_cache))]
    assert cause.startswith("make made") or cause in failed.value.log.read_text()


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("tick_ns 1000000", "tick_ns 10000000", "clock: a tick of 10000000 ns"),
        ("min_rtt_us 10000", "min_rtt_us 10450", "virtual time: a round trip of 10 ms was measured as 10450 us"),
        ("random seed$UML_SEED", "random same", "seed: another seed gives the same entropy"),
        ("echo 'transferred 1000000'", 'echo "transferred $$"', "determinism: two runs of one seed differ: 'transferred "),
        ("algorithms reno cubic mine", "algorithms reno", "algorithms: 1: reno"),
        ("  echo 'end 1'\n", "  echo 'failed netem: no such thing'\n", "boot: netem: no such thing"),
        (
            ": > first",
            "echo 'Kernel panic - not syncing: no init'; kill -ABRT $$",
            "boot: the guest panicked; its last lines: a line from the guest",
        ),
        (": > first", "exit 3", "boot: the guest ended with exit code 3; its last lines: a line from the guest"),
    ],
)
def test_a_kernel_that_is_unfit_is_not_kept(tmp_path: Path, _cache: Path, old: str, new: str, cause: str) -> None:
    kernel = kernel_tree.KERNEL.replace(old, new)
    assert kernel != kernel_tree.KERNEL
    with pytest.raises(BuildFailed) as failed:
        _built(kernel_tree.tree(tmp_path / "tree", kernel_dot_sh=kernel))
    assert failed.value.step == "testing the kernel" and cause in failed.value.last
    assert store.kernels() == [] and len(_left(_cache)) == 1


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path, _cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store, "_write_facts", full)
    with pytest.raises(KernelError, match="No space left on device; nothing was kept"):
        _built(kernel_tree.tree(tmp_path / "tree"))
    assert [p.name for p in store.root().iterdir()] == []


def test_too_little_room_is_said_before_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ROOM_BYTES", 1 << 60)
    with pytest.raises(KernelError, match=r"GiB free; a build needs \d"):
        _built(kernel_tree.tree(tmp_path / "tree"))
    assert list(store.root().iterdir()) == []


def test_missing_tools_are_named_with_their_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_TOOLS", ("make", "no-such-flex", "no-such-bison"))
    with pytest.raises(KernelError, match=r"a build needs no-such-flex, no-such-bison; install them \(Debian: apt-get install "):
        _built(kernel_tree.tree(tmp_path / "tree"))


def test_a_cache_that_cannot_be_made_is_one_line(tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    outcome = cli("kernel", "build", "--source", str(kernel_tree.tree(tmp_path / "tree")))
    assert outcome.code == 2 and len(outcome.err.splitlines()) == 1 and "cannot be written" in outcome.err


def test_the_command_line_builds_lists_tests_and_removes(tmp_path: Path, cli: Callable[..., Any]) -> None:
    tree = str(kernel_tree.tree(tmp_path / "tree"))
    assert cli("kernel", "list", "--json").json() == []
    nothing = cli("kernel", "list")
    assert nothing.code == 0 and "windtunnel kernel build --source PATH" in nothing.out
    built = cli("kernel", "build", "--source", tree, "--name", "mine", "--jobs", "1", "--json")
    assert built.code == 0, built.err
    facts = built.json()
    assert facts["fresh"] and facts["version"] == "6.1.9" and "HZ from 100 to 1000" in built.err
    assert [kernel["name"] for kernel in cli("kernel", "list", "--json").json()] == ["mine"]
    tested = cli("kernel", "test", "--json").json()
    assert tested["ok"] and tested["kernel"] == "mine"
    assert [check["check"] for check in tested["checks"]][:5] == ["boot", "algorithms", "clock", "virtual time", "seed"]
    assert cli("kernel", "remove", "mine").code == 0
    assert cli("kernel", "list", "--json").json() == []


def test_a_failed_build_ends_with_exit_code_1_and_an_unfit_kernel_too(tmp_path: Path, cli: Callable[..., Any]) -> None:
    broken = kernel_tree.tree(tmp_path / "broken", Makefile=kernel_tree.MAKEFILE.replace("@cp kernel.sh", "@exit 1; cp"))
    outcome = cli("kernel", "build", "--source", str(broken))
    assert outcome.code == 1 and "error: the build failed while compiling" in outcome.err and "log: " in outcome.err
    kernel = _built(kernel_tree.tree(tmp_path / "tree")).kernel
    kernel.binary.write_text("#!/bin/sh\necho 'Kernel panic - not syncing'\nexit 1\n")
    outcome = cli("kernel", "test")
    assert outcome.code == 1 and "Kernel panic" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["test"], ["no kernel is built", "windtunnel kernel build --source PATH"]),
        (["remove", "x"], ["no kernel is built"]),
        (["build", "--source", "/nowhere/at/all"], ["no such file or folder", "allowed"]),
        (["build", "--source", "/", "--jobs", "0"], ["jobs", "equal to 1"]),
    ],
)
def test_bad_input_is_one_line(cli: Callable[..., Any], arguments: list[str], parts: list[str]) -> None:
    outcome = cli("kernel", *arguments)
    assert outcome.code == 2 and outcome.out == "" and len(outcome.err.splitlines()) == 1
    for part in parts:
        assert part in outcome.err


def test_a_build_killed_outright_leaves_no_process_and_no_folder(tmp_path: Path, _cache: Path) -> None:
    marker = f"86400.{os.getpid()}"
    slow = kernel_tree.MAKEFILE.replace("@cp kernel.sh", f"@sleep {marker}; cp kernel.sh")
    tree = kernel_tree.tree(tmp_path / "tree", Makefile=slow)
    program = (
        "import sys; from windtunnel.backends.linux import build; from windtunnel.cli import main\n"
        "build._TOOLS = ('make',); main(sys.argv[1:])"
    )
    running = subprocess.Popen([sys.executable, "-c", program, "kernel", "build", "--source", str(tree)], stderr=subprocess.DEVNULL)
    _await(lambda: _sleeping(marker))
    running.send_signal(signal.SIGKILL)
    running.wait()
    _await(lambda: not _sleeping(marker))
    _await(lambda: not list(store.root().iterdir()))


def _sleeping(marker: str) -> bool:
    found = False
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found = found or path.read_bytes().startswith(f"sleep\0{marker}".encode())
    return found


def _await(condition: Callable[[], bool], within_s: float = 60.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_facts_that_are_damaged_are_passed_over(tmp_path: Path) -> None:
    kernel = _built(kernel_tree.tree(tmp_path / "tree")).kernel
    facts = kernel.folder / "kernel.json"
    facts.write_text(json.dumps({**json.loads(facts.read_text()), "version": None, "more": 1}))
    assert store.kernels() == []
    facts.write_text("{")
    assert store.kernels() == []
