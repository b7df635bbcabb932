"""What was printed of C4's scenarios, as claims, and what is expected of a flow over each wireless part."""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.suites.criteria import Criterion, Expectation, Followed
from windtunnel.suites.wireless.c4 import EXPERIMENTS as C4
from windtunnel.suites.wireless.c4 import PRINTED
from windtunnel.suites.wireless.paths import PARTS
from windtunnel.suites.wireless.specs import COMPLETION_S, LOAD, RTT_MS

EDITION = (
    "draft-huitema-ccwg-c4-test, doc/c4-tests.md of private-octopus/c4 at commit 0863b68 (July 2026) and the authors' sim_specs; "
    "RTTs and loads from an edition before it; RFC 8868 by draft-ietf-rmcat-eval-criteria-14"
)
LEFT_OUT = (
    "C4 as main or background connection (vs_c4, after_c4, before_c4, wifi_bad_c4, ecn_c4): there is no version of it for TCP.",
    "The printed latencies of media (media, media10, media600, media_*): theirs are frames with priorities in QUIC "
    "datagrams. Video over each part is run.",
    "Careful resume on the satellite path.",
    "802.11 itself, and the cellular and Wi-Fi simulators of RFC 8869: no station shares a channel here.",
    "RFC 8868's jitter with reordering, which the text calls informational.",
    "A recorded cellular trace: no package carries one with a licence to pass it on; the one run is drawn by Sprout's model, "
    "and `--trace FILE` takes a recorded one.",
)
NEAR, NEAR_LOAD = 0.1, 0.1


def _where() -> Mapping[str, str]:
    return {case: one.id for one in C4 for case in one.points["case"]}


def _times(cases: tuple[str, ...]) -> tuple[Expectation, ...]:
    found = []
    for case in cases:
        for alg, column in PRINTED.items():
            if case in COMPLETION_S:
                value = COMPLETION_S[case][column]
                found.append(
                    Expectation(
                        f"{case}-time",
                        _where()[case],
                        f"{case}: ALG takes {value:.3g} s, as printed, within 10 %",
                        f"abs(M('completion_s',alg=ALG,case='{case}')/{value:.6g} - 1) <= {NEAR}",
                        f"10 % around the printed {value:.4g} s",
                        only=(alg,),
                    )
                )
            if case in RTT_MS:
                value = RTT_MS[case][column]
                found.append(
                    Expectation(
                        f"{case}-rtt",
                        _where()[case],
                        f"{case}: the mean RTT of ALG is {value:.3g} ms, as printed, within 10 %",
                        f"abs(M('main_rtt_ms',alg=ALG,case='{case}')/{value:.6g} - 1) <= {NEAR}",
                        f"10 % around the printed {value:.4g} ms",
                        only=(alg,),
                    )
                )
            if case in LOAD:
                value = LOAD[case][column]
                found.append(
                    Expectation(
                        f"{case}-load",
                        _where()[case],
                        f"{case}: ALG has {value:.0%} of what both carry, as printed, within 0.1",
                        f"abs(M('load',alg=ALG,case='{case}')-{value:g}) <= {NEAR_LOAD}",
                        f"0.1 around the printed {value:g}",
                        only=(alg,),
                    )
                )
    return tuple(found)


TITLES = ("Reaction to network events", "Competition", "Wi-Fi", "ECN")
CRITERIA = (
    *(
        Criterion(f"0{number}", title, f"draft-huitema-ccwg-c4-test, {title.lower()}", "published", _times(tuple(one.points["case"])))
        for number, (title, one) in enumerate(zip(TITLES, C4, strict=True), start=1)
    ),
    Criterion(
        "05",
        "The draft's bands of load",
        "draft-huitema-ccwg-c4-test",
        "the text's bands",
        tuple(
            Expectation(
                case,
                "wireless.compete",
                f"{case}: ALG has between 20 % and 80 % of what both carry",
                f"0.2 <= M('load',alg=ALG,case='{case}') <= 0.8",
                "beyond 80 % is really bad, below 20 % is too",
                whose="the text's",
            )
            for case in ("vs_bbr_lg", "vs_cubic_lg", "vs_bbr_lg2", "vs_cubic_lg2", "bbloat_cubic")
        ),
    ),
    Criterion(
        "06",
        "Each wireless part by itself",
        "RFC 9743, 6.2",
        "should be evaluated",
        tuple(
            Expectation(
                part,
                "wireless.parts",
                f"over {part} ALG uses 80 % of what the path could carry",
                f"M('use',alg=ALG,part='{part}') >= 0.8",
                "80 %",
            )
            for part in PARTS
        ),
    ),
    Criterion(
        "07",
        "Media over wireless paths",
        "draft-huitema-ccwg-c4-test; RFC 8869",
        "-",
        tuple(
            Expectation(
                part,
                "wireless.media",
                f"over {part} at most 5 % of the frames of video over ALG are skipped or later than 400 ms",
                f"M('late_frames',alg=ALG,part='{part}') <= 0.05",
                "5 %",
            )
            for part in PARTS
        ),
        "Priorities, audio and datagrams of C4's media; the simulators of RFC 8869.",
    ),
)
FOLLOWED = Followed(EDITION, LEFT_OUT, CRITERIA)
