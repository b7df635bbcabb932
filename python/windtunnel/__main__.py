"""``python -m windtunnel`` is the command line."""

import sys

from windtunnel.cli import main

if __name__ == "__main__":
    sys.exit(main())
