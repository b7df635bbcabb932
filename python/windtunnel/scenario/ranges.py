"""Numbers with an allowed range, as pydantic annotations whose refusal names the whole range."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from windtunnel import native
from windtunnel.scenario import units
from windtunnel.scenario.errors import refusal, shown


@dataclass(frozen=True)
class Range:
    """The allowed range of one number.

    Parameters
    ----------
    low, high : float
        The bounds, in `unit`.
    unit : str
        SI unit; strings such as ``"42ms"`` are read in it. Empty for a plain number.
    low_open, high_open : bool
        Whether the bound itself is excluded.
    whole : bool
        Whether the number must be an integer.
    bare_below : float
        A text without a unit is read below this number only: from there on another unit than the SI one is likely to be meant.
    """

    low: float
    high: float
    unit: str = ""
    low_open: bool = False
    high_open: bool = False
    whole: bool = False
    bare_below: float = math.inf

    def __str__(self) -> str:
        """Word the range: ``above 0, at most 60 s``."""
        unit = f" {self.unit}" if self.unit else ""
        low = f"above {_plain(self.low)}" if self.low_open else f"{_plain(self.low)}"
        if self.low_open or self.high_open:
            low = low if self.low_open else f"at least {low}"
            high = f"below {_plain(self.high)}" if self.high_open else f"at most {_plain(self.high)}"
            return f"{low}, {high}{unit}"
        return f"{low} to {_plain(self.high)}{unit}"

    def words(self) -> str:
        """Word the range with the kind of number and an example of how to write it."""
        kind = "an integer, " if self.whole else ""
        example = units.EXAMPLES.get(self.unit)
        return f"{kind}{self}" + (f" (for example {example})" if example else "")

    def check(self, value: Any) -> float | int:
        """Return the number in SI, or raise the error that names value and range.

        Parameters
        ----------
        value : object
            An int, a float, or a string with a unit.

        Returns
        -------
        float or int
            The number, an int when `whole`.

        Raises
        ------
        pydantic_core.PydanticCustomError
            When it is not a number, not finite, not whole where it must be, or out of range.
        """
        number = self._number(value)
        below = number <= self.low if self.low_open else number < self.low
        above = number >= self.high if self.high_open else number > self.high
        if below or above:
            meant = below and self.unit == "bit/s" and isinstance(value, str) and _is_bare(value)
            hint = f"; a number without a unit is in bit/s, write {value.strip()}Mbit" if meant else ""
            raise refusal(f"{shown(value)} is out of range; allowed: {self.words()}{hint}")
        return number

    def _number(self, value: Any) -> float | int:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise refusal(f"{shown(value)} is a {type(value).__name__}, not a number; allowed: {self.words()}")
        if isinstance(value, int) and self.whole:
            return value  # Kept exact: a seed may exceed what a float can hold.
        if isinstance(value, str) and self.whole and value.strip().isascii() and value.strip().isdigit() and len(value) < 30:
            return int(value)
        try:
            number = units.parse(value, self.unit) if isinstance(value, str) else float(value)
        except OverflowError:
            raise refusal(f"{shown(value)} is out of range; allowed: {self.words()}") from None
        except ValueError as error:
            raise refusal(f"{shown(value)} cannot be read: {error}; allowed: {self.words()}") from None
        if isinstance(value, str) and number >= self.bare_below and _is_bare(value):
            text = value.strip()
            raise refusal(f"{shown(value)} has no unit; allowed: {self.words()}; write {text}ms or {text}{self.unit}")
        if not math.isfinite(number):
            raise refusal(f"{shown(value)} is not a finite number; allowed: {self.words()}")
        if self.whole:
            if not number.is_integer():
                raise refusal(f"{shown(value)} is not a whole number; allowed: {self.words()}")
            return int(number)
        return number + 0.0  # Turns -0.0 into 0.0, so that the digest has one zero.

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Run `check` before pydantic's own validation of the type."""
        return core_schema.no_info_before_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Write the bounds into the JSON schema, and admit strings with units."""
        number: dict[str, Any] = dict(handler(schema))
        number["exclusiveMinimum" if self.low_open else "minimum"] = self.low
        number["exclusiveMaximum" if self.high_open else "maximum"] = self.high
        if self.unit not in units.EXAMPLES:
            return number
        return {"anyOf": [number, {"type": "string", "description": f"a quantity in {self.unit}, {self.words()}"}]}


def _is_bare(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _plain(number: float) -> str:
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e6 else f"{number:g}"


_LIMITS: dict[str, Any] = json.loads(native.limits())
RANGES: dict[str, Range] = {name: Range(**limits) for name, limits in _LIMITS["ranges"].items()}
"""The allowed ranges by name, as the core has them."""
RANGES["rtt_s"] = replace(RANGES["rtt_s"], bare_below=1.0)  # An RTT of 40 is never meant in seconds.
MOST: dict[str, int] = _LIMITS["counts"]
"""How many there may be, by name."""

RateBps = Annotated[float, RANGES["rate_bps"]]
RcvbufBytes = Annotated[int, RANGES["rcvbuf_bytes"]]
RequestCount = Annotated[int, RANGES["request_count"]]
StreamCount = Annotated[int, RANGES["stream_count"]]
RttS = Annotated[float, RANGES["rtt_s"]]
InstantS = Annotated[float, RANGES["instant_s"]]
DurationS = Annotated[float, RANGES["duration_s"]]
SampleS = Annotated[float, RANGES["sample_s"]]
JitterS = Annotated[float, RANGES["jitter_s"]]
QueuePackets = Annotated[int, RANGES["queue_packets"]]
QueueBytes = Annotated[int, RANGES["queue_bytes"]]
QueueS = Annotated[float, RANGES["queue_s"]]
QueueBdp = Annotated[float, RANGES["queue_bdp"]]
Probability = Annotated[float, RANGES["probability"]]
ExtraS = Annotated[float, RANGES["extra_s"]]
Share = Annotated[float, RANGES["share"]]
PositiveShare = Annotated[float, RANGES["positive_share"]]
LossIntervalS = Annotated[float, RANGES["loss_interval_s"]]
PacketNumber = Annotated[int, RANGES["packet_number"]]
PacketCount = Annotated[int, RANGES["packet_count"]]
FlowNumber = Annotated[int, RANGES["flow_number"]]
Load = Annotated[float, RANGES["load"]]
PerSecond = Annotated[float, RANGES["per_second"]]
MeanBytes = Annotated[float, RANGES["mean_bytes"]]
Shape = Annotated[float, RANGES["shape"]]
TransferBytes = Annotated[int, RANGES["transfer_bytes"]]
TurnS = Annotated[float, RANGES["turn_s"]]
WindowBytes = Annotated[int, RANGES["window_bytes"]]
WindowPackets = Annotated[int, RANGES["window_packets"]]
Count = Annotated[int, RANGES["count"]]
HopNumber = Annotated[int, RANGES["hop_number"]]
Connections = Annotated[int, RANGES["connections"]]
SessionCount = Annotated[int, RANGES["session_count"]]
Application = Annotated[int, RANGES["application"]]
Seed = Annotated[int, RANGES["seed"]]
