"""Controllers from files: recognised, made, kept in the user's cache, described; loaded in a process of their own, never in the caller's.

A file becomes a name that covers its content and what built it, ``mine.c:3f9a12b0c4de5678``. Everything above knows that name alone.
"""

from windtunnel.foreign.errors import ForeignError, Unreachable
from windtunnel.foreign.kinds import is_file, is_made, shown
from windtunnel.foreign.made import Controller, adopt, controller, make, required

__all__ = ["Controller", "ForeignError", "Unreachable", "adopt", "controller", "is_file", "is_made", "make", "required", "shown"]
