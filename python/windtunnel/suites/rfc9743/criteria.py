"""The criteria of RFC 9743, sections 5 to 7, each with what is expected of an algorithm.

The text names no threshold: "This document ... does not provide normative guidance on the acceptable thresholds". So nearly all are ours.
"""

from __future__ import annotations

from windtunnel.suites.criteria import TEXT, Criterion, Expectation, Followed
from windtunnel.suites.rfc9743.common import DEPLOYED, STANDARD

EDITION = (
    "the working group's text of RFC 9743 (BCP 133), draft-ietf-ccwg-rfc5033bis, after its revision 05 (ietf-wg-ccwg/rfc5033bis, 00010109), with the "
    "RFC's numbers of sections; the RFC as published was not read"
)
LEFT_OUT = (
    "It names criteria and no path, rate or metric: every scenario and, but for two, every threshold is this suite's own.",
    "Media, tunnels, misbehaving nodes and multipath are not run (rows 09, 14, 22, 25), and two criteria ask for texts (rows 11, 12).",
    "An algorithm beside itself does itself no harm by definition: the comparisons of rows 06 to 08 and 10 leave it out.",
    "A verdict is that of one stack, Linux 6.1's as this simulator has it, with the algorithm put in.",
)


def _beside(metric: str, rest: str, mixes: tuple[str, ...] = ("1:1", "1:4", "4:1")) -> str:
    """Return pairs (beside the algorithm, beside their like) of a metric of the others, at every queue and mix."""
    here, own = (" + ".join(f"V('{metric}', over='q', alg=ALG, opponent={rest}, mix='{mix}', place='{place}')" for mix in mixes) for place in ("it", "own"))
    return f"zip({here}, {own})"


def _harm(opponent: str) -> tuple[Expectation, ...]:
    quoted = repr(opponent)
    return (
        Expectation(
            f"rate-{opponent}",
            "rfc9743.harm",
            f"{opponent} keeps at least half of the goodput beside ALG that it has beside its like, at every queue and mix",
            f"all(a >= 0.5 * b for (a, b) in {_beside('others_mbps', quoted)})",
            "harm in rate of at most 0.5",
            but=(opponent,),
        ),
        Expectation(
            f"delay-{opponent}",
            "rfc9743.harm",
            f"{opponent} waits beside ALG no more than half as long again in the queue as beside its like, or 2 ms",
            f"all(a <= 1.5 * b + 2 for (a, b) in {_beside('wait_ms', quoted)})",
            "harm in delay of at most 0.5, or 2 ms",
            but=(opponent,),
        ),
        Expectation(
            f"loss-{opponent}",
            "rfc9743.harm",
            f"{opponent} loses at most three times beside ALG what it loses beside its like, or one packet in a thousand more",
            f"all(a <= 3 * b + 0.001 for (a, b) in {_beside('others_loss', quoted)})",
            "three times the loss, or 0.1 % of packets more",
            but=(opponent,),
        ),
    )


def _starved(opponent: str) -> Expectation:
    where = f"over='q', alg=ALG, opponent='{opponent}'"
    return Expectation(
        f"starved-{opponent}",
        "rfc9743.starvation",
        f"A {opponent} flow of ten times the round trip gets in its worst 5 s beside ALG at least a tenth of what it gets beside its like",
        f"all(a >= 0.1 * b for (a, b) in zip(V('worst', {where}, place='it'), V('worst', {where}, place='own')))",
        "a tenth of the worst 5 s beside its like",
        but=(opponent,),
    )


def _short(opponent: str) -> Expectation:
    where = f"alg=ALG, opponent='{opponent}'"
    return Expectation(
        f"short-{opponent}",
        "rfc9743.short",
        f"Short {opponent} transfers take beside a long flow of ALG at most half as long again as beside a long {opponent} flow",
        f"M('crossing_ms', {where}, place='it') <= 1.5 * M('crossing_ms', {where}, place='own')",
        "1.5 times the median time",
        but=(opponent,),
    )


SINGLE = (
    Criterion(
        "01",
        "Protection against congestion collapse",
        "5.1.1",
        "should; crucial",
        (
            Expectation(
                "half-lost",
                "rfc9743.collapse",
                "ALG sends at most one packet per round trip where half of all packets are lost",
                "M('per_rtt', alg=ALG, p=0.5) <= 1",
                "one packet per round trip, where full backoff begins; that it must have begun at a loss of 50 % is ours",
                TEXT,
            ),
            Expectation(
                "no-feedback",
                "rfc9743.feedback",
                "ALG sends at most ten packets from the first to the sixtieth second without feedback",
                "M('after_second', alg=ALG) <= 10",
                "ten packets: a timeout of 200 ms to a second that doubles brings six to eight",
            ),
            Expectation(
                "spacing",
                "rfc9743.feedback",
                "Without feedback each gap between packets of ALG is longer than the one before, by half at least",
                "M('spacing', alg=ALG) >= 1.5",
                "exponential backoff between single packets; the base of 1.5 is ours",
                TEXT,
            ),
        ),
    ),
    Criterion(
        "02",
        "Protection against bufferbloat",
        "5.1.2",
        "should try",
        (
            Expectation(
                "queue",
                "rfc9743.bufferbloat",
                "ALG keeps a mean queue of at most one base round trip where the buffer holds 4 and 20 BDP",
                "max(V('qdelay_rtts', over='rtt', alg=ALG, q=4.0) + V('qdelay_rtts', over='rtt', alg=ALG, q=20.0)) <= 1",
                "one base round trip",
            ),
        ),
    ),
    Criterion(
        "03",
        "Protection against high packet loss",
        "5.1.3",
        "should try",
        (
            Expectation(
                "shallow",
                "rfc9743.selfloss",
                "Ten flows of ALG drop at most twice what ten of Reno, or ten of CUBIC, drop at every buffer up to 1.5 BDP, or one in a hundred more",
                " or ".join(
                    "all(a <= 2 * b + 0.01 for (a, b) in zip(V('drop_share', over='q', hi=1.5, alg=ALG, place='it', n=10), "
                    f"V('drop_share', over='q', hi=1.5, alg=ALG, place='{one}', n=10)))"
                    for one in STANDARD
                ),
                "twice, or 1 % of packets more; that buffers below 1.5 BDP matter is the text's",
            ),
        ),
    ),
    Criterion(
        "04",
        "Fairness within the algorithm",
        "5.1.4",
        "should explore",
        (
            Expectation(
                "alike",
                "rfc9743.itself",
                "Like flows of ALG share with an index of at least 0.9",
                "min(V('jain', over='n', alg=ALG, case='alike')) >= 0.9",
                "Jain's index of 0.9",
            ),
            Expectation(
                "late",
                "rfc9743.itself",
                "A flow of ALG that comes late gets at least half of a fair share",
                "min(V('least', over='n', alg=ALG, case='late')) >= 0.5",
                "half of a fair share in the 100 s from 10 s on",
            ),
            Expectation(
                "far",
                "rfc9743.itself",
                "A flow of ALG with four times the round trip gets at least a tenth of a fair share",
                "min(V('least', over='n', alg=ALG, case='far')) >= 0.1",
                "a tenth of a fair share",
            ),
        ),
    ),
    Criterion(
        "05",
        "Short flows on long ones, and long ones on short",
        "5.1.5",
        "MUST consider",
        (
            Expectation(
                "short",
                "rfc9743.short",
                "Short transfers of ALG beside a long flow of ALG take at most half as long again as beside a long CUBIC flow",
                "M('crossing_ms', alg=ALG, opponent='its own', place='it') <= 1.5 * M('crossing_ms', alg=ALG, opponent='its own', place='own')",
                "1.5 times the median time",
            ),
            Expectation(
                "long",
                "rfc9743.short",
                "A long flow of ALG keeps at least 60 % of what its short transfers leave",
                "M('long_mbps', alg=ALG, opponent='its own', place='it') >= 0.6 * 0.8 * 50 * 1448 / 1500",
                "60 % of the link less the transfers' load",
            ),
        ),
    ),
)
MIXED = (
    Criterion(
        "06",
        "Beside the standards' algorithms: harm in rate, delay and loss",
        "5.2 and 5.2.1",
        "SHOULD",
        tuple(one for opponent in STANDARD for one in _harm(opponent)),
        "RFC 9002's algorithm is RFC 5681's in QUIC's stack; a QUIC stack beside it is left to the suite `stacks`.",
    ),
    Criterion(
        "07",
        "Starvation; back-off when all feedback is lost",
        "5.2",
        "MUST",
        (
            *(_starved(opponent) for opponent in STANDARD),
            Expectation(
                "no-feedback",
                "rfc9743.feedback",
                "After a second without feedback ALG has backed off: at most ten packets in the 59 s after it",
                "M('after_second', alg=ALG) <= 10",
                "ten packets",
            ),
        ),
    ),
    Criterion(
        "08",
        "Beside other algorithms that are widely deployed (BBR)",
        "5.2.1",
        "should consider",
        tuple(one for opponent in DEPLOYED for one in _harm(opponent)),
        "Deployed versions of BBR are the simulator's Linux 6.1 BBRv1 and the IETF draft; what any operator runs is not known.",
    ),
    Criterion(
        "09",
        "Beside real-time congestion control",
        "5.2.2",
        "SHOULD consider",
        not_evaluated="No media source with a congestion control of its own in this suite: the tests of RFC 8867 are another suite's.",
    ),
    Criterion("10", "Short and long flows of other algorithms", "5.2.3", "MUST", tuple(_short(one) for one in STANDARD)),
    Criterion(
        "11",
        "Deviations from RFC 2914 and RFC 7141",
        "5.3.1",
        "SHOULD",
        not_evaluated="A text that its authors write; a run cannot give it.",
    ),
    Criterion("12", "Incremental deployment", "5.3.2", "ought", not_evaluated="A text that its authors write; a run cannot give it."),
)


GENERAL = (
    Criterion(
        "13",
        "Tail-drop queues",
        "6.1",
        "MUST",
        (
            Expectation(
                "small",
                "rfc9743.wired",
                "ALG uses at least 70 % of the link with a buffer of a fifth of a BDP",
                "min([M('util', alg=ALG, q=0.2, rate=r, rtt=t) for r in [10, 100] for t in [10, 100]]) >= 0.7",
                "70 % of the link",
            ),
        ),
        "Rows 01 to 10 are on drop-tail queues too.",
    ),
    Criterion(
        "14",
        "Tunnels",
        "6.2",
        "MUST consider, where path signals are used",
        not_evaluated="The simulator has no path part that strips or rewrites ECN marks.",
    ),
    Criterion(
        "15",
        "Wired paths",
        "6.3",
        "baseline",
        (
            Expectation(
                "util",
                "rfc9743.wired",
                "ALG uses at least 90 % of every wired link with a buffer of one BDP",
                "min([M('util', alg=ALG, q=1.0, rate=r, rtt=t) for r in [10, 100] for t in [10, 100]]) >= 0.9",
                "90 % of the link, 10 and 100 Mbit/s, 10 and 100 ms; 1 Gbit/s is shown",
            ),
        ),
    ),
    Criterion(
        "16",
        "Wireless paths",
        "6.4",
        "should",
        (
            Expectation(
                "random",
                "rfc9743.wireless",
                "ALG uses at least as much of a link that loses one packet in a thousand at random as Reno, less 5 %",
                "M('util', alg=ALG, place='it', case='loss 0.1 %') >= 0.95 * M('util', alg=ALG, place='reno', case='loss 0.1 %')",
                "95 % of Reno's use",
            ),
            Expectation(
                "bursts",
                "rfc9743.wireless",
                "The same where losses come in bursts",
                "M('util', alg=ALG, place='it', case='bursts') >= 0.95 * M('util', alg=ALG, place='reno', case='bursts')",
                "95 % of Reno's use",
            ),
            Expectation(
                "varying",
                "rfc9743.wireless",
                "The same where the rate varies",
                "M('util', alg=ALG, place='it', case='varying rate') >= 0.95 * M('util', alg=ALG, place='reno', case='varying rate')",
                "95 % of Reno's use",
            ),
            Expectation(
                "jitter",
                "rfc9743.wireless",
                "The same where ACKs are up to 20 ms late",
                "M('util', alg=ALG, place='it', case='jitter') >= 0.95 * M('util', alg=ALG, place='reno', case='jitter')",
                "95 % of Reno's use",
            ),
        ),
        "Models, not recordings of a radio; retransmission by the link layer is in the jitter alone.",
    ),
)
_AQM = "for q in ['fq-codel', 'pie', 'dualpi2']"
SPECIAL = (
    Criterion(
        "17",
        "Active queue management; the reaction to CE",
        "7.1",
        "SHOULD",
        (
            Expectation(
                "share",
                "rfc9743.aqm",
                "ALG leaves CUBIC at least a quarter of what both get, in each queue, with and without ECN",
                f"max([M('share', alg=ALG, queue=q, ecn=e, case='beside cubic') {_AQM} for e in ['off', 'on']]) <= 0.75",
                "three quarters of both",
            ),
            Expectation(
                "ce",
                "rfc9743.aqm",
                "With ECN asked for ALG keeps the queue at most twice as long as without it, or 5 ms longer: it reacts to CE",
                f"all([M('wait_ms', alg=ALG, queue=q, ecn='on', case='alone') <= 2 * M('wait_ms', alg=ALG, queue=q, ecn='off', "
                f"case='alone') + 5 {_AQM}])",
                "twice the delay, or 5 ms more",
            ),
        ),
    ),
    Criterion(
        "18",
        "Within the envelope of circuit breakers",
        "7.1.1",
        "ought",
        (
            Expectation(
                "policer",
                "rfc9743.policer",
                "Behind a policer ALG sends at most a tenth of its packets again",
                "max(V('loss_ovh', over='rate', alg=ALG)) <= 0.1",
                "10 %, the loss at which RFC 8084's examples trip",
            ),
        ),
    ),
    Criterion(
        "19",
        "Varying delay",
        "7.2",
        "SHOULD",
        (
            Expectation(
                "longer",
                "rfc9743.delay",
                "ALG uses at least 70 % of the link from 5 s after its path has become 70 ms longer",
                "min([M('util', alg=ALG, case='step', rate=r, t0=35, t1=60) for r in [10]]) >= 0.7",
                "70 % of the link at 10 Mbit/s; 100 Mbit/s is shown",
            ),
            Expectation(
                "hand-overs",
                "rfc9743.delay",
                "ALG uses at least 80 % of the link while its path changes by up to 30 ms each 15 s",
                "M('util', alg=ALG, case='hand-overs', rate=10) >= 0.8",
                "80 % of the link",
            ),
        ),
    ),
    Criterion(
        "20",
        "Internet of Things: constrained links",
        "7.3",
        "consider",
        (
            Expectation(
                "again",
                "rfc9743.iot",
                "ALG sends at most a tenth of its packets again where a BDP is a few packets",
                "max(V('loss_ovh', over='rate', alg=ALG)) <= 0.1",
                "10 % of packets",
            ),
            Expectation(
                "util", "rfc9743.iot", "ALG uses at least 80 % of such a link", "min(V('util', over='rate', alg=ALG, t0=60, t1=180)) >= 0.8", "80 % of the link"
            ),
        ),
        "Volume of control packets and power are not measured.",
    ),
    Criterion(
        "21",
        "High delay",
        "7.4",
        "ought",
        (
            Expectation(
                "satellite",
                "rfc9743.satellite",
                "ALG uses at least 80 % of a satellite's 40 Mbit/s from the first minute on, buffer 1 BDP",
                "M('util', alg=ALG, rate=40, q=1.0, t0=60, t1=180) >= 0.8",
                "80 % of the link; 250 Mbit/s and a quarter of a BDP are shown",
            ),
        ),
    ),
    Criterion(
        "22",
        "Misbehaving nodes",
        "7.5",
        "SHOULD",
        not_evaluated="No receiver that divides ACKs or sends them early, and no router that lies about ECN, is in the simulator.",
    ),
    Criterion(
        "23",
        "Extreme reordering",
        "7.6",
        "ought",
        (
            Expectation(
                "slight",
                "rfc9743.reordering",
                "ALG uses at least 80 % of the link where one packet in a hundred is late by up to a round trip",
                "min(V('util', over='depth', alg=ALG, p=0.01)) >= 0.8",
                "80 % of the link",
                caveat="Recovery is the stack's, RACK.",
            ),
        ),
    ),
    Criterion(
        "24",
        "Transient events; sudden changes of the path",
        "7.7 and 7.7.1",
        "SHOULD; MUST evaluate changes of the path",
        (
            Expectation(
                "back",
                "rfc9743.transients",
                "The link is full again within 10 s of a change: less rate, an outage, a longer way",
                "max([M('back_s', alg=ALG, case=c) for c in ['rate / 10', 'outage', 'longer way']]) <= 10",
                "10 s",
            ),
            Expectation(
                "more",
                "rfc9743.transients",
                "ALG fills ten times the rate within 20 s",
                "M('back_s', alg=ALG, case='rate x 10') <= 20",
                "20 s",
            ),
            Expectation(
                "drain",
                "rfc9743.transients",
                "The queue is at most half full for the first time within 10 s of a fall to a tenth of the rate",
                "M('drain_s', alg=ALG, case='rate / 10') <= 10",
                "10 s",
            ),
        ),
    ),
    Criterion("25", "Multipath transport", "7.8", "MUST, if multipath", not_evaluated="The simulator has no transport with several paths."),
    Criterion(
        "26",
        "Data centres",
        "7.9",
        "SHOULD indicate",
        (
            Expectation(
                "incast",
                "rfc9743.incast",
                "32 senders of ALG that answer at once are done no later than CUBIC's, half as late again at most",
                "all(a <= 1.5 * b for (a, b) in zip(V('slowest_ms', over='qpkt', alg=ALG, place='it'), "
                "V('slowest_ms', over='qpkt', alg=ALG, place='cubic')))",
                "1.5 times CUBIC's 99th percentile",
            ),
        ),
        "Which algorithms are expected to be safe beside it in a data centre is a text that its authors write.",
    ),
)
FOLLOWED = Followed(EDITION, LEFT_OUT, (*SINGLE, *MIXED, *GENERAL, *SPECIAL))
