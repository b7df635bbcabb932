"""Search for the worst case: where an algorithm breaks a stated property, shrunk to the simplest, confirmed on fresh seeds."""

from windtunnel.search.cases import Case, write_case
from windtunnel.search.dimensions import DIMENSIONS, Dimension, read_dimension
from windtunnel.search.finding import FRESH, Found, search
from windtunnel.search.onlinux import OnLinux, on_linux
from windtunnel.search.properties import PROPERTIES, Property, read_property
from windtunnel.search.trials import Trials

__all__ = [
    "DIMENSIONS",
    "FRESH",
    "PROPERTIES",
    "Case",
    "Dimension",
    "Found",
    "OnLinux",
    "Property",
    "Trials",
    "on_linux",
    "read_dimension",
    "read_property",
    "search",
    "write_case",
]
