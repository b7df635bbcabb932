"""The guest's rows become the simulator's columns. The rows are written by hand; no kernel is needed."""

from __future__ import annotations

import struct

import pytest

from windtunnel import records
from windtunnel.backends.linux import records as guest
from windtunnel.backends.linux import rows as guest_rows
from windtunnel.backends.sim import Simulator
from windtunnel.records import RunFacts
from windtunnel.scenario import Scenario, canonical, digest, fill

SCENARIO = Scenario(
    bottleneck={"rate": "10Mbit", "queue": 7}, flows=["vegas", "reno,start=1s,bytes=14480"], rtt="42ms", duration="2s", warmup="1s"
)
NEVER = 2**64 - 1


def row(kind: int, index: int, t_ns: int, *values: int) -> bytes:
    return struct.pack("<QII14Q", t_ns, kind, index, *values, *[0] * (14 - len(values)))


BEGIN, END = row(guest_rows.BEGIN, 0, 0, 1, 2, 1), row(guest_rows.END, 0, 0)
# cwnd, ssthresh, rtt, min_rtt, in flight, delivered, retransmitted, pacing rate, state, the algorithm's five words
UNKNOWN = row(guest_rows.FLOW, 0, 10_000_000, 10, 0x7FFFFFFF, 0, 0xFFFFFFFF, 10, 0, 0, NEVER, 0, 1, 0, 0, 0x7FFFFFFF, 0)
KNOWN = row(guest_rows.FLOW, 0, 1_010_000_000, 30, 20, 44_000, 42_000, 29, 100, 3, 1_250_000, 3, 1, 5, 44_000, 42_000, 0)
OTHER = row(guest_rows.FLOW, 1, 1_010_000_000, 10, 0x7FFFFFFF, 50_000, 42_000, 10, 0, 0, 1, 0)
ROWS = [
    BEGIN,
    row(guest_rows.EVENT, 0, 1632, 1, NEVER, NEVER),
    UNKNOWN,
    row(guest_rows.LINK, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    row(guest_rows.LINK, 0, 1_010_000_000, 0, 5, 7500, 150_000, 2, 0, 100),
    # Two flows look at different moments; their rows arrive interleaved.
    OTHER,
    KNOWN,
    row(guest_rows.EVENT, 0, 1_010_000_000, 3, 40, 20),
    row(guest_rows.EVENT, 1, 1_500_000_000, 2, NEVER, NEVER),
    # delivered, sent, retransmitted, episodes, timeouts, undos, received
    row(guest_rows.FLOW_TOTALS, 0, 1_000_000_000, 0, 90, 100, 2, 1, 0, 0, 0),
    row(guest_rows.LINK_TOTALS, 0, 1_000_000_000, 0, 5, 7500, 140_000, 1, 4, 90),
    row(guest_rows.LINK_TOTALS, 0, 2_000_000_000, 1, 0, 0, 1_390_000, 3, 5, 900),
    row(guest_rows.FLOW_TOTALS, 0, 2_000_000_000, 1, 890, 910, 7, 3, 1, 0, 903),
    row(guest_rows.FLOW_TOTALS, 1, 2_000_000_000, 1, 10, 10, 0, 0, 0, 0, 10),
    END,
]


@pytest.fixture(scope="module")
def made() -> records.Records:
    frames = guest.frames(guest_rows.read(b"".join(ROWS)), fill(SCENARIO).scenario)
    facts = RunFacts(canonical(SCENARIO), digest(SCENARIO), "linux", 1, "0", {})
    return records.build(frames, facts)


def test_a_sample_has_si_units_and_null_where_nothing_is_known(made: records.Records) -> None:
    first, *_, last = made.flow_samples.filter(flow=0).rows(named=True)
    assert first["ssthresh_packets"] is first["srtt_s"] is first["min_rtt_s"] is first["pacing_rate_bps"] is first["base_rtt_s"] is None
    assert (last["t_s"], last["cwnd_packets"], last["ssthresh_packets"], last["state"]) == (pytest.approx(1.01), 30, 20, 3)
    assert (last["srtt_s"], last["min_rtt_s"], last["base_rtt_s"]) == (pytest.approx(0.044), pytest.approx(0.042), pytest.approx(0.042))
    assert (last["inflight_packets"], last["retransmitted_packets"]) == (29, 3)
    assert (last["delivered_bytes"], last["pacing_rate_bps"]) == (100 * 1448, 10e6)


def test_one_algorithms_variable_is_null_in_anothers_rows(made: records.Records) -> None:
    assert made.flow_samples.filter(flow=1)["base_rtt_s"].to_list() == [None]


def test_rows_are_in_the_order_of_their_times(made: records.Records) -> None:
    assert made.flow_samples["t_s"].is_sorted() and made.events["t_s"].is_sorted()


def test_counters_are_of_the_run_and_of_its_window(made: records.Records) -> None:
    row = made.flows.row(0, named=True)
    assert (row["delivered_packets"], row["sent_packets"], row["retransmitted_packets"]) == (890, 910, 7)
    assert (row["window_delivered_packets"], row["window_sent_packets"], row["window_retransmitted_packets"]) == (800, 810, 5)
    # 910 were sent, 903 arrived, and nothing was under way any more.
    assert (row["lost_packets"], row["loss_episodes"], row["timeouts"], row["undos"]) == (7, 3, 1, 0)
    assert (row["window_s"], row["window_goodput_bytes"], row["completed_s"], row["end_s"]) == (1.0, 800 * 1448, None, None)
    # Only the samples of the window count.
    assert (row["mean_cwnd_packets"], row["mean_rtt_s"]) == (30, pytest.approx(0.044))


def test_a_transfer_that_ends_is_measured_until_then(made: records.Records) -> None:
    row = made.flows.row(1, named=True)
    assert (row["completed_s"], row["window_s"]) == (pytest.approx(1.5), pytest.approx(0.5))
    assert row["window_delivered_packets"] == 10


def test_a_link_tells_drops_of_its_queue_from_random_loss(made: records.Records) -> None:
    row = made.links.row(0, named=True)
    assert (row["dropped_packets"], row["window_dropped_packets"], row["lost_packets"]) == (3, 2, 5)
    # 1,250,000 bytes are what 10 Mbit/s carry in the second of the window.
    assert (row["window_delivered_bytes"], row["utilisation"]) == (1_250_000, pytest.approx(1.0))
    assert (row["mean_queue_packets"], row["max_queue_packets"]) == (5, 5)


def test_events_carry_the_window_before_and_ssthresh_after(made: records.Records) -> None:
    assert made.events.select("kind", "flow", "value", "value2").rows() == [
        ("start", 0, None, None),
        ("loss_episode", 0, 40, 20),
        ("stop", 1, None, None),
    ]


def test_every_frame_has_the_simulators_columns(made: records.Records) -> None:
    simulated = Simulator().run(SCENARIO)
    for name, frame in made.frames().items():
        assert dict(frame.schema) == dict(simulated.frames()[name].schema), name


def test_a_connection_that_was_never_made_has_no_counters() -> None:
    rows = [row for row in ROWS if row[12:16] != struct.pack("<I", 1)]
    frames = guest.frames(guest_rows.read(b"".join(rows)), fill(SCENARIO).scenario)
    made = records.build(frames, RunFacts(canonical(SCENARIO), digest(SCENARIO), "linux", 1, "0", {}))
    row = made.flows.row(1, named=True)
    assert row["sent_packets"] is row["delivered_packets"] is row["lost_packets"] is row["mean_cwnd_packets"] is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no multiple"),
        (b"".join(ROWS)[:-1], "no multiple"),
        (b"".join(ROWS[:-1]), "have no end"),
        (row(guest_rows.BEGIN, 0, 0, 99) + END, "version"),
    ],
)
def test_damaged_records_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(guest_rows.RecordsDamaged, match=said):
        guest_rows.read(content)
