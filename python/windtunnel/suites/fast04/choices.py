"""What the FAST study leaves open, and what it might have been."""

from windtunnel.experiment import Alternative, Choice
from windtunnel.suites.prototype import FAST_CLOCK, FAST_ZERO_DELAY
from windtunnel.suites.varying import on_each, parameters, scaled_queue

FAST_PERIOD = Choice(
    "fast-period",
    "how often FAST updates its window",
    "every other round trip",
    "So the prototype of that year did; an update every round trip acts on a delay measured before its last step.",
    (Alternative("every round trip", parameters("fast", period=1)),),
)
QUEUE = Choice(
    "queue",
    "the queue, where the paper gives none",
    "2000 packets",
    "It is within the paper's own sweep, and holds what the FAST flows keep there.",
    (Alternative("1000 packets", scaled_queue(1 / 2)), Alternative("4000 packets", scaled_queue(2))),
)

_FAST = ("fast04.fig2", "fast04.fig3", "fast04.fig4", "fast04.fig5", "fast04.fig8", "fast04.fig13", "fast04.fig15")
CHOICES = on_each(
    {
        FAST_ZERO_DELAY: _FAST,
        FAST_PERIOD: _FAST,
        FAST_CLOCK: _FAST,
        QUEUE: ("fast04.fig5", "fast04.fig12", "fast04.fig13", "fast04.fig15"),
    }
)
