"""What is expected of a discipline in each scenario of RFC 7928. The text characterises and has no thresholds: all are ours."""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel.suites.criteria import Criterion, Expectation, Followed
from windtunnel.suites.rfc7928.common import BUFFER_PACKETS, REFERENCE

EDITION = "draft-ietf-aqm-eval-guidelines-13 (2016), the version before RFC 7928; the RFC's own text was not read"
LEFT_OUT = (
    "Packet delay variation and gaps between losses (2.2, 2.6): the records have the queue's delay and numbers of losses, no packet's.",
    "Adaptive video (7.2, 9.1): the video sends chunks of a fixed rate.",
    "LEDBAT's gain of 10 (5.4): RFC 6817 allows 1 at most, and 1 is run.",
    "Packets of 500 bytes (4.4): 576 are run, the least that a path carries here.",
    "Scheduling (4.6), implementation cost (11) and auto-tuning (12), which are text to write, not runs to make.",
    "Stability against parameters (8.3): `windtunnel run --aqm NAME,KEY=VALUE` changes them; no sweep is declared.",
    "Losses of SYNs and DNS queries (9.2): connections of long flows are made already.",
)
HALF = "at most half of drop-tail's, in the same buffer"
NINE = "at least 90 % of drop-tail's"
MANAGED = (REFERENCE,)
PHASE_NAMES = tuple(f"phase {number}" for number in range(1, 7))


def _delay(experiment: str, where: str = "", name: str = "delay", at: str = "") -> Expectation:
    return Expectation(
        name,
        f"rfc7928.{experiment}",
        f"the mean queueing delay under ALG{where} is at most half of that under drop-tail",
        f"M('qdelay_mean_ms',aqm=ALG{at}) <= 0.5*M('qdelay_mean_ms',aqm='{REFERENCE}'{at})",
        HALF,
        but=MANAGED,
    )


def _goodput(experiment: str, where: str = "", name: str = "goodput", at: str = "") -> Expectation:
    return Expectation(
        name,
        f"rfc7928.{experiment}",
        f"the goodput under ALG{where} is at least 90 % of that under drop-tail",
        f"M('goodput_mbps',aqm=ALG{at}) >= 0.9*M('goodput_mbps',aqm='{REFERENCE}'{at})",
        NINE,
        but=MANAGED,
    )


def _levels() -> Sequence[Expectation]:
    found: list[Expectation] = []
    for level in ("mild", "medium", "heavy"):
        at, where = f",alg='reno',ecn='off',level='{level}'", f", {level} congestion"
        found += [_delay("levels", where, f"delay-{level}", at), _goodput("levels", where, f"goodput-{level}", at)]
    return found


CRITERIA = (
    Criterion(
        "4.4",
        "Packets of different sizes are treated alike",
        "4.4, 8.2.2",
        "-",
        (
            Expectation(
                "sizes",
                "rfc7928.sizes",
                "ALG loses the same share of packets of 576 and of 1500 bytes",
                "max(M('small_over_large_loss',aqm=ALG), 1/M('small_over_large_loss',aqm=ALG)) <= 1.5",
                "a factor of 1.5 either way",
                caveat="BCP 41 (RFC 7141) asks that the size of a packet does not change its probability of being dropped.",
            ),
        ),
    ),
    Criterion(
        "4.5",
        "ECN",
        "4.5",
        "must be discussed",
        (
            Expectation(
                "marks",
                "rfc7928.levels",
                "with ECN-capable flows ALG drops at most a tenth of what it drops without, all levels together",
                "M('drop_share',aqm=ALG,alg='reno',ecn='on') <= 0.1*M('drop_share',aqm=ALG,alg='reno',ecn='off')",
                "a tenth",
                but=MANAGED,
                caveat="A discipline without marks (drop-head, fq) fails by what it is.",
            ),
            Expectation(
                "delay-ecn",
                "rfc7928.levels",
                "marks in place of drops do not make the delay under ALG longer, all levels together",
                "M('qdelay_mean_ms',aqm=ALG,alg='reno',ecn='on') <= 1.1*M('qdelay_mean_ms',aqm=ALG,alg='reno',ecn='off')",
                "10 % more",
                but=MANAGED,
            ),
        ),
    ),
    Criterion(
        "4.6",
        "Interaction with scheduling",
        "4.6",
        "should be discussed",
        not_evaluated="a text to write; fq, fq-codel, fq-pie and cake are run as wholes",
    ),
    Criterion("5.1.1", "One TCP-friendly flow", "5.1.1", "must be considered", (_delay("friendly"), _goodput("friendly"))),
    Criterion(
        "5.1.2",
        "Different initial windows",
        "5.1.2",
        "must",
        (
            Expectation(
                "completion",
                "rfc7928.windows",
                "a short flow beside a long one is done under ALG no later than under drop-tail, with both initial windows",
                "all(a <= b for a,b in zip(V('completion_s',over='iw',flow='2',aqm=ALG), "
                f"V('completion_s',over='iw',flow='2',aqm='{REFERENCE}')))",
                "drop-tail's time",
                but=MANAGED,
            ),
        ),
    ),
    Criterion("5.2", "One flow that is more aggressive", "5.2", "must", (_delay("aggressive"), _goodput("aggressive"))),
    Criterion(
        "5.3",
        "Traffic that does not answer",
        "5.3",
        "must",
        (
            Expectation(
                "flood",
                "rfc7928.flood",
                "datagrams at 110 % of the link's rate do not hold the queue under ALG full",
                "M('qdelay_mean_ms',aqm=ALG,load=1.1) <= 0.5*100",
                f"half of the buffer's {BUFFER_PACKETS} packets, 100 ms",
            ),
            Expectation(
                "left",
                "rfc7928.unresponsive",
                "beside datagrams of 60 % of the link a NewReno flow carries under ALG half of what they leave",
                "M('left_share',aqm=ALG,load=0.6) >= 0.5",
                "half of what is left",
            ),
            Expectation(
                "starved",
                "rfc7928.unresponsive",
                "beside datagrams of the link's whole rate a NewReno flow carries under ALG a hundredth of the link",
                "M('left_share',aqm=ALG,load=1.0)*0.05 >= 0.01",
                "1 % of the link",
            ),
        ),
    ),
    Criterion(
        "5.4",
        "Less than best effort",
        "5.4",
        "may",
        (
            Expectation(
                "gives-way",
                "rfc7928.lbe",
                "LEDBAT beside NewReno has at most a quarter of what both carry under ALG",
                "M('ledbat_share',aqm=ALG) <= 0.25",
                "a quarter",
                caveat="A queue that is kept below LEDBAT's target hides from it that it is in the way.",
            ),
        ),
    ),
    Criterion(
        "6.2",
        "Fairness between round-trip times",
        "6.2",
        "must",
        (
            Expectation(
                "rtt",
                "rfc7928.rtt",
                "under ALG two flows whose RTTs differ share no less equally than under drop-tail, at every RTT from 10 to 200 ms",
                "all(abs(log10(a)) <= abs(log10(b)) + 0.176 for a,b in zip("
                f"V('second_over_first',over='rtt',lo=10,hi=200,aqm=ALG), "
                f"V('second_over_first',over='rtt',lo=10,hi=200,aqm='{REFERENCE}')))",
                "a factor of 1.5 beyond drop-tail's ratio",
                but=MANAGED,
                caveat="Drop-tail's full buffer of 560 ms is part of every round trip and makes RTTs alike; a short queue does not.",
            ),
        ),
    ),
    Criterion(
        "7.2",
        "Bursts",
        "7.2",
        "must",
        (
            Expectation(
                "pages",
                "rfc7928.bursts",
                "pages beside video, CBR and a bulk flow (IV) are there under ALG no later than under drop-tail",
                f"M('page_s',aqm=ALG,mix='IV') <= M('page_s',aqm='{REFERENCE}',mix='IV')",
                "drop-tail's time",
                but=MANAGED,
            ),
            Expectation(
                "cbr",
                "rfc7928.bursts",
                "in all mixes ALG loses at most 1 % of the datagrams of a constant bit rate",
                "max(V('datagrams_lost',over='mix',aqm=ALG)) <= 0.01",
                "1 %",
            ),
        ),
    ),
    Criterion("8.2.2-4", "Mild, medium and heavy congestion", "8.2.2 to 8.2.4", "-", _levels()),
    Criterion(
        "8.2.5",
        "Congestion that varies",
        "8.2.5",
        "must",
        (
            Expectation(
                "phases",
                "rfc7928.varying",
                "in each of the six phases the mean delay under ALG is at most half of drop-tail's",
                "all(M('phase_delay_ms',state=s,aqm=ALG) <= "
                f"0.5*M('phase_delay_ms',state=s,aqm='{REFERENCE}') for s in {list(PHASE_NAMES)})",
                HALF,
                but=MANAGED,
            ),
        ),
    ),
    Criterion(
        "8.2.6",
        "Capacity that varies",
        "8.2.6",
        "must",
        tuple(
            expectation
            for every, key in (("20 s", "20s"), ("100 ms", "100ms"))
            for expectation in (
                Expectation(
                    f"delay-{key}",
                    "rfc7928.capacity",
                    f"where the rate changes every {every} the mean delay under ALG is at most half of drop-tail's",
                    f"M('whole_delay_ms',aqm=ALG,every='{every}') <= 0.5*M('whole_delay_ms',aqm='{REFERENCE}',every='{every}')",
                    f"{HALF}; the text asks for the comparison",
                    but=MANAGED,
                ),
                _goodput("capacity", f", the rate changing every {every}", f"goodput-{key}", f",every='{every}'"),
            )
        ),
    ),
    Criterion(
        "8.3", "Sensitivity to parameters, stability", "8.3", "should be discussed", not_evaluated="no sweep of parameters is declared"
    ),
    Criterion(
        "9.1",
        "A mix of traffic",
        "9.1",
        "recommended",
        (
            Expectation(
                "pages",
                "rfc7928.mix",
                "pages in the mix are there under ALG no later than under drop-tail",
                f"M('page_s',aqm=ALG) <= M('page_s',aqm='{REFERENCE}')",
                "drop-tail's time",
                but=MANAGED,
            ),
            Expectation("voice", "rfc7928.mix", "ALG loses at most 1 % of a call's packets", "M('voice_lost',aqm=ALG) <= 0.01", "1 %"),
        ),
    ),
    Criterion("9.2", "Traffic in both directions", "9.2", "may", (_delay("bidirectional"), _goodput("bidirectional"))),
    Criterion(
        "10.2",
        "Several disciplines in a row",
        "10.2",
        "may",
        (
            Expectation(
                "second",
                "rfc7928.two",
                "behind a queue under ALG the second discipline decides goodput: with drop-tail there it is at least that with CoDel",
                "M('goodput_mbps',aqm=ALG,second='drop-tail') >= M('goodput_mbps',aqm=ALG,second='codel')",
                "more than CoDel's",
                only=("pie", "codel", "fq-codel"),
            ),
        ),
    ),
    Criterion("11", "Implementation cost", "11", "discuss", not_evaluated="a text to write"),
    Criterion(
        "12",
        "Operator control and auto-tuning",
        "12",
        "discuss",
        not_evaluated="a text to write; every discipline runs with its own text's defaults",
    ),
)
FOLLOWED = Followed(EDITION, LEFT_OUT, CRITERIA, dimension="aqm")
