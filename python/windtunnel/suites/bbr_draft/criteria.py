"""The draft's 22 example cases, each with its assertions."""

from __future__ import annotations

from windtunnel.suites.bbr_draft import cases
from windtunnel.suites.criteria import OURS, TEXT, Criterion, Expectation, Followed

EDITION = (
    "draft-ietf-ccwg-bbr, appendix on example test cases (of April and July 2026; head of 3 August 2026), as condensed "
    "for this project; the appendix's own words were not at hand"
)
LEFT_OUT = (
    "Counters that the records do not carry (full_bw_count, full_bw_now, idle_restart, bw_probe_wait): they are judged by what follows "
    "from them.",
    "The ranges of 64 kbit/s to 10 Gbit/s and below 1 ms to 1 s are five paths: 128 kbit/s to 1 Gbit/s, 2 ms to 1 s.",
    "Case 7 in PROBE_UP: no application of the simulator becomes slower in the course of a run.",
    "Of BBRv1, in the simulator and in a kernel, what its own text does not have: an exit on loss, DOWN, REFILL and UP, bounds. Its gains "
    "and intervals are its own (2.89, 0.34, ten seconds, four segments).",
    "The mode of a kernel's BBR, which shows its gains alone: phases are read from those.",
)
_LONG = "cases-01-03-05-08-10"
_V3 = ("bbr3",)
NEAR = tuple(name for name in cases.PATHS if name != cases.SLOW_PATH)


def _one(
    experiment: str, check: str, says: str, threshold: str, whose: str = TEXT, only: tuple[str, ...] = (), caveat: str = ""
) -> Expectation:
    over = {one.id: one.points for one in cases.EXPERIMENTS}[f"bbr-draft.{experiment}"]
    other = next((name for name in over if name != "alg"), None)
    predicate = f"M('{check}', alg=ALG) == 1" if other is None else f"min(V('{check}', over='{other}', alg=ALG)) == 1"
    if experiment == _LONG:
        predicate = f"min([M('{check}', alg=ALG, path=p) for p in {list(NEAR)}]) == 1"
    return Expectation(check.replace("_", "-"), f"bbr-draft.{experiment}", says, predicate, threshold, whose, only, caveat=caveat)


def _number(experiment: str, name: str, says: str, predicate: str, threshold: str) -> Expectation:
    return Expectation(name, f"bbr-draft.{experiment}", says, predicate, threshold, OURS)


_EXIT = "the transition itself"


def _far(check: str, says: str, threshold: str, whose: str = TEXT) -> Expectation:
    """Return an expectation on the path of a second, where a round is long beside PROBE_RTT's interval."""
    predicate = f"M('{check}', alg=ALG, path={cases.SLOW_PATH!r}) == 1"
    return Expectation(f"{check.replace('_', '-')}-1s", f"bbr-draft.{_LONG}", f"{says}, at an RTT of 1 s", predicate, threshold, whose)


CASES = (
    Criterion(
        "01",
        "Exit STARTUP on a plateau",
        "case 1",
        "example",
        (
            _one(_LONG, "bw_at_exit", "max_bw of ALG is within 2 % of the link at the end of STARTUP", "2 %"),
            _one(
                _LONG,
                "plateau",
                "STARTUP of ALG ends after three rounds that grow by less than a quarter",
                "three rounds, +-1 for reading rounds",
            ),
            _one(_LONG, "startup_to_drain", "DRAIN of ALG follows STARTUP", _EXIT),
            _far(
                "startup_over",
                "STARTUP of ALG is over after a minute",
                "a minute, ours; that RTTs of 1 s are in the range is the text's",
                OURS,
            ),
        ),
    ),
    Criterion(
        "02",
        "Exit STARTUP on loss, limited by the application",
        "case 2",
        "example",
        (
            _one(
                "cases-02-06",
                "leaves_startup",
                "ALG leaves STARTUP at a loss of 10 %",
                "within 10 s, ours; above 2 %, the text's",
                OURS,
                _V3,
            ),
            _one("cases-02-06", "startup_to_drain", "DRAIN, or PROBE_BW at once, follows in ALG", _EXIT, TEXT, _V3),
        ),
    ),
    Criterion(
        "03",
        "Exit DRAIN on in-flight",
        "case 3",
        "example",
        (
            _one(_LONG, "drain_gain", "ALG paces at its DRAIN gain, 0.5 in the draft", "2 % of the gain"),
            _one(
                _LONG,
                "drain_ends_low",
                "DRAIN of ALG ends at in-flight of at most Inflight(1.0)",
                "Inflight(1.0) and what two samples carry",
            ),
        ),
    ),
    Criterion(
        "04",
        "Exit DRAIN on time",
        "case 4",
        "example",
        (
            _one(
                "case-04",
                "drain_ends_in_time",
                "DRAIN of ALG ends after three rounds at most, whatever is in flight",
                "three rounds and the one under way",
                TEXT,
                _V3,
                caveat="With the draft's fall of 10 % a gain of 0.5 drains in time; the fall of 60 % is the one that tests it.",
            ),
        ),
    ),
    Criterion(
        "05",
        "Exit PROBE_UP on a plateau",
        "case 5",
        "example",
        (
            _one(_LONG, "up_to_down", "PROBE_UP of ALG is followed by PROBE_DOWN, or by PROBE_RTT", _EXIT, TEXT, _V3),
            _one(
                _LONG,
                "up_rounds",
                "PROBE_UP of ALG lasts at least two whole rounds",
                "FBC 3: two whole rounds and the one under way",
                TEXT,
                _V3,
            ),
        ),
    ),
    Criterion(
        "06",
        "Exit PROBE_UP on loss, limited by the application",
        "case 6",
        "example",
        (
            _one("cases-02-06", "up_to_down", "PROBE_UP of ALG is followed by PROBE_DOWN", _EXIT, TEXT, _V3),
            _one(
                "cases-02-06",
                "bound_after_up",
                "The long-term bound of ALG is set after a PROBE_UP that lost",
                "a bound there is",
                TEXT,
                _V3,
            ),
        ),
    ),
    Criterion(
        "07",
        "Never exit when limited by the application without loss",
        "case 7",
        "example",
        (_one("cases-07-20", "stays_in_startup", "ALG stays in STARTUP for 25 s", "for ever; 25 s, ours"),),
        "In PROBE_UP: no application becomes slower in the course of a run.",
    ),
    Criterion(
        "08",
        "Exit PROBE_DOWN on in-flight",
        "case 8",
        "example",
        (
            _one(_LONG, "down_gain", "ALG paces at 0.90 in PROBE_DOWN", "2 % of the gain", TEXT, _V3),
            _one(
                _LONG,
                "down_ends_low",
                "CRUISE of ALG begins below the bound with headroom and below Inflight(1.0)",
                "both bounds",
                TEXT,
                _V3,
            ),
        ),
    ),
    Criterion(
        "09",
        "Exit PROBE_DOWN after its longest time",
        "case 9",
        "example",
        (_one("case-09", "down_to_refill", "REFILL of ALG follows PROBE_DOWN after 2 to 3 s", "bw_probe_wait, 2 to 3 s", TEXT, _V3),),
    ),
    Criterion(
        "10",
        "PROBE_RTT",
        "case 10",
        "example",
        (
            _one(_LONG, "probe_rtt_due", "PROBE_RTT of ALG comes after its interval, 5 s in the draft", "the interval and at most 1.5 s"),
            _one(
                _LONG,
                "probe_rtt_length",
                "PROBE_RTT of ALG lasts 200 ms and a round at least",
                "200 ms and a round; a second more at most, ours",
            ),
            _one(_LONG, "probe_rtt_window", "ALG holds half a BDP, four segments at least, in PROBE_RTT", "the gain of 0.5, and a segment"),
            _one(_LONG, "probe_rtt_returns", "PROBE_BW of ALG follows PROBE_RTT", _EXIT),
            _far("probe_rtt_length", "PROBE_RTT of ALG lasts 200 ms and a round at least", "200 ms and a round"),
            _far("probe_rtt_window", "ALG holds half a BDP, four segments at least, in PROBE_RTT", "the gain of 0.5, and a segment"),
        ),
    ),
    Criterion(
        "11",
        "Skip PROBE_RTT when idle",
        "case 11",
        "example",
        (
            _one(
                "case-11",
                "no_probe_after_idle",
                "ALG begins no PROBE_RTT in, or half a second after, 11 s without data",
                "half a second, ours",
            ),
        ),
    ),
    Criterion(
        "12",
        "STARTUP with aggregation",
        "case 12",
        "example",
        (
            _one("cases-12-13", "startup_doubles", "The bandwidth of ALG doubles in STARTUP", "in two rounds each, ours", OURS),
            _one("cases-12-13", "startup_window", "The window of ALG is above two BDP at the end of STARTUP", "two BDP"),
            _one("cases-12-13", "aggregation_seen", "extra_acked of ALG is what arrives together", "half to twice of it, ours", OURS),
        ),
    ),
    Criterion(
        "13",
        "CRUISE with aggregation",
        "case 13",
        "example",
        (
            _one("cases-12-13", "cruise_window", "The window of ALG holds what arrives together beside two BDP", "half of it, ours", OURS),
            _number("cases-12-13", "util", "ALG uses at least 95 % of the link", "M('util', alg=ALG) >= 0.95", "full utilisation: 95 %"),
        ),
    ),
    Criterion(
        "14",
        "A BDP below a packet",
        "case 14",
        "example",
        (
            _one("case-14", "never_below_four", "The window of ALG is four segments at least", "MinPipeCwnd, 4"),
            _one("case-14", "no_stall", "ALG meets no timeout", "no stall"),
            _number("case-14", "util", "ALG uses at least 95 % of the link", "M('util', alg=ALG) >= 0.95", "95 %"),
        ),
    ),
    Criterion(
        "15",
        "Ten times the bandwidth",
        "case 15",
        "example",
        (_one("case-15", "finds_more", "ALG finds 90 % of the new rate in O(log BDP) rounds", "four times log2 of the BDP, ours", OURS),),
    ),
    Criterion(
        "16",
        "A tenth of the bandwidth",
        "case 16",
        "example",
        (
            _one("case-16", "falls_fast", "ALG paces by the new rate within ten rounds", "a quarter above it, ours", OURS, _V3),
            _one("case-16", "forgets", "ALG has forgotten the old rate after two cycles", "5 % after two cycles, or 12 s"),
        ),
    ),
    Criterion(
        "17",
        "A token-bucket policer",
        "case 17",
        "example",
        (
            _one("case-17", "bounded_by_policer", "ALG is bounded by what the policer taught it", "a bound for some of the time"),
            _number("case-17", "loss", "ALG sends at most a twentieth again", "M('loss_ovh', alg=ALG) <= 0.05", "5 %"),
            _number("case-17", "rate", "ALG gets at least 80 % of the tokens", "M('goodput_mbps', alg=ALG) >= 8 * 1448 / 1500", "80 %"),
        ),
    ),
    Criterion(
        "18",
        "A spurious fast recovery",
        "case 18",
        "example",
        (_one("case-18", "undo_restores", "ALG has its bound of before after an undo", "the bound of before", TEXT, _V3),),
    ),
    Criterion(
        "19",
        "A spurious timeout",
        "case 19",
        "example",
        (_one("case-19", "undo_restores", "ALG has its bound of before after an undo", "the bound of before", TEXT, _V3),),
    ),
    Criterion(
        "20",
        "PROBE_RTT in STARTUP",
        "case 20",
        "example",
        (_one("cases-07-20", "back_to_startup", "STARTUP of ALG follows PROBE_RTT", _EXIT),),
    ),
    Criterion(
        "21",
        "Loss in PROBE_UP with the bound set",
        "case 21",
        "example",
        (
            _one("case-21", "beta_after_loss", "ALG lowers its bound to Beta of it at least", "Beta 0.7, or 0.7 BDP", TEXT, _V3),
            _one("case-21", "up_to_down", "PROBE_DOWN of ALG follows", _EXIT, TEXT, _V3),
        ),
    ),
    Criterion(
        "22",
        "Limited by the application in PROBE_REFILL",
        "case 22",
        "example",
        (
            _one("case-22", "samples_do_not_lower", "Pauses leave max_bw of ALG at 90 % of the link at least", "90 %, ours", OURS),
            _one("case-22", "refill_to_up", "PROBE_UP of ALG follows REFILL", _EXIT, TEXT, _V3),
        ),
    ),
)
FOLLOWED = Followed(EDITION, LEFT_OUT, CASES)
