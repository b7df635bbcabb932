"""Measuring a path that exists, by the method of the study of 2003: what is measured, the session, what was found, tables and figures."""

from windtunnel.measure.errors import MeasureError
from windtunnel.measure.plan import Asked, plan
from windtunnel.measure.session import FILE, Measurement, volume_words
from windtunnel.measure.tables import KEYS, TABLES, as_data

__all__ = ["FILE", "KEYS", "TABLES", "Asked", "MeasureError", "Measurement", "as_data", "plan", "volume_words"]
