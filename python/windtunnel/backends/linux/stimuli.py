"""Scripts for the recorder: what an application, a path and a receiver do to one connection, drawn at random from kinds of trouble.

A script is a line of ``key=value`` that `recorder/script.h` explains. It depends on the algorithm and on its own number alone, so that
one more kind, put last, leaves all that stand before as they are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

ALGORITHMS = (
    "reno",
    "bbr",
    "bic",
    "cubic",
    "cubic-nohystart",
    "dctcp",
    "highspeed",
    "htcp",
    "hybla",
    "illinois",
    "lp",
    "scalable",
    "vegas",
    "veno",
    "westwood",
    "yeah",
)
"""Linux's names of the algorithms that the simulator has laws for, and CUBIC's variant."""

FIRST = range(12)
"""The numbers of those scripts of each kind whose recordings are kept whole."""

Keys = dict[str, int | str]


class Dice:
    """Draws of one script."""

    def __init__(self, name: str) -> None:
        self._random = random.Random(name)

    def within(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def one_of(self, choices: Sequence[int]) -> int:
        """Return one of them."""
        return choices[self.within(0, len(choices) - 1)]

    def happens(self, percent: int) -> bool:
        """Return true in so many of a hundred cases."""
        return self.within(1, 100) <= percent


def _path(dice: Dice) -> Keys:
    rtt = dice.one_of((2000, 10_000, 20_000, 42_000, 100_000, 250_000))
    there = rtt * dice.within(3, 7) // 10
    keys: Keys = {"seed": dice.within(1, 1_000_000), "there": there, "back": rtt - there}
    if dice.happens(60):
        keys["service"] = dice.one_of((12, 120, 500, 1200, 3000))
    return keys


def _rtt(keys: Keys) -> int:
    return int(keys["there"]) + int(keys["back"])


def _stack(dice: Dice) -> Keys:
    """Return the options of the stack and the receiver: most often the usual ones."""
    keys: Keys = {}
    unusual: tuple[tuple[int, str, Sequence[int]], ...] = (
        (10, "sack", (0,)),
        (10, "ts", (0,)),
        (8, "ecn", (1,)),
        (10, "tlp", (0,)),
        (8, "frto", (0,)),
        (20, "idle", (0,)),
        (6, "pacing", (4_000_000_000,)),
        (20, "iw", (1, 2, 3, 4, 20, 32)),
        (12, "mss", (536, 1012, 1240)),
        (20, "every", (1, 3, 4, 8)),
        (20, "delayed", (5_000, 200_000)),
        (30, "quick", (0, 4)),
    )
    for percent, key, values in unusual:
        if dice.happens(percent):
            keys[key] = dice.one_of(values)
    return keys


def _much(dice: Dice) -> str:
    return f"0:{dice.within(150, 600)}"


def _drop_tail(dice: Dice, keys: Keys) -> None:
    keys |= {"writes": _much(dice), "queue": dice.within(4, 40), "service": dice.one_of((120, 500, 1200))}


def _losses(dice: Dice, keys: Keys) -> None:
    keys |= {"writes": _much(dice), "drop_ppm": dice.within(5_000, 60_000), "burst": dice.one_of((1, 1, 1, 2, 4))}


def _holes(dice: Dice, keys: Keys) -> None:
    """Lose chosen segments of a window, retransmissions among them."""
    first = dice.within(0, 30)
    drops = [f"{first}:{dice.within(1, 4)}"]
    for _ in range(dice.within(0, 4)):
        first += dice.within(2, 12)
        drops.append(f"{first}:{dice.within(1, 3)}")
    keys |= {"writes": f"0:{dice.within(20, 200)}", "drops": ",".join(drops)}


def _tail(dice: Dice, keys: Keys) -> None:
    """Lose the last of a transfer, and perhaps what is sent for them."""
    size, lost = dice.within(1, 25), dice.within(1, 6)
    drops = f"{max(0, size - lost)}:{lost + dice.one_of((0, 0, 0, 1, 2, 5))}"
    gap = dice.within(1, 6) * _rtt(keys)
    keys |= {"writes": f"0:{size}" + (f",{gap}:{dice.within(1, 20)}" if dice.happens(50) else ""), "drops": drops}


def _disorder(dice: Dice, keys: Keys) -> None:
    late = max(20, _rtt(keys) * dice.one_of((2, 10, 24, 40, 80, 150)) // 100)
    keys |= {"writes": _much(dice), "late_ppm": dice.within(5_000, 100_000), "late": late}
    if dice.happens(40):
        keys |= {"drop_ppm": dice.within(2_000, 20_000)}


def _twice(dice: Dice, keys: Keys) -> None:
    keys |= {"writes": _much(dice), "twice_ppm": dice.within(5_000, 80_000), "twice": dice.within(1, _rtt(keys))}
    if dice.happens(50):
        keys |= {"drop_ppm": dice.within(2_000, 20_000)}


def _ack_losses(dice: Dice, keys: Keys) -> None:
    keys |= {"writes": _much(dice), "ack_drop_ppm": dice.within(50_000, 600_000)}
    if dice.happens(60):
        keys |= {"drop_ppm": dice.within(2_000, 30_000)}


def _ack_trains(dice: Dice, keys: Keys) -> None:
    """Let ACKs arrive together, as over a radio."""
    keys |= {"writes": _much(dice), "gather": max(50, _rtt(keys) * dice.one_of((5, 20, 50)) // 100)}
    if dice.happens(60):
        keys |= {"drop_ppm": dice.within(2_000, 30_000)}


def _stalls(dice: Dice, keys: Keys) -> None:
    """Let everything wait for longer than a timeout: it proves spurious, by F-RTO, timestamps or DSACK."""
    rtt = _rtt(keys)
    first = dice.within(0, 4) * rtt + dice.within(0, rtt)
    side = "stalls" if dice.happens(60) else "ack_stalls"
    keys |= {"writes": f"0:{dice.within(5, 120)}", side: f"{first}:{2 * rtt + dice.within(150_000, 1_500_000)}"}
    if dice.happens(30):
        keys |= {"drops": f"{dice.within(0, 12)}:{dice.within(1, 2)}"}


def _steps(dice: Dice, keys: Keys) -> None:
    """Make the path longer, by less than a timeout or by more."""
    rtt = _rtt(keys)
    keys |= {"writes": _much(dice), "steps": f"{dice.within(1, 5) * rtt}:{rtt * dice.one_of((20, 50, 100, 300)) // 100}"}
    if dice.happens(40):
        keys |= {"drop_ppm": dice.within(2_000, 20_000)}


def _marks(dice: Dice, keys: Keys) -> None:
    keys |= {"writes": _much(dice), "ecn": 1}
    if dice.happens(50):
        keys |= {"mark": dice.within(2, 20), "service": dice.one_of((120, 500, 1200)), "queue": 60}
    else:
        keys |= {"mark_ppm": dice.within(5_000, 200_000)}
    if dice.happens(30):
        keys |= {"drop_ppm": dice.within(2_000, 20_000)}


def _pauses(dice: Dice, keys: Keys) -> None:
    """Write little, or pause for longer than a timeout."""
    rtt, at, writes = _rtt(keys), 0, []
    for _ in range(dice.within(3, 8)):
        writes.append(f"{at}:{dice.one_of((1, 2, 5, 10, 20, 60))}")
        at += dice.one_of((rtt // 3, rtt, 2 * rtt, 5 * rtt, rtt + 300_000, 3 * rtt + 1_200_000))
    keys["writes"] = ",".join(writes)
    if dice.happens(30):
        keys |= {"drop_ppm": dice.within(5_000, 30_000)}


def _windows(dice: Dice, keys: Keys) -> None:
    keys |= {"writes": _much(dice), "window": dice.one_of((4, 6, 10, 16, 24, 40))}
    if dice.happens(50):
        keys |= {"drop_ppm": dice.within(5_000, 30_000)}


def _silence(dice: Dice, keys: Keys) -> None:
    """Let nothing through for a while: timeout after timeout."""
    first = dice.within(0, 40)
    keys |= {"writes": f"0:{dice.within(first + 5, first + 60)}", "drops": f"{first}:{dice.within(8, 40)}", "end": 20_000_000}


def _old_acks(dice: Dice, keys: Keys) -> None:
    late = max(20, _rtt(keys) * dice.one_of((5, 20, 50)) // 100)
    keys |= {"writes": _much(dice), "ack_late_ppm": dice.within(20_000, 200_000), "ack_late": late}
    if dice.happens(50):
        keys |= {"drop_ppm": dice.within(5_000, 30_000)}


def _all(dice: Dice, keys: Keys) -> None:
    late = max(20, _rtt(keys) * dice.one_of((10, 40, 80)) // 100)
    keys |= {"writes": _much(dice), "drop_ppm": dice.within(0, 30_000), "late_ppm": dice.within(0, 30_000), "late": late}
    keys |= {"twice_ppm": dice.within(0, 30_000), "twice": dice.within(1, late), "ack_drop_ppm": dice.within(0, 300_000)}
    keys |= {"ecn": dice.within(0, 1), "mark_ppm": dice.within(0, 30_000)}


def _room(dice: Dice, keys: Keys) -> None:
    """Let the receiver's room shrink, shut and open again: it offers no less than it has, and takes nothing back."""
    rtt = _rtt(keys)
    at = dice.within(0, 3 * rtt)
    windows = [f"{at}:{dice.one_of((0, 0, 0, 2, 6))}"]
    for _ in range(dice.within(0, 4)):
        at += dice.one_of((rtt // 2, rtt, 3 * rtt, rtt + 300_000, 3 * rtt + 1_200_000))
        windows.append(f"{at}:{dice.one_of((0, 0, 2, 6, 12, 30))}")
    at += dice.one_of((rtt, 3 * rtt, rtt + 300_000, 3 * rtt + 4_000_000))
    windows.append(f"{at}:{dice.within(20, 80)}")
    keys |= {"writes": _much(dice), "window": dice.one_of((4, 10, 20, 40)), "windows": ",".join(windows)}
    # Windows are told in units of 512 bytes: of another size of segments the kernel would send parts.
    keys["mss"] = 1024 + (12 if keys.get("ts", 1) else 0)
    if dice.happens(30):
        keys |= {"drop_ppm": dice.within(5_000, 30_000)}
    if dice.happens(20):
        keys |= {"ack_drop_ppm": dice.within(50_000, 300_000)}


KINDS: dict[str, Callable[[Dice, Keys], None]] = {
    "drop-tail": _drop_tail,
    "losses": _losses,
    "holes": _holes,
    "tail": _tail,
    "disorder": _disorder,
    "twice": _twice,
    "ack-losses": _ack_losses,
    "ack-trains": _ack_trains,
    "stalls": _stalls,
    "steps": _steps,
    "marks": _marks,
    "pauses": _pauses,
    "windows": _windows,
    "silence": _silence,
    "old-acks": _old_acks,
    "all": _all,
    "room": _room,
}
"""What happens to a connection, by name."""


def script(algorithm: str, kind: str, number: int) -> str:
    """Return one script.

    Parameters
    ----------
    algorithm : str
        One of `ALGORITHMS`.
    kind : str
        One of `KINDS`.
    number : int
        Which one, from 0.
    """
    dice = Dice(f"{algorithm}/{kind}/{number}")
    module, _, variant = algorithm.partition("-")
    keys: Keys = {"cc": module} | ({"hystart": 0} if variant else {})
    keys |= _path(dice) | _stack(dice) | {"rows": dice.within(25, 60)}
    KINDS[kind](dice, keys)
    return " ".join([f"{kind}-{number}", *(f"{key}={value}" for key, value in keys.items())])


def scripts(algorithm: str, numbers: range = FIRST) -> list[str]:
    """Return these scripts of each kind of an algorithm, kind by kind; the first twelve when no numbers are given."""
    return [script(algorithm, kind, number) for kind in KINDS for number in numbers]
