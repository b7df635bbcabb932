"""Facts about the machine a run was made on."""

from __future__ import annotations

import os
import platform
from typing import Any


def host() -> dict[str, Any]:
    """Return facts about this machine; they are not part of any digest."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }
