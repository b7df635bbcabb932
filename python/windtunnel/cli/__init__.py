"""The command line. Heavy libraries load inside the commands, so that ``--help`` answers at once."""

from windtunnel.cli.app import main

__all__ = ["main"]
