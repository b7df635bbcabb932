"""The names of polars that stand for something here."""

from windtunnel.frames.expressions import Expr, col, length, lit, when
from windtunnel.frames.series import KINDS, Kind, Series
from windtunnel.frames.table import DataFrame, concat, exceptions

Boolean, Float64, String = KINDS["Boolean"], KINDS["Float64"], KINDS["String"]
Int32, Int64, UInt8, UInt32, UInt64 = (KINDS[name] for name in ("Int32", "Int64", "UInt8", "UInt32", "UInt64"))
DataType = Kind
len = length

__all__ = [
    "Boolean",
    "DataFrame",
    "DataType",
    "Expr",
    "Float64",
    "Int32",
    "Int64",
    "Series",
    "String",
    "UInt8",
    "UInt32",
    "UInt64",
    "col",
    "concat",
    "exceptions",
    "len",
    "lit",
    "when",
]
