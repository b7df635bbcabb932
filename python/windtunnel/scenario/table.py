"""What every part of a scenario is: a frozen table of checked fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator

from windtunnel.scenario.errors import refusal, shown


class Table(BaseModel):
    """A frozen table whose fields may also be written under the short names of `SHORT`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=False, hide_input_in_errors=True)

    SHORT: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _short_names(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            if isinstance(data, cls):
                return data
            raise refusal(f"{shown(data)} is a {type(data).__name__}, not a table; allowed: {', '.join(cls.model_fields)}")
        full = dict(data)
        for short, long in cls.SHORT.items():
            if short in full:
                if long in full:
                    raise refusal(f"{short} and {long} are both given; allowed: one of them", field=short)
                full[long] = full.pop(short)
        return full
