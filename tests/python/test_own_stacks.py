"""A user's controller for quinn, built in: found in a crate that knows nothing of the simulator, and run as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import windtunnel as wt
from windtunnel.cli import main
from windtunnel.foreign import ForeignError, ownstack, stacks

EXAMPLE = Path(__file__).parents[2] / "examples/quinn-controller"


def crate(folder: Path, source: str, name: str = "mine") -> Path:
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nquinn-proto = "0.11"\n'
    )
    (folder / "src/lib.rs").write_text(source, encoding="utf-8")
    return folder


def test_controllers_are_found_and_named_after_their_types(tmp_path: Path) -> None:
    source = "impl ControllerFactory for SteadyPaceConfig {}\nimpl quinn_proto::congestion::ControllerFactory for BBRv9Factory {}\n"
    own = ownstack.found(crate(tmp_path, source, "my_crate"))
    assert own.controllers == (("steady-pace", "SteadyPaceConfig"), ("bb-rv9", "BBRv9Factory"))
    assert own.stack == "quinn-with-my-crate"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("pub struct Mine;", "has no controller: no type in src/ implements quinn_proto::congestion::ControllerFactory"),
        ("impl ControllerFactory for CubicConfig {}", "'cubic' is the name of two controllers of this build; name the type otherwise"),
    ],
)
def test_a_crate_that_cannot_be_built_in_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, said: str) -> None:
    assert main(["stacks", "build", "--with", str(crate(tmp_path, source))]) == 2
    out = capsys.readouterr()
    assert said in out.err and out.err.count("\n") == 1 and not out.out


def test_other_stacks_and_what_is_no_crate_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stacks", "build", "quiche", "--with", str(EXAMPLE)]) == 2
    assert "with: quiche takes no controllers of others; allowed: with quinn" in capsys.readouterr().err
    assert main(["stacks", "build", "--with", str(tmp_path)]) == 2
    assert "is no crate; allowed: a folder with a package's Cargo.toml" in capsys.readouterr().err
    with pytest.raises(ForeignError, match="is not built; run: windtunnel stacks build quinn --with FOLDER"):
        stacks.required("quinn-with-nothing")


def test_the_example_runs_as_it_is_and_its_name_covers_its_content(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not any(one.name == "quinn" for one in stacks.built()):
        pytest.skip("quinn is not built: windtunnel stacks build quinn")
    known = {one.known_as for one in stacks.built()}
    # Not the name of the one that a user may have built of the example.
    copy = tmp_path / "copy"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("target"))
    manifest = (copy / "Cargo.toml").read_text(encoding="utf-8")
    (copy / "Cargo.toml").write_text(manifest.replace('"quinn-controller"', '"steady-test"'), encoding="utf-8")
    built = stacks.build("quinn", lambda _: None, crate=copy)
    try:
        assert built.name == "quinn-with-steady-test" and built.algorithms == ("cubic", "reno", "bbr", "steady")
        flows = [f"steady,stack={built.name}"]
        given = {"bottleneck": {"rate": "100Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "10s", "warmup": "2s", "flows": flows}
        run = wt.run(wt.Scenario.model_validate(given))
        assert run.flows["algorithm"].to_list() == ["steady@quinn"] and run.flows["variant"][0] == f"quinn-{built.version}"
        samples = run.flow_samples
        assert {round(window) for window in samples["cwnd_packets"] * samples["datagram_bytes"]} == {100_000}
        # 68 datagrams of 1452 bytes fit into 100 000 and pass once in each round trip, 40 ms and their own 0.1: 20.1 Mbit/s with headers.
        assert 0.19 < run.links["utilisation"][0] < 0.203
        assert wt.run(wt.Scenario.model_validate(given)).records.digest() == run.records.digest()
        # quinn's own controllers are there too, and a build is found again; another content is another build.
        assert stacks.build("quinn", lambda _: None, crate=copy).key == built.key
        source = (copy / "src/lib.rs").read_text(encoding="utf-8")
        (copy / "src/lib.rs").write_text(source.replace("100_000", "200_000"), encoding="utf-8")
        own = ownstack.found(copy)
        with ownstack.package(own, stacks.sources()["quinn"], stacks.folder()) as package:
            beside = ownstack.covered(package, str(shutil.which("cargo")))
        assert stacks._key(stacks.sources()["quinn"], str(shutil.which("cargo")), beside) != built.key
        assert main(["stacks", "list", "--json"]) == 0
        assert built.key in {row["key"] for row in json.loads(capsys.readouterr().out)}
    finally:
        if built.known_as not in known:
            stacks.remove(built.known_as)
    assert not list(stacks.folder().glob(".with-*"))
