"""Folders to begin with: a controller of one's own, or a suite, with its test and a workflow that checks it."""

from windtunnel.starters.controller import LANGUAGES, create
from windtunnel.starters.copying import StarterError
from windtunnel.starters.suite import create_suite

__all__ = ["LANGUAGES", "StarterError", "create", "create_suite"]
