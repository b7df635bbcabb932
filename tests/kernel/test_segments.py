"""The recorder: the peer of a kernel's TCP that is a program, and what it writes down."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from windtunnel.backends.linux import segments, stimuli, store
from windtunnel.backends.linux.errors import KernelError

# Five segments of which two arrive in time. The last is late, the two before it are later still, and a tail loss probe is lost.
TAIL = (
    "tail mss=1000 ts=0 idle=0 quick=0 there=50050 back=50050 writes=0:5 lates=2:370000,3:370000,4:270000 drops=5 ack_drops=2 end=3000000"
)

DATA = Path(__file__).parents[2] / "data" / "kernel-segments" / "recorded"


@pytest.fixture
def recent(kernel: store.Kernel) -> store.Kernel:
    """A kernel that can have a program as its peer."""
    try:
        segments.check(kernel)
    except KernelError as error:
        pytest.skip(str(error))
    return kernel


def _states(text: str) -> list[dict[str, int]]:
    """Every row's state in full."""
    states: list[dict[str, int]] = [{}]
    for line in text.splitlines():
        if line[0].isdigit():
            words = [word for word in line.split()[2:] if word[0] not in ">?"]
            states.append({**states[-1], **{word[0]: int(word[1:]) for word in words}})
    return states[1:]


def test_a_tail_that_was_only_late_costs_a_probe_and_nothing_else(recent: store.Kernel) -> None:
    """As packetdrill on this kernel had it: cwnd 10 throughout, one retransmission, no timeout; then reordering is seen."""
    states = _states(segments.play(recent, [TAIL]))
    fields = ("c", "h", "s", "k", "l", "x", "u", "y", "d", "o", "q", "n")
    rows = [tuple(state.get(field, 0) for field in fields) for state in states]
    none = 2147483647
    assert (10, none, 0, 0, 0, 0, 3, 0, 3, 301, 3, 0) in rows
    assert (10, none, 0, 0, 0, 0, 3, 1, 3, 301, 3, 0) in rows
    assert (10, none, 1, 1, 0, 0, 3, 1, 4, 301, 3, 0) in rows
    assert {row[0] for row in rows} == {10}
    assert rows[-1][6:10] == (0, 1, 6, 301)
    assert rows[-1][-1] == 1


def test_a_recording_can_be_made_again_to_the_byte(recent: store.Kernel) -> None:
    """The same scripts in the same order; in another, events may fall some microseconds elsewhere."""
    scripts = [stimuli.script("cubic", kind, 0) for kind in ("losses", "stalls", "disorder")]
    assert segments.play(recent, scripts) == segments.play(recent, scripts)


def test_the_stored_recordings_are_what_this_kernel_answers(recent: store.Kernel) -> None:
    """Ten scripts in a row of an algorithm without randomness."""
    if recent.version != "6.1.192":
        pytest.skip(f"the recordings are of Linux 6.1.192, not of {recent.version}")
    stored = (DATA / "vegas.txt").read_text()
    assert segments.play(recent, stimuli.scripts("vegas")[:10]) in stored


def test_a_script_that_cannot_be_read_is_named(recent: store.Kernel) -> None:
    """By the guest itself, not by a dead one."""
    with pytest.raises(KernelError, match="script odd: colour is no key"):
        segments.play(recent, ["odd colour=3"])


def test_a_kernel_of_an_older_windtunnel_is_refused(kernel: store.Kernel, tmp_path: Path) -> None:
    """It has to be built again, and that is said."""
    (tmp_path / "config").write_text("CONFIG_PACKET=y\n# CONFIG_TUN is not set\n")
    with pytest.raises(KernelError, match="too old: it was built without CONFIG_TUN; build it again: windtunnel kernel build"):
        segments.check(dataclasses.replace(kernel, folder=tmp_path))
