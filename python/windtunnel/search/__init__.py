"""Search for the worst case: where an algorithm breaks a stated property, shrunk to the simplest, confirmed on fresh seeds."""

from windtunnel.search.cases import Case, write_case
from windtunnel.search.dimensions import DIMENSIONS, Dimension, read_dimension
from windtunnel.search.finding import Found, search
from windtunnel.search.properties import PROPERTIES, Property, read_property
from windtunnel.search.trials import Trials

__all__ = [
    "DIMENSIONS",
    "PROPERTIES",
    "Case",
    "Dimension",
    "Found",
    "Property",
    "Trials",
    "read_dimension",
    "read_property",
    "search",
    "write_case",
]
