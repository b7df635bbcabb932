"""Section 4.1: how far each stack raises the round-trip time that pings beside it see."""

from __future__ import annotations

from dataclasses import replace

from windtunnel.experiment import Experiment, Measure
from windtunnel.plots.declared import Compared, Published
from windtunnel.suites.linux24 import FAST_NOTE
from windtunnel.suites.slac03.common import EMULATES, LASTING, LIMITS, NETWORK, NOTES, PROTOCOLS, REPEATS, SITES, WINDOWS, offered
from windtunnel.suites.slac03.throughput import QUICK, alone

EXPERIMENTS = (
    Experiment(
        id="slac03.rtt",
        title="Round-trip times beside a transfer",
        question="By how much does each stack raise the round-trip time that a ping sees?",
        source="4.1 (text)",
        duration_s=1200.0,
        source_repeats=1,
        by_site={"win": LIMITS},
        points={"alg": PROTOCOLS, "site": tuple(SITES), "win": WINDOWS},
        scenario=alone,
        measures=(Measure("rtt_mean_ms"), Measure("rtt_sd_ms"), Measure("rtt_max_ms")),
        figures=(
            Compared(
                "mean",
                "Mean round-trip time beside one transfer to each site",
                metric="rtt_mean_ms",
                series="win",
                panels="site",
                y_label="Round-trip time (ms)",
                caption="Without a queue: 10, 70 and 170 ms.",
            ),
            Compared(
                "largest",
                "Largest round-trip time beside one transfer to each site",
                metric="rtt_max_ms",
                series="win",
                panels="site",
                y_label="Round-trip time (ms)",
                published=(Published({"alg": "ptcp", "site": "Caltech", "win": "1MB"}, 200.0),),
                caption="Hollow: the paper's text.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1 (ptcp: 16 streams, each with the window limit)"),
            ("probes", "one a second, of no size of their own"),
            LASTING,
        ),
        repeats=REPEATS,
        kept="all",
        quick=replace(QUICK, points={"site": ("Caltech", "Manchester"), "win": ("512KB", "1MB", "8MB")}),
        notes=(
            *NOTES,
            FAST_NOTE,
            "The runs are those of Table 1. That sixteen windows of 1 MB raise the short path's pings to 200 ms is what the queue was "
            "inferred from: that claim tests the arithmetic only.",
        ),
        only=offered,
        emulates=EMULATES,
    ),
)
