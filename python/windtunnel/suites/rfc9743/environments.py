"""The criteria of RFC 9743, sections 6 and 7: general use and special cases."""

from __future__ import annotations

from windtunnel.suites.criteria import Criterion, Expectation

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
        tuple(
            Expectation(
                f"{word}-{queue}",
                "rfc9743.tunnels",
                f"where the ECN field {says}, ALG uses nine tenths of what it uses of the link otherwise and waits at most "
                f"10 ms longer, under {queue}",
                f"M('util', alg=ALG, queue='{queue}', field='{field}') >= 0.9 * M('util', alg=ALG, queue='{queue}', field='kept') and "
                f"M('wait_ms', alg=ALG, queue='{queue}', field='{field}') <= M('wait_ms', alg=ALG, queue='{queue}', field='kept') + 10",
                "a tenth, and 10 ms",
            )
            for queue in ("codel", "dualpi2")
            for word, field, says in (("cleared", "cleared", "is cleared"), ("rewritten", "ECT(0)", "is ECT(0)"))
        ),
        "Tunnels behind the queue that do not carry marks on: the path has none.",
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
                "ALG uses at least as much of a link as Reno, less 5 %, where losses come in bursts",
                "M('util', alg=ALG, place='it', case='bursts') >= 0.95 * M('util', alg=ALG, place='reno', case='bursts')",
                "95 % of Reno's use",
            ),
            Expectation(
                "varying",
                "rfc9743.wireless",
                "ALG uses at least as much of a link as Reno, less 5 %, where the rate varies",
                "M('util', alg=ALG, place='it', case='varying rate') >= 0.95 * M('util', alg=ALG, place='reno', case='varying rate')",
                "95 % of Reno's use",
            ),
            Expectation(
                "jitter",
                "rfc9743.wireless",
                "ALG uses at least as much of a link as Reno, less 5 %, where ACKs are up to 20 ms late",
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
                "util",
                "rfc9743.iot",
                "ALG uses at least 80 % of such a link",
                "min(V('util', over='rate', alg=ALG, t0=60, t1=180)) >= 0.8",
                "80 % of the link",
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
        not_evaluated="A receiver that divides ACKs, acknowledges data it does not have or hides marks: the simulator's receivers do what "
        "RFC 5681 says, and no option makes one do otherwise. What it would gain is decided by the stack's counting of bytes more than by "
        "the algorithm. A router that clears or changes ECN is row 14; senders that do not react to loss are in rfc7928.unresponsive.",
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
    Criterion(
        "25",
        "Multipath transport",
        "7.8",
        "MUST, if multipath",
        not_evaluated="The simulator has no transport with several paths: no controller sees another flow's window to couple with "
        "its own. Subflows without coupling are separate flows: one link is row 04, the failure of a path row 24.",
    ),
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
