"""`windtunnel new`: what is made builds, passes its own tests and runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from windtunnel.cli import main

ROOT = Path(__file__).parents[2]


def made(folder: Path, language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(folder)
    assert main(["new", "gentle", "--language", language]) == 0
    listed = {Path(line) for line in capsys.readouterr().out.split()}
    assert listed == {path.relative_to(folder) for path in (folder / "gentle").rglob("*") if path.is_file()}
    for path in listed:
        text = path.read_text(encoding="utf-8")
        assert "@name@" not in text and "@file@" not in text and "@test@" not in text
    assert {Path("gentle/README.md"), Path("gentle/scenario.toml"), Path("gentle/.github/workflows/check.yml")} <= listed
    monkeypatch.chdir(folder / "gentle")
    return folder / "gentle"


@pytest.mark.parametrize("language", ["c", "python"])
def test_a_folder_passes_its_test_runs_its_scenario_and_survives(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made(tmp_path, language, monkeypatch, capsys)
    tests = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=folder, capture_output=True, text=True)
    assert tests.returncode == 0, tests.stdout
    assert main(["run", "scenario.toml"]) == 0
    assert main(["check", {"c": "./gentle.c", "python": "./gentle.py"}[language], "--invariants"]) == 0


def test_a_folder_in_rust_builds_passes_its_test_and_runs_its_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made(tmp_path, "rust", monkeypatch, capsys)
    lock = (ROOT / "examples/rust-controller/Cargo.lock").read_text(encoding="utf-8")
    (folder / "Cargo.lock").write_text(lock.replace("rust-controller", "gentle"))
    target = ROOT / "target/tmp/outsider"
    for arguments in (["test", "--lib"], ["build"]):
        command = ["cargo", *arguments, "--quiet", "--offline"]
        built = subprocess.run(command, cwd=folder, env=os.environ | {"CARGO_TARGET_DIR": str(target)}, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
    release = folder / "target/release"
    release.mkdir(parents=True)
    (release / "libgentle.so").write_bytes((target / "debug/libgentle.so").read_bytes())
    assert main(["run", "scenario.toml"]) == 0
    assert "libgentle.so" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Gentle"], "name: 'Gentle' cannot be a controller's; allowed: a lowercase letter"),
        (["a" * 16], "cannot be a controller's"),
        (["class"], "cannot be a controller's"),
        (["newreno"], "name: 'newreno' is a built-in algorithm's; allowed: another"),
        (["gentle", "--language", "go"], "language: 'go' is not known; allowed: c, python, rust"),
        (["gentle", "--to", "."], ": exists; name another folder with --to"),
        (["gentle", "--language", "rust", "--sources", "/no/such"], "has no crates/windtunnel"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", *arguments]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error and "\n" not in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("language", ["c", "python"])
def test_the_workflow_judges_a_pull_request_a_commit_and_a_first_commit(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made(tmp_path, language, monkeypatch, capsys)
    workflow = yaml.safe_load((folder / ".github/workflows/gate.yml").read_text(encoding="utf-8"))
    # YAML reads the key `on` as true. The badge shows what ran on the main branch.
    assert workflow[True]["push"] == {"branches": ["main"]} and "pull_request" in workflow[True]
    badge = "![gate](https://github.com/OWNER/gentle/actions/workflows/gate.yml/badge.svg)"
    assert workflow["name"] == "gate" and badge in (folder / "README.md").read_text(encoding="utf-8")
    (step,) = [one for one in workflow["jobs"]["gate"]["steps"] if one.get("name") == "Judge"]
    (tmp_path / "windtunnel").write_text(f'#!/bin/sh\nexec {sys.executable} -m windtunnel "$@" --only slow --seeds 2 --json\n')
    (tmp_path / "windtunnel").chmod(0o755)
    commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a commit"]

    def judged(base: str) -> dict[str, Any]:
        environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "BASE": base}
        done = subprocess.run(["bash", "-e", "-c", step["run"]], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    for arguments in (["init", "-q", "-b", "main"], ["add", "."], commit):
        subprocess.run(["git", *arguments], check=True)
    suffix = {"c": "c", "python": "py"}[language]
    assert judged("HEAD^")["against"] == f"gentle.{suffix} of HEAD"
    subprocess.run(["git", *commit], check=True)
    assert judged("HEAD^")["against"] == f"gentle.{suffix} of HEAD^"
    assert judged("main")["counts"]["equal"] == 3
