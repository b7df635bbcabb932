"""Numbers with an allowed range, as pydantic annotations whose refusal names the whole range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

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
    """

    low: float
    high: float
    unit: str = ""
    low_open: bool = False
    high_open: bool = False
    whole: bool = False

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
            raise refusal(f"{shown(value)} is out of range; allowed: {self.words()}")
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


def _plain(number: float) -> str:
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e6 else f"{number:g}"


LONGEST_S = 4 * 3600.0
MOST_PACKETS = 10_000_000
MOST_FLOWS = 100_000
MOST_SAMPLES = 50_000_000

RATE = Range(1e3, 1e12, "bit/s")
RTT = Range(1e-6, 10, "s")
QUEUE_PACKETS = Range(1, MOST_PACKETS, "packets", whole=True)

RateBps = Annotated[float, RATE]
RttS = Annotated[float, RTT]
InstantS = Annotated[float, Range(0, LONGEST_S, "s")]
DurationS = Annotated[float, Range(0, LONGEST_S, "s", low_open=True)]
SampleS = Annotated[float, Range(0, LONGEST_S, "s")]
JitterS = Annotated[float, Range(0, 1, "s")]
QueuePackets = Annotated[int, QUEUE_PACKETS]
QueueBytes = Annotated[int, Range(1, MOST_PACKETS * 1500, "bytes", whole=True)]
QueueS = Annotated[float, Range(0, 60, "s", low_open=True)]
QueueBdp = Annotated[float, Range(0, 1000, "of the bandwidth-delay product", low_open=True)]
Probability = Annotated[float, Range(0, 1, high_open=True)]
ExtraS = Annotated[float, Range(0, 10, "s")]
Share = Annotated[float, Range(0, 1)]
PositiveShare = Annotated[float, Range(0, 1, low_open=True)]
LossIntervalS = Annotated[float, Range(1e-3, 3600, "s")]
PacketNumber = Annotated[int, Range(1, 1e12, whole=True)]
PacketCount = Annotated[int, Range(2, 1e12, "packets", whole=True)]
FlowNumber = Annotated[int, Range(0, MOST_FLOWS - 1, whole=True)]
Load = Annotated[float, Range(0, 10, "of the link's rate", low_open=True)]
PerSecond = Annotated[float, Range(0, 1e7, "transfers per second", low_open=True)]
MeanBytes = Annotated[float, Range(1, 1e15, "bytes")]
Shape = Annotated[float, Range(1, 100, low_open=True)]
TransferBytes = Annotated[int, Range(1, 1e15, "bytes", whole=True)]
WindowBytes = Annotated[int, Range(1, 1e12, "bytes", whole=True)]
WindowPackets = Annotated[int, Range(1, MOST_PACKETS, "packets", whole=True)]
Count = Annotated[int, Range(1, MOST_FLOWS, whole=True)]
HopNumber = Annotated[int, Range(1, 65, whole=True)]
Connections = Annotated[int, Range(1, 1000, "connections at once", whole=True)]
SessionCount = Annotated[int, Range(1, 100_000, whole=True)]
Application = Annotated[int, Range(0, MOST_FLOWS, whole=True)]
Seed = Annotated[int, Range(0, 2**64 - 1, whole=True)]
