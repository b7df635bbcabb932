"""What is expected of an algorithm in the tables of the suite: every threshold is ours and compares with standard TCP."""

from __future__ import annotations

from windtunnel.suites.criteria import Criterion, Expectation, Followed
from windtunnel.suites.tcpeval.basic import BUFFERS, FAST, SLOW
from windtunnel.suites.tcpeval.common import LOADS
from windtunnel.suites.tcpeval.latency import PAIRS, RATES
from windtunnel.suites.tcpeval.sharing import IMPACT_LOADS, PARKING_LOADS

EDITION = "draft-irtf-iccrg-tcpeval-01 (2014), from this project's condensed list of it; its traces were not to be had"
LEFT_OUT = (
    "The nine traces of campus traffic (Tmix): sessions with published marginals of web traffic stand for them, and say so on every table.",
    "The wireless LAN: no station shares a channel here.",
    "Packets of 536 bytes for a tenth of the connections, and edges as links of their own.",
    "The shuffle of starts in bins, and a run length by the traffic offered: loads are nominal, run lengths ours; --full has the draft's.",
    "Ramp and fairness at 600 s and the fairness at 1 Gbit/s; quartiles of file size.",
)
UTIL, DELAY, DROPS, TIMES = 0.95, 1.25, 1.5, 1.25


def _of(metric: str, at: str) -> tuple[str, str]:
    return (f"M('{metric}',alg=ALG,place='it',{at})", f"M('{metric}',alg=ALG,place='standard',{at})")


def _central(experiment: str, name: str, at: str) -> tuple[Expectation, ...]:
    own, standard = _of("util", at)
    waits, waits_standard = _of("qdelay_mean_ms", at)
    drops, drops_standard = _of("drop_share", at)
    return (
        Expectation(
            f"util-{name}", experiment, f"{name}: ALG uses the link as standard TCP does", f"{own} >= {UTIL}*{standard}", "95 % of it"
        ),
        Expectation(
            f"delay-{name}",
            experiment,
            f"{name}: packets of ALG wait no longer than those of standard TCP by a quarter and a millisecond",
            f"{waits} <= {DELAY}*{waits_standard} + 1",
            "a quarter and a millisecond more",
        ),
        Expectation(
            f"drops-{name}",
            experiment,
            f"{name}: ALG loses no more than one and a half times what standard TCP does, and a thousandth",
            f"{drops} <= {DROPS}*{drops_standard} + 0.001",
            "one and a half times, and 0.1 %",
        ),
    )


def _basic(experiment: str, scenarios: tuple[str, ...]) -> tuple[Expectation, ...]:
    return tuple(
        one
        for scenario in scenarios
        for load in LOADS
        for one in _central(experiment, f"{scenario.replace(' ', '-')}-{load}", f"scenario='{scenario}',load={load}")
    )


def _rampup() -> tuple[Expectation, ...]:
    found = []
    for rate in RATES:
        for pair in PAIRS:
            metric = "reach3_s" if rate == RATES[0] else "reach4_s"
            own, standard = _of(metric, f"rate={rate},pair='{pair}'")
            found.append(
                Expectation(
                    f"ramp-{rate}-{pair.replace('/', '-')}",
                    "tcpeval.rampup",
                    f"{rate} Mbit/s, {pair} ms: a new flow of ALG has its first {'1.5' if rate == RATES[0] else '15'} MB no "
                    f"later than standard TCP",
                    f"{own} <= {TIMES}*{standard}",
                    "a quarter later",
                )
            )
    return tuple(found)


CRITERIA = (
    Criterion(
        "01",
        "Basic scenarios",
        "4",
        "table",
        _basic("tcpeval.basic", FAST),
        not_evaluated="The wireless LAN of 4.4.5: no station shares a channel here.",
    ),
    Criterion("02", "Basic scenarios: satellite and dial-up", "4", "table", _basic("tcpeval.slow", SLOW)),
    Criterion(
        "03",
        "Delay against throughput",
        "5.1",
        "table",
        tuple(one for buffer in BUFFERS for one in _central("tcpeval.delay", f"buffer-{buffer}", f"buffer={buffer}")),
    ),
    Criterion("04", "Ramp of a completing flow", "5.2", "table", _rampup()),
    Criterion(
        "05",
        "Releases and uses of bandwidth",
        "5.3",
        "table",
        (
            Expectation(
                "take",
                "tcpeval.transients",
                "ALG has 80 % of the link no later after a release than standard TCP",
                " <= 1.25*".join(_of("take80_s", "case='fall'")),
                "a quarter later",
            ),
            *(
                Expectation(
                    f"lost-{case}",
                    "tcpeval.transients",
                    f"{says}, ALG costs the datagrams no more than twice what standard TCP does, and 100 packets",
                    " <= 100 + 2*".join(_of("udp_lost", f"case='{case}'")),
                    "twice, and 100 packets",
                )
                for case, says in (("rise", "a rise of 75 Mbit/s"), ("steps", "thirty steps of 2.5 Mbit/s"))
            ),
        ),
    ),
    Criterion(
        "06",
        "Impact on standard TCP",
        "6.1",
        "table",
        tuple(
            Expectation(
                f"{name}-{load}",
                "tcpeval.impact",
                says,
                f"M('camp_{camp}_mbps',alg=ALG,camps='new',load={load}) >= 0.9*M('camp_{camp}_mbps',alg=ALG,camps='standard',load={load})",
                "a tenth less",
            )
            for load in IMPACT_LOADS
            for name, camp, says in (
                ("loss", "a", f"load {load} %: standard TCP keeps its goodput beside ALG (L)"),
                ("gain", "b", f"load {load} %: ALG has what standard TCP has in its place (G)"),
            )
        ),
    ),
    Criterion(
        "07",
        "Intra-protocol and inter-RTT fairness",
        "6.2",
        "table",
        (
            Expectation(
                "intra",
                "tcpeval.fairness",
                "two flows of ALG of one RTT share as standard TCP does, on average over RTTs of 20, 80 and 160 ms",
                "mean([M('flow_ratio',alg=ALG,pair='intra',place='it',buffer=100,rtt=t) for t in [20, 80, 160]]) >= "
                "mean([M('flow_ratio',alg=ALG,pair='intra',place='standard',buffer=100,rtt=t) for t in [20, 80, 160]]) - 0.15",
                "0.15 less, buffer of a BDP",
            ),
            Expectation(
                "inter",
                "tcpeval.fairness",
                "a flow of 160 ms has beside one of 20 ms of ALG what it has beside standard TCP's",
                "M('flow_ratio',alg=ALG,pair='inter',place='it',buffer=100,rtt=20) >= "
                "0.75*M('flow_ratio',alg=ALG,pair='inter',place='standard',buffer=100,rtt=20)",
                "a quarter less, buffer of a BDP",
            ),
        ),
    ),
    Criterion(
        "08",
        "Several bottlenecks",
        "6.3",
        "table",
        tuple(
            Expectation(
                f"multi-{load}",
                "tcpeval.parking",
                f"load {load} %: transfers of ALG over three links have of those over one what standard TCP's have",
                " >= 0.75*".join(_of("multi_over_single", f"load={load}")),
                "a quarter less",
            )
            for load in PARKING_LOADS
        ),
    ),
)
FOLLOWED = Followed(edition=EDITION, left_out=LEFT_OUT, criteria=CRITERIA)
"""The tables, in the draft's order."""
