"""The open questions of 2008: what its experiments must measure, whatever the claims say."""

from __future__ import annotations

import pytest

from windtunnel.backends import backend
from windtunnel.experiment import Draws
from windtunnel.scenario import Bottleneck
from windtunnel.stats import ks_distance
from windtunnel.suites.open08 import synthetic


@pytest.mark.parametrize("shape", ["convex", "concave-convex"])
def test_a_flow_that_runs_a_function_packet_by_packet_has_the_windows_of_the_function(shape: str) -> None:
    point = {"alg": shape, "p": 0.2}
    asked = synthetic.by_the_clock(point, Draws(1))
    link = Bottleneck(rate_bps=1e11, queue_bdp=1.0, losses=asked.bottleneck.losses)  # Slow start overshoots this one by less.
    run = backend("sim").run(asked.model_copy(update={"bottleneck": link, "duration_s": 750.0}))
    backoffs = run.events.filter(run.events["kind"] == "loss_episode")["value"].to_numpy()[synthetic.SETTLING_EPOCHS :]
    assert backoffs.size > 300
    distance = ks_distance(backoffs * synthetic.scale(point), synthetic.iterated(shape, point, seed=2))
    # Kolmogorov: 1.63 / sqrt(n) at one in a hundred, for draws that do not depend on each other; these do, on the few before.
    assert distance < 2 * 1.63 / backoffs.size**0.5
