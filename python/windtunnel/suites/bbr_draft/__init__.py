"""The 22 example cases of draft-ietf-ccwg-bbr as assertions on a controller's state over time."""

from windtunnel.suites.bbr_draft import checks
from windtunnel.suites.bbr_draft.cases import EXPERIMENTS as _CASES
from windtunnel.suites.bbr_draft.criteria import FOLLOWED

TITLE = "draft-ietf-ccwg-bbr, BBR Example Test Cases: assertions on BBR's state"
ORDER = tuple(one.id for one in _CASES)
METRICS = {
    one.metric: ("1", (one.function.__doc__ or "").splitlines()[0].rstrip(".") + ": 1 where it holds")
    for case in _CASES
    for one in case.measures
    if one.function is not None and one.function.__module__ == checks.__name__
}
"""Unit and meaning of the assertions, which are this suite's own."""

__all__ = ["FOLLOWED", "METRICS", "ORDER", "TITLE"]
