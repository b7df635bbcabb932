"""Remarks on stderr, so that stdout stays the result."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Print a remark, a line."""
    print(f"note: {text}", file=sys.stderr, flush=True)
