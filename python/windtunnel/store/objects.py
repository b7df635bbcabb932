"""Objects of an object store, by fsspec: read, written once, listed; what cannot be reached is tried again for a while."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from windtunnel.records.checksums import DAMAGED
from windtunnel.remarks import say
from windtunnel.store.errors import ResultsError, one_line

_Answer = TypeVar("_Answer")
_ADDRESS = re.compile(r"s3:/+([^/].*?)/*")
_NEEDED = "results in an object store need s3fs, which the extra `s3` brings: pip install 'windtunnel[s3]'"
_LONGEST_WAIT_S = 15.0


def address_of(folder: str | Path) -> str | None:
    """Return the address of a results folder in an object store, ``s3://BUCKET/NAME``; None of a folder of this machine."""
    found = _ADDRESS.fullmatch(str(folder))
    return f"s3://{found[1]}" if found else None


@dataclass(frozen=True)
class Objects:
    """The objects under an address.

    Parameters
    ----------
    address : str
        ``s3://BUCKET/NAME``.
    patience_s : float
        How long to try again while the store cannot be reached, seconds.
    """

    address: str
    patience_s: float = 0.0

    def read(self, name: str) -> bytes:
        """Return an object's content.

        Raises
        ------
        ResultsError
            When there is none, or it cannot be read.
        """
        return self._patiently(lambda files: bytes(files.cat_file(self._path(name))), name)

    def write(self, name: str, content: bytes) -> None:
        """Write an object, whole or not at all, over one that is there.

        Raises
        ------
        ResultsError
            When it cannot be written.
        """
        self._patiently(lambda files: files.pipe_file(self._path(name), content), name)

    def create(self, name: str, content: bytes) -> bool:
        """Write an object unless there is one of that name, and return whether it was written.

        Raises
        ------
        ResultsError
            When it cannot be written.
        """

        def put(files: Any) -> bool:
            try:
                files.pipe_file(self._path(name), content, mode="create")
            except FileExistsError:
                # It may be ours: of a request whose answer was lost, and which was tried again.
                return bytes(files.cat_file(self._path(name))) == content
            return True

        return self._patiently(put, name)

    def names(self, under: str) -> list[str]:
        """Return the names of the objects under a name, sorted.

        Raises
        ------
        ResultsError
            When they cannot be listed.
        """
        start = len(self._path("")) if self._path("").endswith("/") else len(self._path("")) + 1

        def listed(files: Any) -> list[str]:
            return sorted(path[start:] for path in files.find(self._path(under)))

        return self._patiently(listed, under)

    def remove(self, names: list[str]) -> None:
        """Remove objects.

        Raises
        ------
        ResultsError
            When they cannot be removed.
        """
        if names:
            self._patiently(lambda files: files.rm([self._path(name) for name in names]), names[0])

    def check(self) -> None:
        """Refuse an address whose bucket is not there or cannot be read.

        Raises
        ------
        ResultsError
            Naming the reason.
        """
        bucket = self.address.removeprefix("s3://").partition("/")[0]
        self._patiently(lambda files: files.ls(bucket), "")

    def _path(self, name: str) -> str:
        return f"{self.address.removeprefix('s3://')}/{name}"

    def _patiently(self, call: Callable[[Any], _Answer], name: str) -> _Answer:
        began, wait_s, told = time.monotonic(), 1.0, False
        while True:
            try:
                return call(_files())
            except (FileNotFoundError, PermissionError) as error:
                raise ResultsError(self._shown(name), f"cannot be used: {_reason(error)}") from None
            except ResultsError:
                raise
            except Exception as error:
                if type(error).__name__ == "FlexibleChecksumError":  # The store's own, of what it was given.
                    raise ResultsError(self._shown(name), DAMAGED) from None
                if _is_refused(error):
                    raise ResultsError(self._shown(name), f"cannot be used: {_reason(error)}") from None
                left_s = self.patience_s - (time.monotonic() - began)
                if left_s <= 0:
                    raise Unreachable(self._shown(name), f"cannot be reached: {_reason(error)}") from None
                if not told:
                    say(f"{self.address}: cannot be reached: {_reason(error)}; waiting for it for {self.patience_s / 60:.0f} minutes")
                    told = True
                time.sleep(min(wait_s, left_s))
                wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    def _shown(self, name: str) -> str:
        return f"{self.address}/{name}".rstrip("/")


class Unreachable(ResultsError):
    """An object store that does not answer."""


def _is_refused(error: Exception) -> bool:
    """Return whether it is the caller's fault, so that trying again is of no use."""
    return type(error).__name__ in ("NoCredentialsError", "PartialCredentialsError", "ParamValidationError", "ProfileNotFound")


def _reason(error: Exception) -> str:
    return one_line(str(error))[:200] or type(error).__name__


def _files() -> Any:
    """Return the file system; fsspec keeps one for each process and settings."""
    _imported()
    # How long to try again is decided here: botocore would be silent for seven seconds first.
    return import_module("s3fs").S3FileSystem(use_listings_cache=False, config_kwargs={"retries": {"max_attempts": 2}})


@cache
def _imported() -> None:
    try:
        import_module("s3fs")
    except ModuleNotFoundError:
        raise ResultsError("s3://", _NEEDED) from None
