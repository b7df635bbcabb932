"""What tshark says of a capture's packets."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CLASSES = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
"""What Wireshark calls data that was sent before (`tcp.analysis`)."""


def frames(file: Path, *fields: str, at: str | None = None) -> list[dict[str, str]]:
    """Return these fields of each packet; of those of one interface alone where its name is given."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed (Debian's package of that name)")
    if at is not None:
        apart = file.with_name(f"{at}-{file.name}")
        subprocess.run(["tshark", "-n", "-r", file, "-Y", f'frame.interface_name == "{at}"', "-w", apart], capture_output=True, check=True)
        file = apart
    command = ["tshark", "-n", "-r", str(file), "-T", "fields", *(part for field in fields for part in ("-e", field))]
    read = subprocess.run(command, capture_output=True, text=True, check=True)
    return [dict(zip(fields, line.split("\t"), strict=True)) for line in read.stdout.splitlines()]
