from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import windtunnel as wt
from windtunnel import records
from windtunnel.records.model import frame_of
from windtunnel.records.schema import FRAMES
from windtunnel.scenario import parse


def _run(document: dict[str, Any], **changes: Any) -> wt.Run:
    return wt.run(parse({**document, **changes}))


def test_a_run_reads_back_as_it_was_written(tmp_path: Path, document: dict[str, Any]) -> None:
    run = _run(document, per_ack=True)
    run.save(tmp_path / "run")
    again = wt.load_run(tmp_path / "run")
    assert again.records.digest() == run.records.digest()
    assert again.summary == run.summary
    for name, frame in run.records.frames().items():
        assert frame.equals(again.records.frames()[name]), name


def test_a_variable_that_never_had_a_value_is_read_back(tmp_path: Path, document: dict[str, Any]) -> None:
    run = _run(document, flows=["cubic,window=5"])
    assert run.records.flow_samples["k_s"].null_count() == run.records.flow_samples.height > 0
    run.save(tmp_path / "run")
    assert wt.load_run(tmp_path / "run").records.digest() == run.records.digest()


def test_run_json_names_scenario_engine_and_records(tmp_path: Path, document: dict[str, Any]) -> None:
    run = _run(document, bottleneck={"rate": "1Mbit", "queue": "1%bdp"})
    run.save(tmp_path / "run")
    stored = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert stored["digest"] == run.digest and stored["records_digest"] == run.records.digest()
    assert stored["seed"] == 1 and stored["backend"] == "sim" and stored["schema_version"] == records.SCHEMA_VERSION
    assert "raised to 1" in stored["notes"][0]
    assert {"wall_s", "cpu_s", "data_packets", "events"} <= set(stored["counters"])
    assert stored["host"]["cores"] >= 1


def test_frames_have_the_schema(document: dict[str, Any]) -> None:
    flows = ["reno", "cubic,response=20kB,requests=3", "cubic,video=1Mbit"]
    run = _run(document, flows=flows, per_ack=True, arrivals=["reno,rate=10,mean=5kB"], sessions=["reno,count=2"], host={"cpu_ack": "1us"})
    for name, schema in FRAMES.items():
        frame = run.records.frames()[name]
        assert dict(list(frame.schema.items())[: len(schema)]) == schema, name


def test_every_mark_is_in_every_record_that_counts_marks(document: dict[str, Any]) -> None:
    link = {"rate": "20Mbit", "queue": 100, "mark": 10}
    run = _run(document, flows=["dctcp,stop=1s", "prague,stop=1s", "reno,window=5"], bottleneck=link, record_marks=True).records
    marks = run.events.filter(pl.col("kind") == "mark")
    of_flows = [marks.filter(pl.col("flow") == flow).height for flow in range(3)]
    assert run.flows["marked_packets"].to_list() == of_flows and of_flows[2] == 0 < min(of_flows[:2])
    assert run.links["marked_packets"].to_list() == [marks.height] == run.link_samples["marked_packets"].tail(1).to_list()
    assert run.links["window_marked_packets"].to_list() == [marks.height] and marks["link"].unique().to_list() == [0]
    assert _run(document, flows=["dctcp"], bottleneck=link).records.events.filter(pl.col("kind") == "mark").height == 0


def test_the_records_digest_ignores_wall_time_but_no_value(document: dict[str, Any]) -> None:
    first, second = _run(document), _run(document)
    assert first.records.digest() == second.records.digest()
    assert _run(document, seed=2).records.digest() != first.records.digest()
    moved = first.flow_samples.with_columns((pl.col("cwnd_packets") + 1e-9).alias("cwnd_packets"))
    changed = records.Records(
        facts=first.records.facts,
        flows=first.flows,
        flow_samples=moved,
        link_samples=first.link_samples,
        links=first.links,
        events=first.events,
    )
    assert changed.digest() != first.records.digest()


def test_nan_becomes_null_and_an_absent_column_is_null() -> None:
    frame = frame_of("events", {"t_s": np.array([1.0, np.nan]), "kind": ["stop", "drop"]})
    assert frame["t_s"].to_list() == [1.0, None]
    assert frame["value"].null_count() == 2


def test_columns_of_different_length_or_unknown_name_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        frame_of("events", {"t_s": np.zeros(2), "value": np.zeros(3)})
    with pytest.raises(ValueError, match="not part of the schema"):
        frame_of("events", {"t_s": np.zeros(2), "colour": np.zeros(2)})


def test_a_damaged_folder_names_the_file(tmp_path: Path, document: dict[str, Any]) -> None:
    _run(document).save(tmp_path / "run")
    (tmp_path / "run" / "links.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(records.FolderError, match=r"links\.parquet"):
        wt.load_run(tmp_path / "run")
    (tmp_path / "run" / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(records.FolderError, match=r"run\.json"):
        wt.load_run(tmp_path / "run")


def test_exchanged_records_are_noticed(tmp_path: Path, document: dict[str, Any]) -> None:
    _run(document).save(tmp_path / "a")
    _run(document, seed=2).save(tmp_path / "b")
    (tmp_path / "a" / "flow_samples.parquet").write_bytes((tmp_path / "b" / "flow_samples.parquet").read_bytes())
    with pytest.raises(records.FolderError, match=r"flow_samples\.parquet: is damaged: its checksum differs"):
        wt.load_run(tmp_path / "a")
