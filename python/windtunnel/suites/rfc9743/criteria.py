"""The criteria of RFC 9743 (section 5 here, sections 6 and 7 in `environments`), each with what is expected of an algorithm.

The text names no threshold: "This document ... does not provide normative guidance on the acceptable thresholds". So nearly all are ours.
"""

from __future__ import annotations

from windtunnel.suites.criteria import TEXT, Criterion, Expectation, Followed
from windtunnel.suites.rfc9743.common import DEPLOYED, STANDARD
from windtunnel.suites.rfc9743.environments import GENERAL, SPECIAL
from windtunnel.suites.rfc9743.signals import LIKE, VIDEOS

EDITION = (
    "the working group's text of RFC 9743, draft-ietf-ccwg-rfc5033bis, after its revision 05 (ietf-wg-ccwg/rfc5033bis, 00010109), "
    "with the RFC's numbers of sections; the RFC as published was not read"
)
LEFT_OUT = (
    "It names criteria and no path, rate or metric: every scenario and, but for two in part, every threshold is this suite's own.",
    "Misbehaving nodes and multipath are not run (rows 22, 25), and two criteria ask for texts (rows 11, 12).",
    "An algorithm beside itself does itself no harm by definition: the comparisons of rows 06 to 08 and 10 leave it out.",
    "A verdict is that of one stack, Linux 6.1's as this simulator has it, with the algorithm put in.",
)


def _beside(metric: str, rest: str, mixes: tuple[str, ...] = ("1:1", "1:4", "4:1")) -> str:
    """Return pairs (beside the algorithm, beside their like) of a metric of the others, at every queue and mix."""
    here, own = (
        " + ".join(f"V('{metric}', over='q', alg=ALG, opponent={rest}, mix='{mix}', place='{place}')" for mix in mixes)
        for place in ("it", "own")
    )
    return f"zip({here}, {own})"


def _video(carrier: str) -> tuple[Expectation, ...]:
    def both(metric: str) -> str:
        here, own = (f"V('{metric}', over='rate', alg=ALG, video='{carrier}', place='{place}')" for place in ("it", LIKE))
        return f"zip({here}, {own})"

    return (
        Expectation(
            f"rate-{carrier}",
            "rfc9743.media",
            f"video over {carrier} keeps at least half of the goodput beside ALG that it has beside NewReno, at both rates",
            f"all(a >= 0.5 * b for (a, b) in {both('video_mbps')})",
            "half",
        ),
        Expectation(
            f"frames-{carrier}",
            "rfc9743.media",
            f"95 % of the frames of video over {carrier} come beside ALG no more than half as late again as beside NewReno, "
            f"and 50 ms, at both rates",
            f"all(a <= 1.5 * b + 50 for (a, b) in {both('frame_p95_ms')})",
            "half as late again, and 50 ms",
        ),
    )


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
                "Ten flows of ALG drop at most twice what ten of Reno, or of CUBIC, drop at every buffer up to 1.5 BDP, or 1 % more",
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
                "Like flows of ALG share with an index of at least 0.9, before queues of 1 and of 8 BDP",
                "min(V('jain', over='n', alg=ALG, case='alike', q=1.0) + V('jain', over='n', alg=ALG, case='alike', q=8.0)) >= 0.9",
                "Jain's index of 0.9",
            ),
            Expectation(
                "late",
                "rfc9743.itself",
                "A flow of ALG that comes late gets at least half of a fair share",
                "min(V('least', over='n', alg=ALG, case='late', q=1.0) + V('least', over='n', alg=ALG, case='late', q=8.0)) >= 0.5",
                "half of a fair share in the 100 s from 10 s on",
            ),
            Expectation(
                "far",
                "rfc9743.itself",
                "A flow of ALG with four times the round trip gets at least a tenth of a fair share",
                "min(V('least', over='n', alg=ALG, case='far', q=1.0) + V('least', over='n', alg=ALG, case='far', q=8.0)) >= 0.1",
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
                "M('crossing_ms', alg=ALG, opponent='its own', place='it') "
                "<= 1.5 * M('crossing_ms', alg=ALG, opponent='its own', place='own')",
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
        tuple(one for carrier in VIDEOS for one in _video(carrier)),
        "Media over RTP with a congestion control of its own (SCReAM, NADA, GCC): the video is payload of TCP. The suite "
        "rfc8867 judges video itself.",
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


FOLLOWED = Followed(EDITION, LEFT_OUT, (*SINGLE, *MIXED, *GENERAL, *SPECIAL))
