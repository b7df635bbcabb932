"""The battery that every controller passes: what no history may break, and what it is like, measured."""

from windtunnel.battery.carried_out import Answer, Battery, Measured, carry_out
from windtunnel.battery.histories import HISTORIES, History
from windtunnel.battery.traits import TRAITS, Trait

__all__ = ["HISTORIES", "TRAITS", "Answer", "Battery", "History", "Measured", "Trait", "carry_out"]
