"""What is wrong with a cluster."""

from __future__ import annotations


class CampaignError(RuntimeError):
    """A cluster that cannot be used, or is gone; its text is one line."""


class Unfit(RuntimeError):
    """A worker that cannot make the runs was handed one; raised there, so that the run goes to another."""
