//! Links: a row each, and their samples.

use std::borrow::Cow;
use std::mem::take;

use sim::{LinkRow, Records};

use super::seconds;
use crate::frame::Column;

pub(super) fn columns(records: &Records) -> Vec<Column> {
    let rows = &records.links;
    let whole = |value: fn(&LinkRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    let real = |value: fn(&LinkRow) -> f64| -> Vec<f64> { rows.iter().map(value).collect() };
    let names: Vec<Cow<'static, str>> = records.link_names.iter().cloned().map(Cow::from).collect();
    vec![
        Column::new("link", (0..rows.len() as u32).collect::<Vec<_>>()),
        Column::new("name", names),
        Column::new("utilisation", real(LinkRow::utilisation)),
        Column::new("mean_queue_packets", real(LinkRow::mean_queue_packets)),
        Column::new("max_queue_packets", whole(|row| row.totals.window_max_packets.into())),
        Column::new("delivered_bytes", whole(|row| row.totals.delivered_bytes)),
        Column::new("dropped_packets", whole(|row| row.totals.dropped)),
        Column::new("lost_packets", whole(|row| row.totals.lost)),
        Column::new("marked_packets", whole(|row| row.totals.marked)),
        Column::new("window_delivered_bytes", whole(|row| row.totals.window_delivered_bytes)),
        Column::new("window_dropped_packets", whole(|row| row.totals.window_dropped)),
        Column::new("window_marked_packets", whole(|row| row.totals.window_marked)),
    ]
}

/// Takes the samples' columns out of the records.
pub(super) fn samples(records: &mut Records) -> Vec<Column> {
    let samples = &mut records.link_samples;
    vec![
        Column::new("t_s", seconds(&take(&mut samples.t_ns))),
        Column::new("link", take(&mut samples.link)),
        Column::new("queue_packets", take(&mut samples.queue_packets).into_iter().map(u64::from).collect::<Vec<u64>>()),
        Column::new("queue_bytes", take(&mut samples.queue_bytes)),
        Column::new("delivered_bytes", take(&mut samples.delivered_bytes)),
        Column::new("dropped_packets", take(&mut samples.dropped)),
        Column::new("marked_packets", take(&mut samples.marked)),
    ]
}
