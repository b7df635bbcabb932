"""Generate `scenario/catalogue.json` from the engine: ``python -m windtunnel.backends.catalogue [--check]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import windtunnel.scenario
from windtunnel.backends.sim import catalogue_json

TARGET = Path(windtunnel.scenario.__file__).with_name("catalogue.json")


def rendered() -> str:
    """Return the file's text: the engine's catalogue, indented, in its own order."""
    return json.dumps(json.loads(catalogue_json()), indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write the file, or with ``--check`` only compare it.

    Returns
    -------
    int
        0 when it is written or up to date, 1 when ``--check`` finds a difference, 2 for another argument.
    """
    if arguments not in ([], ["--check"]):
        print("usage: python -m windtunnel.backends.catalogue [--check]", file=sys.stderr)
        return 2
    text = rendered()
    if not arguments:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET} differs from the engine's catalogue; run: python -m windtunnel.backends.catalogue", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
