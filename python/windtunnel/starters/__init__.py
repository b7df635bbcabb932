"""Folders to begin with: a controller of one's own with its test, a scenario, and a workflow that checks it."""

from windtunnel.starters.controller import LANGUAGES, StarterError, create

__all__ = ["LANGUAGES", "StarterError", "create"]
