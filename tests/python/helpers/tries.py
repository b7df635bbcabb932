"""What may come too late on a loaded machine is tried again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Raised = TypeVar("Raised", bound=BaseException)


def raised(kind: type[Raised], act: Callable[[], object], *, again: Callable[[], object], tries: int = 5) -> Raised:
    """Return what an act raises; one that ends without is undone by `again` and repeated."""
    for _ in range(tries):
        try:
            act()
        except kind as error:
            return error
        again()
    raise AssertionError(f"{kind.__name__} was not raised in {tries} tries")
