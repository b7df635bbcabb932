"""picoquic, compiled from a folder of the user's; skipped where none is built: `windtunnel stacks build picoquic --source FOLDER`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import windtunnel as wt
from windtunnel.battery import published
from windtunnel.cli import main
from windtunnel.foreign import ForeignError, fromsource, stacks

RTT_S = 0.04


@pytest.fixture
def picoquic():
    found = [one for one in stacks.built() if one.name == "picoquic"]
    if not found:
        pytest.skip("picoquic is not built: windtunnel stacks build picoquic --source FOLDER")
    return found[0]


def folder(place):
    """Make the files that a build asks for, without anything in them."""
    for name in ("picoquic/CMakeLists.txt", "picoquic/picoquic/picoquic.h", "picotls/include/picotls.h", "picotls/deps/cifra/src/aes.c"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
    return place / "picoquic"


def path(*flows, **more):
    given = {"bottleneck": {"rate": "50Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "6s", "flows": flows}
    return wt.Scenario.model_validate(given | more)


def test_without_a_folder_or_with_half_of_one_it_is_one_line(tmp_path, capsys):
    assert main(["stacks", "build", "picoquic"]) == 2
    assert "is built from a folder of yours: windtunnel stacks build picoquic --source FOLDER" in capsys.readouterr().err
    half = folder(tmp_path)
    (tmp_path / "picotls/include/picotls.h").unlink()
    assert main(["stacks", "build", "picoquic", "--source", str(half)]) == 2
    out = capsys.readouterr()
    assert "has no ../picotls/include/picotls.h" in out.err and out.err.count("\n") == 1 and not out.out
    with pytest.raises(ForeignError, match="run: windtunnel stacks build picoquic --source FOLDER"):
        stacks.required("picoquic:0123456789abcdef")


def test_a_builds_key_covers_both_libraries_sources(tmp_path):
    whole = fromsource.named(folder(tmp_path))
    before = fromsource.covered(whole)
    (tmp_path / "picotls/README.md").write_text("nothing that is compiled")
    assert fromsource.covered(whole) == before
    (tmp_path / "picotls/deps/cifra/src/aes.c").write_text("another cipher")
    after = fromsource.covered(whole)
    (whole / "picoquic/picoquic.h").write_text("another version")
    assert len({before, after, fromsource.covered(whole)}) == 3


def test_it_shares_the_link_and_says_what_it_knows(picoquic):
    run = wt.run(path("cubic,stack=picoquic", "cubic", duration="12s"))
    assert run.flows["algorithm"].to_list() == ["cubic@picoquic", "cubic"]
    assert run.flows["variant"][0] == f"picoquic-{picoquic.version}"
    assert run.links["utilisation"][0] > 0.9 and run.flows["delivered_bytes"].min() > 5e6
    samples = run.flow_samples.filter(run.flow_samples["flow"] == 0)
    for name in ("cwnd_packets", "srtt_s", "min_rtt_s", "inflight_packets", "pacing_rate_bps"):
        assert samples[name].null_count() == 0, name
    assert RTT_S <= samples["min_rtt_s"].min() < samples["srtt_s"].max() < 0.1
    # It has found the path's largest: 1500 bytes less IP's and UDP's headers.
    assert samples["datagram_bytes"][-1] == 1472
    assert samples["state"].is_null().all() and run.flows["timeouts"][0] is None and run.flows["loss_episodes"][0] is None


@pytest.mark.parametrize("algorithm", ["cubic", "bbr", "c4"])
def test_runs_repeat_to_the_byte_one_after_the_other_and_side_by_side(picoquic, algorithm):
    assert algorithm in picoquic.algorithms
    scenario = path(f"{algorithm},stack=picoquic", f"{algorithm},stack=picoquic,start=1s")
    first = wt.run(scenario).records.digest()
    with ThreadPoolExecutor(2) as workers:
        assert {run.records.digest() for run in workers.map(wt.run, [scenario] * 2)} == {first}


def test_a_stacks_own_name_is_no_alias_of_ours(picoquic):
    """`bbr1` is another name of our `bbr`, and another controller than picoquic's `bbr`, which is BBRv3."""
    assert "bbr1" in picoquic.algorithms
    run = wt.run(path("bbr1,stack=picoquic", "bbr,stack=picoquic"))
    assert run.flows["algorithm"].to_list() == ["bbr1@picoquic", "bbr@picoquic"]


def test_streams_ends_and_stops_are_kept(picoquic):
    row = wt.run(path("cubic,stack=picoquic,bytes=1000003,streams=7")).flows.row(0, named=True)
    assert row["delivered_bytes"] == 1_000_003 and 2 * RTT_S < row["completed_s"] < 1
    stopped = wt.run(path(f"cubic,stack={picoquic.known_as},stop=2s"))
    at = dict(zip((round(t_s, 2) for t_s in stopped.flow_samples["t_s"]), stopped.flow_samples["delivered_bytes"].to_list(), strict=True))
    assert at[3.0] == at[5.9] and 5e6 < at[5.9] < 2 * 50e6 / 8


def test_published_expectations_name_controllers_that_there_are():
    every = [one for one in published.EXPECTED if one.stack]
    assert {one.stack for one in every} == {"picoquic", "quiche"}
    assert len({(one.stack, one.test) for one in published.EXPECTED}) == len(published.EXPECTED)
    # Nothing is expected that its link could not carry: payload alone, and the first round trip is the handshake's.
    for one in published.EXPECTED:
        assert 8 * one.bytes / one.rate_bps + one.rtt_s < one.within_s, one.test


def test_its_cubic_test_of_ten_megabits_holds_here(picoquic):
    """`cubic_test` of picoquictest/congestion_test.c: 4 MB within 3.5 s."""
    (one,) = [one for one in published.expected(picoquic) if one.test == "cubic_test"]
    assert wt.run(published.scenario(one, picoquic)).flows["completed_s"][0] < one.within_s == 3.5


def test_a_satellites_link_carries_what_picoquics_own_does():
    """`satellite_small_test` gives 10 Mbit/s as 800 000 ps a byte; its links take 2^20 ps for a microsecond: 1123.05 us for 1472 bytes."""
    (one,) = [one for one in published.EXPECTED if one.test == "satellite_small_test"]
    assert 8 * 1500 / one.rate_bps == pytest.approx(1123.05e-6, rel=1e-5) and one.back_bps == pytest.approx(one.rate_bps / 5)
    # That of its congestion tests counts the million in: 1472 bytes of payload at 10 Mbit/s.
    (other,) = [one for one in published.EXPECTED if one.test == "cubic_test"]
    assert 8 * 1500 / other.rate_bps == pytest.approx(1177.6e-6)


def test_its_satellite_test_of_ten_megabits_holds_here(picoquic):
    """100 MB in less than 81.5 s: 80 s are those of 10 Mbit/s without any header."""
    (one,) = [one for one in published.expected(picoquic) if one.test == "satellite_small_test"]
    assert wt.run(published.scenario(one, picoquic)).flows["completed_s"][0] < one.within_s == 81.5
