"""How often flows are sampled in histories."""

SAMPLE_S = 0.001
"""Seconds; shorter than any round trip."""
