"""What is expected of video in the tests of RFC 8867; RFC 8868's band of shares is a text's, every other threshold ours."""

from __future__ import annotations

from windtunnel.suites.criteria import TEXT, Criterion, Expectation, Followed

EDITION = (
    "draft-ietf-rmcat-eval-test-10 (2019) and draft-ietf-rmcat-eval-criteria-14 (2020), the versions before RFC 8867 and RFC 8868, "
    "from this project's condensed list of them; RFC 8298, 4.1.3, for the encoder's rate"
)
LEFT_OUT = (
    "RTP over UDP with its own controller (SCReAM, NADA, GCC): the video is the payload of a connection of the stack, which "
    "repeats what is "
    "lost and keeps the order, under any of its controllers.",
    "The trend of delay in RFC 8298's media rate control, and the larger window it lets a frame use.",
    "Key frames, content (Foreman), resolutions: a frame is its rate's part of a second, 5 % more or less.",
    "Changes of capacity by datagrams that compete: the link itself changes.",
    "FQ-CoDel and PIE in the basic cases, which the text encourages; the test with ECN has two disciplines beside FQ-CoDel.",
    "Circuit breakers, and the log format of RFC 8868.",
)
FRAME_MS, LOST, USED = 400, 0.05, 0.7
NOTE = "G.114's 400 ms, from memory"


def _frames(experiment: str, where: str = "") -> tuple[Expectation, ...]:
    over = f",{where}" if where else ""
    return (
        Expectation(
            "frames",
            experiment,
            "95 % of the frames of ALG are at the receiver within 400 ms",
            f"M('frame_p95_ms',alg=ALG{over}) <= {FRAME_MS}",
            f"400 ms; {NOTE}",
        ),
        Expectation(
            "lost",
            experiment,
            "at most 5 % of the frames of ALG are skipped, or later than 400 ms",
            f"M('lost_frames',alg=ALG{over}) <= {LOST}",
            "5 %",
        ),
        Expectation(
            "use",
            experiment,
            "what goes with ALG uses 70 % of what it could have",
            f"M('media_use',alg=ALG{over}) >= {USED}",
            "70 %, the first ten seconds left out",
        ),
    )


def _change(experiment: str, where: str = "") -> tuple[Expectation, ...]:
    over = f",{where}" if where else ""
    return (
        Expectation(
            "rise",
            experiment,
            "after each rise of capacity ALG has 80 % of what it could have within 10 s",
            f"M('rise_s',alg=ALG{over}) <= 10",
            "10 s; RFC 8298's encoder grows by 2 Mbit/s in them",
        ),
        Expectation(
            "calm",
            experiment,
            "after each fall of capacity the frames of ALG take at most 300 ms more than the path within 5 s",
            f"M('calm_s',alg=ALG{over}) <= 5",
            "5 s; 300 ms is the queue",
        ),
    )


def _band(experiment: str, seconds: int, caveat: str = "") -> Expectation:
    return Expectation(
        f"share-{seconds}",
        experiment,
        f"flows of ALG have rates within a factor of three of each other in every {seconds} s",
        f"M('share_{seconds}s',alg=ALG) >= 1/3",
        "the ratio within (0.333, 3) for the same priority and similar RTTs (RFC 8868)",
        whose=TEXT,
        caveat=caveat,
    )


CRITERIA = (
    Criterion(
        "01",
        "Variable capacity, one flow",
        "5.1",
        "basic",
        (*_frames("rfc8867.variable", "owd=50"), *_change("rfc8867.variable", "owd=50")),
    ),
    Criterion(
        "02",
        "The same over 100 ms one way",
        "5.1",
        "basic",
        (*_frames("rfc8867.variable", "owd=100"), *_change("rfc8867.variable", "owd=100")),
    ),
    Criterion(
        "03",
        "Variable capacity, several flows",
        "5.2",
        "basic",
        (*_frames("rfc8867.several"), *_change("rfc8867.several"), _band("rfc8867.several", 20), _band("rfc8867.several", 5)),
    ),
    Criterion(
        "04",
        "Congested feedback",
        "5.3",
        "basic",
        (
            *_frames("rfc8867.feedback", "way='congested'"),
            Expectation(
                "same",
                "rfc8867.feedback",
                "ALG has nine tenths of what it has where the reverse path is free",
                "M('media_use',alg=ALG,way='congested') >= 0.9*M('media_use',alg=ALG,way='free')",
                "a tenth",
            ),
        ),
    ),
    Criterion(
        "05",
        "Flows of the same algorithm",
        "5.4",
        "basic",
        (*_frames("rfc8867.same"), _band("rfc8867.same", 20), _band("rfc8867.same", 5)),
    ),
    Criterion(
        "06",
        "Round-trip-time fairness",
        "5.5",
        "basic",
        (*_frames("rfc8867.rtt"), _band("rfc8867.rtt", 20, "RTTs of 20 to 300 ms are not similar: the text's band is not for them.")),
    ),
    *(
        Criterion(
            f"0{number}",
            f"Beside a long TCP flow, queue of {queue} ms",
            "5.6",
            "basic",
            (
                Expectation(
                    "frames",
                    "rfc8867.long",
                    "95 % of the frames of ALG are at the receiver within the queue's time and 200 ms",
                    f"M('frame_p95_ms',alg=ALG,queue={queue}) <= {queue + 200}",
                    f"{queue + 200} ms; NewReno fills the queue",
                ),
                Expectation(
                    "alive",
                    "rfc8867.long",
                    "video of ALG gets a third of an equal share, or more",
                    f"M('tcp_share',alg=ALG,queue={queue}) <= 5/3",
                    "a third; of two flows the other has then 5/3 of its share",
                ),
                Expectation(
                    "tcp",
                    "rfc8867.long",
                    "the TCP flow gets half an equal share beside ALG, or more",
                    f"M('tcp_share',alg=ALG,queue={queue}) >= 0.5",
                    "half",
                ),
            ),
        )
        for number, queue in ((7, 300), (8, 1000))
    ),
    Criterion("09", "Beside short TCP flows", "5.7", "basic", (*_frames("rfc8867.short")[:2], _band("rfc8867.short", 20))),
    Criterion("10", "Pause and resume", "5.8", "basic", (*_frames("rfc8867.pause"), _band("rfc8867.pause", 20))),
    Criterion(
        "11",
        "Priorities",
        "6.1",
        "other",
        not_evaluated="No controller of the stack has weights, and the encoder none that the others would feel: nothing "
        "could give a flow twice the rate.",
    ),
    Criterion(
        "12",
        "With ECN",
        "6.2",
        "other",
        tuple(
            Expectation(
                f"{what}-{aqm}",
                "rfc8867.ecn",
                f"under {aqm} {says} with ECN than without",
                f"M('{metric}',alg=ALG,ecn='on',aqm='{aqm}') <= M('{metric}',alg=ALG,ecn='off',aqm='{aqm}')",
                "not more than without",
                but=("ledbat",),
            )
            for aqm in ("codel", "fq-codel", "red")
            for what, metric, says in (
                ("delay", "frame_p95_ms", "95 % of ALG's frames arrive no later"),
                ("lost", "lost_frames", "ALG loses no more frames"),
            )
        ),
    ),
    Criterion(
        "13",
        "Two bottlenecks",
        "6.3",
        "other",
        (
            *_frames("rfc8867.hops")[:2],
            Expectation(
                "starved",
                "rfc8867.hops",
                "the flow of ALG over all hops has a third of what the smaller of the others has",
                "M('first_share',alg=ALG) >= 1/3",
                "a third, as RFC 8868's band, which is for one priority and similar RTTs",
            ),
        ),
    ),
)
FOLLOWED = Followed(edition=EDITION, left_out=LEFT_OUT, criteria=CRITERIA)
"""The tests, in the text's order."""
