"""Files of hosts, and what iperf3 reports as rows; nothing is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.backends import backend
from windtunnel.backends.live import expressible, hosts
from windtunnel.backends.live.errors import LiveError
from windtunnel.backends.live.iperf import rows
from windtunnel.live.iperf import _intervals
from windtunnel.live.watch import COLUMNS
from windtunnel.scenario import parse

END = '{ ssh = "root@a", device = "eth1", router_device = "eth2" }'
PAIR = f"[[pairs]]\nsender = {END}\nreceiver = {END.replace('root@a', 'root@b')}\n"


def written(folder: Path, text: str) -> str:
    (folder / "hosts.toml").write_text(text)
    return str(folder / "hosts.toml")


def test_flows_take_the_pairs_one_after_the_other(tmp_path: Path) -> None:
    found = hosts.read(written(tmp_path, PAIR + PAIR.replace("root@b", "root@c")))
    assert found.traffic == "own"
    assert found.router_ssh is None
    assert [found.pair(flow)[1].ssh for flow in range(3)] == ["root@b", "root@c", "root@b"]
    assert found.targets == ("root@a", "root@b", "root@c")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "pairs: there are none"),
        ("traffic = 'nc'\n" + PAIR, "traffic: 'nc' is none; allowed: own, iperf3"),
        (PAIR.replace("device = ", "devise = ", 1), "pairs[0].sender.devise: is not known"),
        (PAIR.replace('"eth1"', "1", 1), "pairs[0].sender.device: 1 is no text"),
        ("[router]\nssh = 'root@a'\npython = 'x'\n" + PAIR, "root@a routes and is an end of a flow"),
        ("[router]\nssh = 'root@r'\n" + PAIR, "router.python: is missing"),
        ("[[pairs]]\nsender = 3\n", "pairs[0].sender: is missing"),
        ("[", "is not valid TOML"),
    ],
)
def test_a_file_that_says_something_else_is_refused_with_the_field(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(LiveError) as refused:
        hosts.read(written(tmp_path, text))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_one_line() -> None:
    with pytest.raises(LiveError, match=r"live: hosts: nowhere\.toml"):
        backend("live:nowhere.toml")


def test_what_iperf3_does_not_take_is_refused_by_name() -> None:
    path = {"bottleneck": {"rate": "10Mbit"}, "rtt": "20ms", "duration": "5s"}
    given = parse(path | {"flows": ["cubic,window=20", "cubic,bytes=1MB", "bbr"]})
    found = expressible.unsupported_afar(given, "iperf3")
    assert [one.partition(":")[0] for one in found] == ["flows[0].window_packets", "flows[1].bytes"]
    assert not expressible.unsupported_afar(given, "own")


REPORT = """{"intervals": [
 {"streams": [{"start": 0, "end": 0.1, "bytes": 144800, "retransmits": 2, "snd_cwnd": 28960, "rtt": 21000}]},
 {"streams": [{"start": 0.1, "end": 0.2, "bytes": 289600, "retransmits": 0, "snd_cwnd": 14480, "rtt": 22000}]},
 {"streams": []}], "error": "interrupt - the client has terminated"}"""


def test_rows_have_the_senders_window_and_what_the_receiver_took() -> None:
    # Ended 5.2 s behind the beginning: its last interval ended then.
    sender = _intervals(REPORT, 5.2)
    assert sender[0][:2] == pytest.approx([5.0, 5.1])
    receiver = [[5.05, 5.15, 144800, None, None, None], [5.15, 5.25, 144800, None, None, None]]
    spec = {"flows": [{"mss_bytes": 1448}]}
    found, events = rows([[0, "sender", sender], [0, "receiver", receiver]], spec)
    first, last = (dict(zip(COLUMNS, row, strict=True)) for row in found)
    assert (first["cwnd"], last["cwnd"]) == (20.0, 10.0)
    assert (first["retransmitted"], last["retransmitted"]) == (2, 2)
    # Half of the first hundred packets by 5.1 s, and half of the second by 5.2 s.
    assert (first["delivered"], last["delivered"]) == (50.0, 150.0)
    assert last["sent"] != last["sent"]
    assert [event[2] for event in events] == ["start"]


def test_a_report_that_is_cut_off_is_no_row() -> None:
    assert _intervals('{"intervals": [', 1.0) == []
    assert rows([[0, "sender", []]], {"flows": [{"mss_bytes": 1448}]}) == ([], [])
