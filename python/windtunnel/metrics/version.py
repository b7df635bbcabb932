"""The version of the metrics' results."""

MEASURES_VERSION = 3
"""Raised by hand when a metric may give another value for the same records; stored runs are then measured again."""
