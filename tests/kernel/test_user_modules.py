"""Controllers from C files in a guest: modules of its kernel that do to the bit what the kernel's own do, and faults in one line."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import polars as pl
import pytest

from windtunnel import agreement
from windtunnel.agreement.grid import ONE
from windtunnel.backends import backend
from windtunnel.backends.linux import store, usermodules
from windtunnel.backends.linux.errors import GuestFailed, KernelError
from windtunnel.backends.linux.profiles import numbers
from windtunnel.foreign import ForeignError, make
from windtunnel.records import Records
from windtunnel.scenario import Flow, Scenario, ScenarioError

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "c-controller" / "mine.c"
FILES = ("bbr", "bic", "cubic", "dctcp", "highspeed", "htcp", "hybla", "illinois", "lp", "scalable", "vegas", "veno", "westwood", "yeah")
OURS = {"highspeed": "hstcp"}
REPORTED = ("base_rtt_s", "bandwidth_bps", "rtt_min_s", "pacing_gain", "cwnd_gain", "alpha")


def newest(version: str) -> store.Kernel:
    """The distribution's newest of that version: one that was given a name of its own may have other modules than its source."""
    found = [
        one
        for one in store.kernels()
        if one.takes_modules and numbers(one.version) == numbers(version) and one.name.startswith(one.version)
    ]
    if not found:
        pytest.skip(f"no kernel of {version} that takes modules is built: make kernel SOURCES=/usr/src/linux-source-{version}.tar.xz")
    return found[0]


@pytest.fixture(scope="module")
def modular() -> store.Kernel:
    """The newest 6.1 that takes modules."""
    return newest("6.1")


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The congestion controls of the distribution's 6.1."""
    return unpacked("6.1", tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module", params=["6.1", "6.12"])
def kernel_and_files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[store.Kernel, Path]:
    """A kernel and the congestion controls of its own source."""
    return newest(request.param), unpacked(request.param, tmp_path_factory.mktemp("source"))


def unpacked(version: str, folder: Path) -> Path:
    """Unpack the congestion controls of the distribution's source, for these tests alone."""
    tarball = next(iter(sorted(Path("/usr/src").glob(f"linux-source-{version}.tar.*"))), None)
    if tarball is None:
        pytest.skip(f"no /usr/src/linux-source-{version}.tar.*: .ci/kernel-source installs it")
    wanted = {f"tcp_{name}.c" for name in FILES} | {"tcp_vegas.h", "tcp_dctcp.h"}
    with tarfile.open(tarball, "r|*") as archive:
        for member in archive:
            place = Path(member.name)
            if place.name in wanted and place.parent.name == "ipv4":
                content = archive.extractfile(member)
                assert content is not None
                (folder / place.name).write_bytes(content.read())
                wanted.discard(place.name)
            if not wanted:
                break
    assert not wanted
    return folder


def scenario(*algorithms: str, rate: str = "10Mbit", duration: str = "30s", **parameters: float) -> Scenario:
    flows = [Flow(algorithm=name, start_s=index * 1.0, parameters=parameters) for index, name in enumerate(algorithms)]
    return Scenario(bottleneck={"rate": rate, "queue": 40}, flows=flows, rtt="42ms", duration=duration, jitter=0)


def run(kernel: store.Kernel, made: Scenario) -> Records:
    return backend(f"linux:{kernel.digest}").run(made)


def course(records: Records) -> pl.DataFrame:
    """Return every sample of every flow, without what only the kernel's own modules have columns for."""
    return records.flow_samples.drop([name for name in REPORTED if name in records.flow_samples.columns])


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_kernels_does_as_a_module_what_it_does_built_in(kernel_and_files: tuple[store.Kernel, Path], name: str) -> None:
    modular, sources = kernel_and_files
    algorithm, other = (make(f"{sources}/tcp_{one}.c").name for one in (name, "scalable"))
    # Loading a module draws from the guest's generator, and BBR draws its phase: one module is loaded in both.
    built_in, loaded = (
        run(modular, scenario(*three)) for three in ((*[OURS.get(name, name)] * 2, other), (algorithm, algorithm, "scalable"))
    )
    assert course(built_in)["cwnd_packets"].n_unique() > 10
    assert course(loaded).equals(course(built_in), null_equal=True)
    assert loaded.flows.drop("algorithm", "variant").equals(built_in.flows.drop("algorithm", "variant"), null_equal=True)
    assert loaded.link_samples.equals(built_in.link_samples)


def test_its_parameters_are_set_when_it_is_loaded(modular: store.Kernel, sources: Path) -> None:
    algorithm = make(f"{sources}/tcp_cubic.c").name
    half = run(modular, scenario("cubic", beta=0.5))
    assert course(run(modular, scenario(algorithm, beta=512))).equals(course(half), null_equal=True)
    assert not course(run(modular, scenario(algorithm))).equals(course(half), null_equal=True)


def test_two_sets_of_parameters_of_one_file_run_side_by_side(modular: store.Kernel) -> None:
    algorithm = make(str(EXAMPLE)).name
    flows = [Flow(algorithm=algorithm, parameters={"keep": keep}, rtt_s=0.042) for keep in (50, 80)]
    both = scenario("reno").model_copy(update={"flows": tuple(flows), "duration_s": 60.0})
    records = run(modular, both)
    for flow, keep in enumerate((0.5, 0.8)):
        cuts = records.events.filter(pl.col("flow") == flow, pl.col("kind") == "loss_episode")
        assert cuts.height >= 5
        # A row has the threshold, and the window at the look before, 10 ms ago at most: it has grown by a packet since, or by two.
        for before, after in zip(cuts["value"], cuts["value2"], strict=True):
            assert after in {int((before + grown) * keep + 1e-9) for grown in range(3)}
    assert run(modular, both).digest() == records.digest()


def test_the_kernels_own_and_the_same_file_run_side_by_side(modular: store.Kernel, sources: Path) -> None:
    mixed = scenario(make(f"{sources}/tcp_scalable.c").name, "scalable", make(str(EXAMPLE)).name)
    assert run(modular, mixed).flows["delivered_packets"].min() > 100


def test_a_module_is_made_in_seconds_and_once(modular: store.Kernel, tmp_path: Path) -> None:
    (tmp_path / "mine.c").write_text(EXAMPLE.read_text() + f"/* {time.time_ns()} */\n")
    algorithm = make(f"{tmp_path}/mine.c").name
    began = time.monotonic()
    path = usermodules.made(modular, algorithm)
    took_s = time.monotonic() - began
    print(f"a module in {took_s:.1f} s")
    assert took_s < 30.0  # Two to four seconds on an idle machine; shared ones get room.
    before = path.stat().st_mtime_ns
    assert usermodules.made(modular, algorithm) == path and path.stat().st_mtime_ns == before
    path.unlink()


FAULTS = [
    # What our headers have everywhere, and the kernel in others.
    ("#include <net/tcp.h>\n", "", r"mine.c: becomes no module of kernel .*: mine.c:\d+: "),
    ("static void mine_init", "extern void tcp_fly(void);\nstatic void mine_init", None),
    (
        "static int __init mine_register(void)\n{\n",
        "static int __init mine_register(void)\n{\n#ifdef CONFIG_UML\n\treturn -ENODEV;\n#endif\n",
        r"the guest gave up: mine.c: its module does not load: No such device; ",
    ),
    (
        "MODULE_DESCRIPTION",
        'MODULE_LICENSE("Proprietary");\nMODULE_DESCRIPTION',
        r"its MODULE_LICENSE is none that the kernel takes for tcp_",
    ),
]


@pytest.mark.parametrize(("old", "new", "said"), FAULTS)
def test_what_is_wrong_is_one_line(modular: store.Kernel, tmp_path: Path, old: str, new: str, said: str | None) -> None:
    text = EXAMPLE.read_text()
    assert old in text
    (tmp_path / "mine.c").write_text(text.replace(old, new))
    made = scenario(make(f"{tmp_path}/mine.c").name, duration="1s")
    if said is None:
        run(modular, made)
        return
    with pytest.raises((ForeignError, GuestFailed), match=said) as error:
        run(modular, made)
    assert "\n" not in str(error.value)


def test_a_crash_in_a_hook_ends_the_guest_and_nothing_else(modular: store.Kernel, tmp_path: Path) -> None:
    crash = "#ifdef CONFIG_UML\n\tif (tcp_sk(sk)->snd_cwnd > 20)\n\t\t*(volatile int *)8 = 1;\n#endif\n\tif (!tcp_is_cwnd_limited(sk))"
    (tmp_path / "mine.c").write_text(EXAMPLE.read_text().replace("\tif (!tcp_is_cwnd_limited(sk))", crash))
    with pytest.raises(GuestFailed, match="panic"):
        run(modular, scenario(make(f"{tmp_path}/mine.c").name, duration="5s"))


def test_a_kernel_from_before_says_that_it_is_too_old_and_what_to_do(modular: store.Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.Kernel, "takes_modules", property(lambda kernel: False))
    made = scenario(make(str(EXAMPLE)).name)
    line = rf"kernel {modular.name} is too old .*; build it again: windtunnel kernel build --source {modular.source}"
    with pytest.raises(KernelError, match=line):
        run(modular, made)
    assert any("too old" in one for one in backend(f"linux:{modular.digest}").unsupported(made))


def test_other_kinds_of_files_are_refused_by_name(modular: store.Kernel, tmp_path: Path) -> None:
    library = make(str(EXAMPLE)).library
    (tmp_path / "libmine.so").write_bytes(library.read_bytes())
    with pytest.raises(ScenarioError, match=r"flows\[0\].algorithm: libmine.so is no C file in the kernel's dialect"):
        run(modular, scenario(make(f"{tmp_path}/libmine.so").name))


def test_the_simulator_stands_beside_linux_with_the_users_own_code_in_both(modular: store.Kernel, tmp_path: Path) -> None:
    study = agreement.make("quick", [make(str(EXAMPLE)).name], kernels=[modular.digest], seeds=1)
    points = {"alg": study.algorithms, "rate": (10,), "rtt": (42,), "q": (0.2,)}
    one = [dataclasses.replace(one, points=points) for one in study.experiments if one.id == ONE]
    small = dataclasses.replace(study, experiments=tuple(one))
    rows = agreement.carry_out(small, tmp_path, jobs=1, command="test", on_step=lambda step: None)
    assert rows and {row.verdict for row in rows} <= {"agrees", "not_compared"}, [row for row in rows if row.verdict == "differs"]


def test_the_tutorials_commands_run(modular: store.Kernel, tmp_path: Path) -> None:
    page = (ROOT / "docs/guides/own-controller-c.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```sh kernel\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    runs, agrees = block.strip().splitlines()
    (tmp_path / "mine.c").write_text(EXAMPLE.read_text())
    command = [sys.executable, "-m", *runs.split(), "--duration", "5s"]
    command[command.index("linux")] += f":{modular.digest}"
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" mine.c ") == 2
    # All of it takes minutes; what it runs is run by the test before this one.
    assert agrees == "windtunnel agree --alg ./mine.c"
