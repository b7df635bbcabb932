"""The connection to a scheduler, which may be restarted meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from windtunnel.campaign.errors import CampaignError

if TYPE_CHECKING:
    from distributed import Client

RETRY_S = 0.5


def opened(address: str, *, timeout_s: float, security: Any = None) -> Client:
    """Return a client of a scheduler.

    Parameters
    ----------
    address : str
        As ``tcp://HOST:8786``.
    timeout_s : float
        How long to wait for its answer.
    security : distributed.Security, optional
        By Dask's own configuration when absent.

    Raises
    ------
    CampaignError
        When there is none, or Dask is not installed.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise CampaignError("campaigns need Dask, which the extra `dask` brings: pip install 'windtunnel[dask]'") from None
    known = {} if security is None else {"security": security}
    try:
        return Client(address, timeout=timeout_s, set_as_default=False, **known)
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise CampaignError(f"scheduler {address} cannot be used: {reason}; allowed: a Dask scheduler, as tcp://HOST:8786") from None


class Link:
    """A client that is made again when its scheduler comes back.

    Parameters
    ----------
    client : distributed.Client
        The first.
    patience_s : float
        How long a scheduler may be gone.
    note : callable
        Told what a user must know, a line at a time.
    """

    def __init__(self, client: Client, *, patience_s: float, note: Callable[[str], None]) -> None:
        self.client = client
        self._given = client
        self._address = str(client.scheduler.address)  # type: ignore[union-attr]
        self._patience_s = patience_s
        self._note = note
        self._id: str | None = None

    @property
    def is_up(self) -> bool:
        """Whether the scheduler is there, as far as the client knows."""
        return bool(self.client.status == "running")

    def wait(self) -> None:
        """Wait until the scheduler is back.

        Raises
        ------
        CampaignError
            When it does not come back in time.
        """
        self._note(f"scheduler {self._address} is gone; waiting up to {self._patience_s:.0f} s for it, finished runs are kept")
        until = time.monotonic() + self._patience_s
        while time.monotonic() < until:
            if self.client.status == "closed":
                self._open_again(min(RETRY_S * 4, max(until - time.monotonic(), RETRY_S)))
            if self.is_up:
                self._id = None
                self._note(f"scheduler {self._address} is back; what it had is handed over again")
                return
            time.sleep(RETRY_S / 5)
        raise CampaignError(
            f"scheduler {self._address} did not come back in {self._patience_s:.0f} s; finished runs are kept, run it again"
        )

    def _open_again(self, timeout_s: float) -> None:
        try:
            self.client = opened(self._address, timeout_s=timeout_s, security=self._given.security)
        except CampaignError:
            time.sleep(RETRY_S)

    def workers(self) -> dict[str, int]:
        """Return the threads of every worker, by its address.

        Raises
        ------
        OSError
            When the scheduler does not answer.
        """
        found = self.client.sync(self.client.scheduler.identity, n_workers=-1)  # type: ignore[union-attr]
        if self._id not in (None, found["id"]):
            self._note(f"scheduler {self._address} was restarted; what it had is handed over again")
        self._id = found["id"]
        return {address: int(one["nthreads"]) for address, one in found["workers"].items()}

    def close(self) -> None:
        """Close what this has opened; the client it was given stays open."""
        if self.client is not self._given:
            self.client.close(timeout=2)
