"""The seven tests with a threshold each, at 10 and 250 Mbit/s. None is the paper's: it compares, and gives no verdict."""

from __future__ import annotations

from windtunnel.suites.criteria import Criterion, Expectation, Followed

EDITION = (
    "Y.-T. Li, D. Leith, R. N. Shorten, Experimental Evaluation of TCP Protocols for High-Speed Networks, IEEE/ACM ToN 15(5), 2007: its "
    "seven tests, with today's algorithms, stack and rates"
)
LEFT_OUT = (
    "The paper's own runs, stack and claims: they are the suite li07.",
    "At 1 and 10 Gbit/s no verdict: runs are short beside epochs, and what they show is in the tables alone.",
    "At 10 Gbit/s all but two equal flows, which take a third of the time; --full has the points between.",
    "Whole stacks at more than 10 Mbit/s, where one run is minutes of their own program.",
)
RATES = (10, 250)


def _at(question: str, rate: int) -> str:
    return f"now.{question}-{rate}"


def _each(name: str, question: str, says: str, predicate: str, threshold: str, caveat: str = "") -> tuple[Expectation, ...]:
    """Return an expectation at both rates."""
    return tuple(
        Expectation(f"{name}-{rate}", _at(question, rate), f"{says}, {rate} Mbit/s", predicate, threshold, caveat=caveat) for rate in RATES
    )


def _over(name: str) -> tuple[Expectation, ...]:
    ratio = f"M('over_other', alg=ALG, opponent='{name}', rtt=t, q=q) for t in [42, 162] for q in [0.2, 1.0]"
    found = (
        *_each(f"takes-{name}", "old", f"ALG takes at most twice what {name} gets beside it", f"max([{ratio}]) <= 2", "a ratio of 2"),
        *_each(
            f"keeps-{name}", "old", f"ALG keeps at least half of what {name} gets beside it", f"min([{ratio}]) >= 0.5", "a ratio of 0.5"
        ),
    )
    return tuple(Expectation(**{**vars(one), "but": (name,)}) for one in found)


_SAME = "alg=ALG, queue='drop-tail'"
CRITERIA = (
    Criterion(
        "01",
        "Symmetric fairness",
        "IV.C (i)",
        "compared",
        _each(
            "equal",
            "same",
            "Two flows of ALG get on average at least 0.6 of each other, at every round trip, in 20 % and 1 BDP",
            f"min([M('fair_minmax', {_SAME}, rtt=t, q=q) for t in [16, 42, 162] for q in [0.2, 1.0]]) >= 0.6",
            "smaller over larger of 0.6",
        ),
    ),
    Criterion(
        "02",
        "Fairness between round trips",
        "IV.C (ii)",
        "compared",
        _each(
            "rtt",
            "rtt",
            "A near flow of ALG gets at most as many times a far one's rate as the square of the ratio of round trips",
            "M('rtt_unfair', alg=ALG, rtt=42, q=0.2) <= 3.857 * 3.857 and M('rtt_unfair', alg=ALG, rtt=16, q=0.2) <= 10.125 * 10.125",
            "the square of the ratio: that of synchronised AIMD, eq. (4) of the paper",
        ),
    ),
    Criterion("03", "Backward compatibility", "IV.D", "compared", (*_over("reno"), *_over("cubic"))),
    Criterion(
        "04",
        "Efficiency",
        "IV.E (i)",
        "compared",
        _each(
            "use",
            "same",
            "Two flows of ALG use at least 90 % of the link in a queue of 20 % BDP, at 42 and 162 ms",
            f"min([M('util', {_SAME}, rtt=t, q=0.2) for t in [42, 162]]) >= 0.9",
            "90 % of the link",
        ),
    ),
    Criterion(
        "05",
        "Loss overhead",
        "VI.D",
        "compared",
        _each(
            "again",
            "same",
            "Two flows of ALG send at most 1 % again in a queue of 5 % BDP, at 162 ms",
            f"M('loss_ovh', {_SAME}, rtt=162, q=0.05) <= 0.01",
            "1 % of packets",
        ),
    ),
    Criterion(
        "06",
        "Response function",
        "IV.F",
        "compared",
        tuple(
            Expectation(
                f"response-{rate}",
                _at("loss", rate),
                f"ALG carries at least half of what the square-root law gives at a loss of 0.1 %, {rate} Mbit/s",
                # sqrt(1.5/p) packets per round trip of 162 ms, over the link's rate.
                f"M('util', alg=ALG, p=0.001) >= 0.5 * {min(1.0, (1.5 / 1e-3) ** 0.5 * 12_000 / 0.162 / (rate * 1e6)):.4f}",
                "half of sqrt(1.5/p) packets per round trip",
            )
            for rate in RATES
        ),
    ),
    Criterion(
        "07",
        "Convergence",
        "IV.G",
        "compared",
        (
            *_each(
                "converges",
                "same",
                "A second flow of ALG has 80 % of its long-term rate within 60 s, at 42 ms and 20 % BDP",
                f"M('conv80_s', {_SAME}, rtt=42, q=0.2) <= 60",
                "60 s",
            ),
            *_each(
                "late",
                "same",
                "A flow of ALG that comes late gets at most twice the first one's rate, at 16 to 162 ms and 2 BDP",
                f"max([M('late_over_first', {_SAME}, rtt=t, q=2.0) for t in [16, 42, 162]]) <= 2",
                "a ratio of 2",
            ),
        ),
    ),
)
FOLLOWED = Followed(EDITION, LEFT_OUT, CRITERIA)
