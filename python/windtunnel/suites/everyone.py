"""Which of the catalogue's algorithms a suite about whichever algorithm can take."""

from windtunnel.scenario import catalogue

NOT_ONE_FLOW = ("ptcp", "convex", "concave-convex", "fast-bqd")
"""In the catalogue and no algorithm of one flow that the Internet could see: bundles, shapes of a study, one that is told its queue."""
SUBJECTS = tuple(name for name in catalogue().algorithms if name not in NOT_ONE_FLOW)
"""Who may be judged; beside these, a file."""
