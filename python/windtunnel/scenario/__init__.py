"""Scenarios: what is run, checked where it is handed over. Of windtunnel this package imports the core and `foreign`."""

from windtunnel.scenario.arrivals import Arrivals
from windtunnel.scenario.catalogue import Catalogue, catalogue
from windtunnel.scenario.controllers import Untrusted, algorithm
from windtunnel.scenario.errors import ScenarioError
from windtunnel.scenario.files import load, parse
from windtunnel.scenario.flows import Flow
from windtunnel.scenario.links import Bottleneck, Hop
from windtunnel.scenario.models import Scenario
from windtunnel.scenario.resolve import Resolved, asked, canonical, canonical_json, digest, fill, guests, resolve, runs_here
from windtunnel.scenario.schema import json_schema
from windtunnel.scenario.sessions import Sessions

__all__ = [
    "Arrivals",
    "Bottleneck",
    "Catalogue",
    "Flow",
    "Hop",
    "Resolved",
    "Scenario",
    "ScenarioError",
    "Sessions",
    "Untrusted",
    "algorithm",
    "asked",
    "canonical",
    "canonical_json",
    "catalogue",
    "digest",
    "fill",
    "guests",
    "json_schema",
    "load",
    "parse",
    "resolve",
    "runs_here",
]
