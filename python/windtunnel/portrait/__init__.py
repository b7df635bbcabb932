"""The portrait of an algorithm: three small experiments that show what it is like, on one page."""

from windtunnel.portrait.runs import portrait

__all__ = ["portrait"]
