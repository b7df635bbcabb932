"""What the studies of 2003 and 2004 both leave open about their FAST, a prototype on Linux 2.4."""

from windtunnel.experiment import Alternative, Choice
from windtunnel.suites.varying import parameters, transport

FAST_ZERO_DELAY = Choice(
    "fast-zero-delay",
    "the queueing delay below which FAST takes its path for empty",
    "0 ms",
    "The equation says zero; a tolerance of 0.75 ms is fifty packets at 800 Mbit/s, and the window leaps past every queue.",
    (Alternative("0.75 ms", parameters("fast", mi_threshold=7.5e-4)),),
)
FAST_CLOCK = Choice(
    "fast-clock",
    "the clock FAST reads round-trip times with",
    "a fine one",
    "Its authors print its shortest round trips in hundredths of a millisecond.",
    (Alternative("the stack's ticks of 10 ms", transport("fast", rtt_granularity_s=0.01)),),
)
