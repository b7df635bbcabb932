"""The native core, for every layer above: this is the only module that imports it."""

from __future__ import annotations

from windtunnel import _core

AckArrival = _core.AckArrival
Connection = _core.Connection
Episodes = _core.Episodes
LostSegment = _core.LostSegment
RateSample = _core.RateSample
RecordsHash = _core.RecordsHash
RttSample = _core.RttSample
Window = _core.Window
canonical_json = _core.canonical_json
catalogue = _core.catalogue
check = _core.check
common = _core.common
conform = _core.conform
conform_rows = _core.conform_rows
conform_segments = _core.conform_segments
epoch_s = _core.epoch_s
fill = _core.fill
fraction = _core.fraction
guest_arithmetic = _core.guest_arithmetic
guest_conform = _core.guest_conform
guest_described = _core.guest_described
stack_described = _core.stack_described
guest_last_call = _core.guest_last_call
guest_layout = _core.guest_layout
guest_made = _core.guest_made
jain = _core.jain
limits = _core.limits
live_route = _core.live_route
quantity = _core.quantity
queue_size = _core.queue_size
rates = _core.rates
ratio_min_max = _core.ratio_min_max
reading_columns = _core.reading_columns
records_digest = _core.records_digest
read_capture = _core.read_capture
run = _core.run
run_captured = _core.run_captured
run_streamed = _core.run_streamed
schema = _core.schema
spec = _core.spec
