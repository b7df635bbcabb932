"""Learned controllers: the simulator as an environment of Gymnasium and PettingZoo, small policies, their export as controllers' files.

Needs the extra ``learn``: ``pip install 'windtunnel[learn]'``. Importing it registers ``windtunnel/Dumbbell-v0``.
"""

try:
    import gymnasium
except ModuleNotFoundError:
    raise ModuleNotFoundError("windtunnel.learn needs gymnasium: pip install 'windtunnel[learn]'", name="gymnasium") from None

from windtunnel.learn.acting import OBSERVED, Acting
from windtunnel.learn.dumbbell import DumbbellEnv
from windtunnel.learn.exported import export
from windtunnel.learn.paths import Paths
from windtunnel.learn.policy import Policy, together
from windtunnel.learn.rewards import REWARDS, Reading
from windtunnel.learn.trying import baseline, evaluate
from windtunnel.learn.vectorised import DumbbellVectorEnv

__all__ = [
    "OBSERVED",
    "REWARDS",
    "Acting",
    "DumbbellEnv",
    "DumbbellVectorEnv",
    "Paths",
    "Policy",
    "Reading",
    "baseline",
    "evaluate",
    "export",
    "together",
]

gymnasium.register(
    "windtunnel/Dumbbell-v0",
    entry_point="windtunnel.learn.dumbbell:DumbbellEnv",
    vector_entry_point="windtunnel.learn.vectorised:DumbbellVectorEnv",
)
