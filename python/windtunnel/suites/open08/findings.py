"""What strikes most in the paper of open questions, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl


def findings(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return what was found.

    Parameters
    ----------
    tables : mapping of str to polars.DataFrame
        Measures by experiment.

    Returns
    -------
    list of str
        Sentences; empty when the experiments they need were not run.
    """
    table = tables.get("open08.fig9")
    if table is None:
        return []
    ratios = {
        alg: rows["value"].mean()
        for (alg,), rows in table.filter((pl.col("metric") == "first_vs_rest") & pl.col("value").is_finite()).group_by("alg")
    }
    cubic, htcp = ratios.get("cubic"), ratios.get("htcp")
    if not isinstance(cubic, float) or not isinstance(htcp, float):
        return []
    text = f"Of four transfers of 200 MB started 5 s apart the later ones take {cubic:.1f} times as long as the first with CUBIC, "
    return [f"{text}{htcp:.1f} times with H-TCP."]
