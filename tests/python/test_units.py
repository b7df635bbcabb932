from __future__ import annotations

import pytest

from windtunnel.scenario import units


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("42ms", "s", 0.042),
        ("300s", "s", 300.0),
        ("48us", "s", 48e-6),
        ("4h", "s", 14400.0),
        ("1.5", "s", 1.5),
        ("250Mbit", "bit/s", 250e6),
        ("250mbit", "bit/s", 250e6),
        ("1Gbps", "bit/s", 1e9),
        ("64kbit/s", "bit/s", 64e3),
        ("256kB", "bytes", 256e3),
        ("1MiB", "bytes", 1048576.0),
        ("175", "packets", 175.0),
        ("1e-4", "", 1e-4),
    ],
)
def test_a_quantity_reads_as_the_si_literal(text: str, unit: str, expected: float) -> None:
    assert units.parse(text, unit) == expected


@pytest.mark.parametrize("text", ["", "ms", "42 parsecs", "nan", "inf", "-inf", "1e400", "0x10", "1,5s", "9" * 100, "1_0s"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        units.parse(text, "s")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (175, ("queue_packets", 175)),
        ("175", ("queue_packets", 175.0)),
        ("20%bdp", ("queue_bdp", 0.2)),
        ("0.2bdp", ("queue_bdp", 0.2)),
        ("50ms", ("queue_s", 0.05)),
        ("256kB", ("queue_bytes", 256000.0)),
    ],
)
def test_a_queue_size_finds_its_field(value: object, expected: tuple[str, object]) -> None:
    assert units.parse_queue(value) == expected
