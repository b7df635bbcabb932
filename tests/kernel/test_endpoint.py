"""The kernel's TCP as a whole stack against the same kernel's TCP in a guest's own network."""

import pytest

import windtunnel as wt
from windtunnel.backends.linux import store
from windtunnel.foreign import stacks

STARTS_S = (2.0, 2.0137, 2.0274, 2.0411)


@pytest.fixture
def both():
    """A kernel that is built as a stack and for guests, whichever it is: what scenarios call the one, and the backend of the other."""
    guests = {one.version: f"linux:{one.name}" for one in store.kernels()}
    found = [(one.known_as, guests[one.version]) for one in stacks.built() if one.name == "linux" and one.version in guests]
    if not found:
        pytest.skip("no kernel is built both as a stack and for guests: windtunnel stacks build linux, windtunnel kernel build")
    return found[0]


def runs(flow, backend):
    """Four runs of two flows, the second at times within 41 ms: sent and retransmitted packets of both, means."""
    table = []
    for start_s in STARTS_S:
        given = {"bottleneck": {"rate": "20Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "20s", "jitter": 0}
        flows = wt.run(wt.Scenario.model_validate(given | {"flows": [flow, f"{flow},start={start_s}s"]}), backend=backend).flows
        table.append(flows["sent_packets"].to_list() + flows["retransmitted_packets"].to_list())
    return [sum(column) / len(STARTS_S) for column in zip(*table, strict=True)]


@pytest.mark.parametrize("algorithm", ["cubic", "reno"])
def test_two_flows_are_the_same_in_both_in_their_means(both, algorithm):
    known_as, backend = both
    stack, network = runs(f"{algorithm},stack={known_as}", "sim"), runs(f"{algorithm},handshake=true", backend)
    # Both fill the link: together they send alike. Who loses which packet is a matter of microseconds: of either flow's share a tenth.
    assert sum(stack[:2]) == pytest.approx(sum(network[:2]), rel=0.003)
    assert stack[:2] == pytest.approx(network[:2], rel=0.1)
    assert sum(stack[2:]) == pytest.approx(sum(network[2:]), rel=0.1, abs=4)


@pytest.fixture
def any_linux():
    found = [one for one in stacks.built() if one.name == "linux"]
    if not found:
        pytest.skip("linux is not built: windtunnel stacks build linux")
    return found[0]


def test_the_kernel_a_quic_stack_and_a_simulated_flow_share_one_queue(any_linux):
    """The same records twice; a queue that serves them in turn gives the kernel what it gives the simulator."""
    if not any(one.name == "quinn" for one in stacks.built()):
        pytest.skip("quinn is not built: windtunnel stacks build quinn")
    given = {"bottleneck": {"rate": "30Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "15s", "warmup": "5s"}
    flows = ["cubic,stack=linux", "cubic,stack=quinn", "cubic"]
    run = wt.run(wt.Scenario.model_validate(given | {"flows": flows}))
    assert run.flows["algorithm"].to_list() == ["cubic@linux", "cubic@quinn", "cubic"]
    assert run.flows["variant"].to_list()[0] == f"linux-{any_linux.version}"
    # What one queue of a BDP demands of three that back off to 0.7: the link is full, and each has lost packets and carried its part of it.
    assert run.links["utilisation"][0] > 0.97
    assert min(run.flows["lost_packets"]) > 0
    rates = [row["goodput_bps"] for row in run.summary["flows"]]
    assert 0.9 * 30e6 < sum(rates) < 30e6 and min(rates) > 0.1 * sum(rates)
    assert wt.run(wt.Scenario.model_validate(given | {"flows": flows})).records.digest() == run.records.digest()
    fair = wt.run(wt.Scenario.model_validate(given | {"flows": flows, "bottleneck": given["bottleneck"] | {"discipline": "fq-codel"}}))
    kernel, quic, simulated = (row["throughput_bps"] for row in fair.summary["flows"])
    # The same law with the same headers: the same share. Another's CUBIC is no less than the mean of a window that falls to 0.7 of a third.
    assert kernel == pytest.approx(simulated, rel=0.02)
    assert 0.85 * kernel < quic < kernel
