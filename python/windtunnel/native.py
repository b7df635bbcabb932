"""The native core, for every layer above: this is the only module that imports it."""

from __future__ import annotations

from windtunnel import _core

canonical_json = _core.canonical_json
catalogue = _core.catalogue
check = _core.check
conform = _core.conform
fill = _core.fill
limits = _core.limits
quantity = _core.quantity
queue_size = _core.queue_size
records_digest = _core.records_digest
run = _core.run
schema = _core.schema
spec = _core.spec
