"""What is wrong with a suite that is asked for."""

from __future__ import annotations


class SuiteError(ValueError):
    """A suite or experiment that does not exist or cannot be accepted; its text is one line."""
