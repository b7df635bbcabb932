//! Events, and what only some runs have.

use std::borrow::Cow;

use sim::{AckTrace, ExchangeRow, FrameRow, HostColumns, PageRow, Records, TransferRow, Transfers};

use super::seconds;
use crate::frame::Column;

pub(super) fn events(records: &Records) -> Vec<Column> {
    let rows = &records.events;
    vec![
        Column::new("t_s", rows.iter().map(|row| row.t_ns as f64 * 1e-9).collect::<Vec<_>>()),
        Column::new("flow", rows.iter().map(|row| row.flow).collect::<Vec<_>>()),
        Column::new("link", rows.iter().map(|row| i32::from(row.link)).collect::<Vec<_>>()),
        Column::new("kind", rows.iter().map(|row| Cow::from(row.kind.name())).collect::<Vec<_>>()),
        Column::new("value", rows.iter().map(|row| row.value).collect::<Vec<_>>()),
        Column::new("value2", rows.iter().map(|row| row.value2).collect::<Vec<_>>()),
    ]
}

pub(super) fn acks(trace: AckTrace) -> Vec<Column> {
    vec![
        Column::new("t_s", trace.t_s),
        Column::new("flow", trace.flow),
        Column::new("cwnd", trace.cwnd),
        Column::new("una", trace.una),
        Column::new("inflight", trace.in_flight.into_iter().map(f64::from).collect::<Vec<_>>()),
    ]
}

pub(super) fn transfers(transfers: &Transfers) -> Vec<Column> {
    let (kinds, rows) = (&transfers.kinds, &transfers.rows);
    let whole = |value: fn(&TransferRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    vec![
        Column::new("source", rows.iter().map(|row| kinds[row.kind as usize].source).collect::<Vec<_>>()),
        Column::new("start_s", seconds(&whole(|row| row.start_ns))),
        Column::new("rtt_s", rows.iter().map(|row| kinds[row.kind as usize].rtt_ns as f64 * 1e-9).collect::<Vec<_>>()),
        Column::new("bytes", whole(|row| row.bytes)),
        Column::new("completion_s", rows.iter().map(TransferRow::completion_s).collect::<Vec<_>>()),
        Column::new("sent_packets", whole(|row| row.sent.into())),
        Column::new("retransmitted_packets", whole(|row| row.retransmitted.into())),
        Column::new("timeouts", whole(|row| row.timeouts.into())),
    ]
}

pub(super) fn pages(rows: &[PageRow]) -> Vec<Column> {
    let whole = |value: fn(&PageRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    vec![
        Column::new("source", rows.iter().map(|row| row.source).collect::<Vec<_>>()),
        Column::new("session", rows.iter().map(|row| row.session).collect::<Vec<_>>()),
        Column::new("start_s", seconds(&whole(|row| row.start_ns))),
        Column::new("objects", whole(|row| row.objects)),
        Column::new("bytes", whole(|row| row.bytes)),
        Column::new("completion_s", rows.iter().map(PageRow::completion_s).collect::<Vec<_>>()),
    ]
}

pub(super) fn exchanges(rows: &[ExchangeRow]) -> Vec<Column> {
    let whole = |value: fn(&ExchangeRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    vec![
        Column::new("flow", rows.iter().map(|row| row.flow).collect::<Vec<_>>()),
        Column::new("start_s", seconds(&whole(|row| row.start_ns))),
        Column::new("request_bytes", whole(|row| row.request_bytes)),
        Column::new("bytes", whole(|row| row.bytes)),
        Column::new("completion_s", rows.iter().map(ExchangeRow::completion_s).collect::<Vec<_>>()),
        Column::new("repeats", whole(|row| row.repeats.into())),
    ]
}

pub(super) fn video(rows: &[FrameRow]) -> Vec<Column> {
    vec![
        Column::new("flow", rows.iter().map(|row| row.flow).collect::<Vec<_>>()),
        Column::new("start_s", seconds(&rows.iter().map(|row| row.start_ns).collect::<Vec<_>>())),
        Column::new("bytes", rows.iter().map(|row| row.bytes).collect::<Vec<_>>()),
        Column::new("rate_bps", rows.iter().map(|row| row.rate_bps).collect::<Vec<_>>()),
        Column::new("completion_s", rows.iter().map(FrameRow::completion_s).collect::<Vec<_>>()),
    ]
}

pub(super) fn host_samples(samples: &HostColumns) -> Vec<Column> {
    vec![
        Column::new("t_s", seconds(&samples.t_ns)),
        Column::new("host", samples.host.clone()),
        Column::new("busy_s", seconds(&samples.busy_ns)),
    ]
}
