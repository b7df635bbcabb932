"""What is expected of a scalable controller and of CUBIC beside it: the RFCs' sentences, and what was published."""

from __future__ import annotations

from windtunnel.suites.criteria import Criterion, Expectation, Followed
from windtunnel.suites.l4s.published import shares
from windtunnel.suites.l4s.sharing import OTHERS, QUEUES, RTTS

EDITION = (
    "RFC 9331 and RFC 9332 (January 2023) as their requirements are known, their texts not read; "
    "published numbers from heistp/l4s-tests (November 2020), read"
)
LEFT_OUT = (
    "A device behind the bottleneck that wipes marks (RFC 9331, 5): the path has none.",
    "Datagrams that claim ECT(1) and do not answer (RFC 9332, 4.2): the simulator's are never ECN-capable.",
    "Bursts of a link layer (heistp/l4s-tests, burst intolerance), and tests with jitter.",
    "Less than two segments in flight (RFC 9331, 4.3): the simulator's Prague keeps two.",
    "Detection of a classic queue (the fallback of 2020): neither Prague here nor the reference's default has one.",
)
SCALABLE = ("prague", "dctcp")
OF_2020 = "Published of single runs, of the Prague of August 2020, which was not independent of the RTT."


def _published() -> tuple[Expectation, ...]:
    known = shares()
    found = []
    for alg in OTHERS:
        for queue in QUEUES:
            for opponent in OTHERS:
                for rtts in RTTS:
                    slow, fast = (known[rate, queue, alg, opponent, rtts] for rate in (10, 50))
                    at = f"alg=ALG,other='{opponent}',queue='{queue}',rtts='{rtts}'"
                    found.append(
                        Expectation(
                            f"{queue}-{opponent}-{rtts.replace('/', '-')}",
                            "l4s.pairs",
                            f"ALG beside {opponent} under {queue}, RTTs of {rtts} ms, has its published share of both rates",
                            f"max(abs(M('share',{at},rate=10)-{slow}), abs(M('share',{at},rate=50)-{fast})) <= 0.1",
                            f"within 0.1 of the published {slow:g} at 10 Mbit/s and {fast:g} at 50",
                            only=(alg,),
                            caveat=OF_2020 if "prague" in (alg, opponent) else "",
                        )
                    )
    return tuple(found)


CRITERIA = (
    Criterion(
        "01",
        "Coexistence in DualPI2",
        "RFC 9332, 2.5.1",
        "aim",
        (
            Expectation(
                "equal",
                "l4s.mixes",
                "flows of ALG and of CUBIC in DualPI2 have rates within a factor of two, in every mix",
                "max(V('mean_share',over='mix',alg=ALG)) <= 2/3 and min(V('mean_share',over='mix',alg=ALG)) >= 1/3",
                "a factor of two; the text has roughly equal flow rates",
                only=SCALABLE,
            ),
            Expectation(
                "delay",
                "l4s.mixes",
                "packets of ALG wait on average less than a millisecond beside CUBIC, in every mix",
                "max(V('first_wait_ms',over='mix',alg=ALG)) <= 1.0",
                "1 ms; RFC 9332's step is at 0.8 to 1.2 ms",
                only=SCALABLE,
            ),
            Expectation(
                "classic-delay",
                "l4s.mixes",
                "CUBIC's packets wait on average at most twice the classic target of 15 ms",
                "max(V('last_wait_ms',over='mix',alg=ALG)) <= 30",
                "twice the target",
                only=SCALABLE,
            ),
            Expectation(
                "full",
                "l4s.mixes",
                "ALG and CUBIC use at least 95 % of the link in every mix",
                "min(V('util',over='mix',alg=ALG)) >= 0.95",
                "95 %",
                only=SCALABLE,
            ),
        ),
    ),
    Criterion(
        "02",
        "Independence of the RTT below 25 ms",
        "RFC 9331, 4.3",
        "MUST",
        (
            Expectation(
                "short",
                "l4s.rtt",
                "two flows of ALG, of 5 and 20 ms, have rates within a factor of 1.5",
                "max(M('second_over_first',alg=ALG,rtt=5), 1/M('second_over_first',alg=ALG,rtt=5)) <= 1.5",
                "a factor of 1.5; the text has no number",
                caveat="CUBIC is not asked to; it is shown for comparison.",
            ),
            Expectation(
                "long",
                "l4s.rtt",
                "two flows of ALG, of 20 and 100 ms, differ by no more than their RTTs do",
                "M('second_over_first',alg=ALG,rtt=100) >= 1/5",
                "the ratio of the RTTs",
            ),
        ),
    ),
    Criterion(
        "03",
        "Coexistence in one queue that marks as RFC 3168 does",
        "RFC 9331, 4.3",
        "MUST",
        tuple(
            Expectation(
                queue,
                "l4s.onequeue",
                f"beside CUBIC under {queue} ALG has at most three quarters of both rates",
                f"M('share',alg=ALG,queue='{queue}') <= 0.75",
                "three quarters; the text has no number",
                caveat="heistp/sce-l4s-ect1 found starvation of CUBIC where the fallback of 2020 did not see the queue."
                if queue != "red"
                else "",
            )
            for queue in ("pie", "codel", "red")
        ),
    ),
    Criterion(
        "04",
        "A loss is answered as by Reno",
        "RFC 9331, 4.3",
        "MUST",
        (
            Expectation(
                "drop-tail",
                "l4s.onequeue",
                "beside CUBIC in a FIFO ALG has no more than half of both rates and a tenth",
                "M('share',alg=ALG,queue='drop-tail') <= 0.6",
                "0.6",
            ),
            Expectation(
                "alone",
                "l4s.fallback",
                "alone in a FIFO ALG uses 95 % of the link",
                "M('util',alg=ALG,queue='drop-tail') >= 0.95",
                "95 %",
            ),
        ),
    ),
    Criterion(
        "05",
        "Alone on classic queues that mark",
        "RFC 9331, 4.3",
        "-",
        tuple(
            Expectation(
                queue,
                "l4s.fallback",
                f"alone under {queue} ALG uses 90 % of the link, and waits on average at most 30 ms",
                f"M('util',alg=ALG,queue='{queue}') >= 0.9 and M('wait_ms',alg=ALG,queue='{queue}') <= 30",
                "90 %, and twice PIE's target",
            )
            for queue in ("dualpi2", "pie", "codel", "fq-codel")
        ),
    ),
    Criterion(
        "06",
        "Bleached ECN",
        "RFC 9331, 5",
        "-",
        (
            Expectation(
                "cleared",
                "l4s.bleached",
                "with its ECN field cleared ALG has between a third and two thirds beside CUBIC",
                "abs(M('share',alg=ALG,field='cleared')-0.5) <= 1/6",
                "a third to two thirds",
                only=SCALABLE,
            ),
            Expectation(
                "changed",
                "l4s.bleached",
                "with its ECN field changed to ECT(0) ALG has between a third and two thirds beside CUBIC",
                "abs(M('share',alg=ALG,field='ECT(0)')-0.5) <= 1/6",
                "a third to two thirds",
                only=SCALABLE,
            ),
        ),
    ),
    Criterion(
        "07",
        "Where the link falls",
        "heistp/l4s-tests, scenario 2",
        "published",
        (
            Expectation(
                "high",
                "l4s.step",
                "ALG under fq-codel, from 50 to 1 Mbit/s: the RTT rises by more than a second, for longer than 10 s",
                "M('spike_ms',alg=ALG,queue='fq-codel',to=1) >= 1000 and M('spike_s',alg=ALG,queue='fq-codel',to=1) >= 10",
                "published of Prague: 4346 ms, and over 30 s",
                only=("prague",),
            ),
            Expectation(
                "longer",
                "l4s.step",
                "ALG under fq-codel, from 50 to 25 Mbit/s: the rise lasts longer than CUBIC's",
                "M('spike_s',alg=ALG,queue='fq-codel',to=25) > M('spike_s',alg='cubic',queue='fq-codel',to=25)",
                "published of Prague: about 5 s, of CUBIC a brief spike",
                only=("prague",),
            ),
        ),
    ),
    Criterion(
        "08",
        "Overload",
        "RFC 9332, 4.2",
        "MUST",
        (
            Expectation(
                "bounded",
                "l4s.overload",
                "beside datagrams of 110 % of the link packets of ALG wait on average at most 20 ms",
                "M('wait_ms',alg=ALG,load=1.1) <= 20",
                "20 ms: the classic target and a third",
                only=SCALABLE,
            ),
            Expectation(
                "crowd",
                "l4s.crowd",
                "beside 200 flows of ALG on 10 Mbit/s a CUBIC flow keeps a tenth of an equal share",
                "M('classic_mbps',alg=ALG,flows=200) >= 0.1*10/201",
                "a tenth of an equal share",
                only=SCALABLE,
            ),
        ),
    ),
    Criterion("09", "Published shares of two flows", "heistp/l4s-tests, fairness table", "published", _published()),
)
FOLLOWED = Followed(EDITION, LEFT_OUT, CRITERIA)
