"""The guest's program: compiled once from the shipped sources, or refused in one line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from windtunnel.backends.linux import init
from windtunnel.backends.linux.errors import KernelError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "windtunnel" / "init"


needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")


@needs_compiler
def test_it_is_compiled_once_and_leaves_nothing_else(cache: Path) -> None:
    program = init.binary()
    made = program.stat().st_mtime_ns
    assert init.binary() == program and program.stat().st_mtime_ns == made
    assert [path.name for path in cache.rglob("*") if path.is_file()] == ["init"]


@needs_compiler
def test_outside_a_guest_it_ends_without_doing_anything(cache: Path, tmp_path: Path) -> None:
    # It is process 1 of a guest; a stray one on a host must neither write nor reboot.
    done = subprocess.run([str(init.binary())], cwd=tmp_path, capture_output=True, timeout=10)
    assert done.returncode == 1 and done.stdout == done.stderr == b""
    assert not Path("/failure").exists()


@needs_compiler
def test_the_sources_compile_without_a_warning(tmp_path: Path) -> None:
    sources = sorted(str(path) for path in Path(init.__file__).with_name("guest").glob("*.c"))
    flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-static"]
    done = subprocess.run(["cc", *flags, "-o", str(tmp_path / "init"), *sources], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_a_compiler_it_says_what_to_install(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(KernelError, match=r"no C compiler is installed.*apt-get install"):
        init.binary()


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(KernelError, match="cannot be written"):
        init.binary()
