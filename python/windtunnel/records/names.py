"""What flows are called where people read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def written(scenario: Mapping[str, Any]) -> list[str]:
    """Return the algorithms of a filled scenario's flows as they were asked for: ``htcp:beta08``, and of a whole stack ``cubic@quinn``."""
    return [_written(flow) for flow in scenario.get("flows", ())]


def _written(flow: Mapping[str, Any]) -> str:
    name, stack = str(flow["algorithm"]), flow.get("stack")
    return name if stack is None else f"{name}@{str(stack).partition(':')[0]}"
