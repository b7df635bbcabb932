"""Write down what the papers' suites declare, for their registers: ``python -m windtunnel.suites.readout``."""

from __future__ import annotations

import json

from windtunnel.claims import DECLARED
from windtunnel.suites.finding import packaged_declarations


def main() -> None:
    """Write the file, an experiment a line."""
    text = json.dumps(packaged_declarations(), ensure_ascii=False, separators=(",", ":"))
    DECLARED.write_text(text.replace('{"id"', '\n{"id"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
