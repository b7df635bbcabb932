//! One row per flow, then one per source of datagrams.

use std::borrow::Cow;

use sim::{FlowRow, Records, SourceRow};

use crate::frame::{Cells, Column};

/// A quantity of flows, and of sources where they have it.
struct Rows<'a> {
    flows: &'a [FlowRow],
    sources: &'a [SourceRow],
}

impl Rows<'_> {
    fn both<T>(&self, of_flow: impl Fn(&FlowRow) -> T, of_source: impl Fn(&SourceRow) -> T) -> Vec<T> {
        self.flows.iter().map(of_flow).chain(self.sources.iter().map(of_source)).collect()
    }

    /// A count of flows, some of which may have none.
    fn flows_only<T: Default>(&self, name: &'static str, of_flow: impl Fn(&FlowRow) -> Option<T>) -> Column
    where
        Vec<T>: Into<Cells>,
    {
        Column::with_nulls(name, self.flows.iter().map(of_flow).chain(self.sources.iter().map(|_| None)))
    }
}

fn direction(is_reverse: bool) -> Cow<'static, str> {
    if is_reverse { "reverse" } else { "forward" }.into()
}

pub(super) fn columns(records: &Records) -> Vec<Column> {
    let rows = Rows { flows: &records.flows, sources: &records.sources };
    let of_flows = 0..records.flows.len() as u32;
    let numbers: Vec<u32> = of_flows.chain(records.sources.iter().map(|row| row.flow)).collect();
    let mut columns = vec![
        Column::new("flow", numbers),
        Column::new("algorithm", rows.both(|row| row.algorithm.into(), |_| Cow::from("udp"))),
        rows.flows_only("variant", |row| Some(Cow::from(row.variant))),
        Column::new("direction", rows.both(|row| direction(row.is_reverse), |row| direction(row.is_reverse))),
        Column::new("start_s", rows.both(|row| row.start_s, |row| row.start_s)),
        Column::new("end_s", rows.both(|row| row.stop_s, |row| row.stop_s)),
        Column::new("completed_s", rows.both(|row| row.completed_s, |_| f64::NAN)),
        Column::new("window_s", rows.both(|row| row.window_s, |row| row.window_s)),
        Column::new("mean_cwnd_packets", rows.both(FlowRow::mean_cwnd, |_| f64::NAN)),
        Column::new("mean_rtt_s", rows.both(FlowRow::mean_rtt_s, |_| f64::NAN)),
        Column::new("receive_limited_s", rows.both(|row| row.receive_limited_s, |_| f64::NAN)),
    ];
    columns.extend(counts(&rows));
    columns
}

fn counts(rows: &Rows<'_>) -> [Column; 16] {
    let window = |row: &SourceRow| row.at_end.delivered - row.at_window.delivered;
    let again = |row: &FlowRow| row.at_end.retransmitted - row.at_window.retransmitted;
    [
        Column::new("delivered_bytes", rows.both(FlowRow::delivered_bytes, |row| row.at_end.delivered * row.payload_bytes())),
        Column::new("delivered_packets", rows.both(|row| row.at_end.delivered, |row| row.at_end.delivered)),
        Column::new("sent_packets", rows.both(|row| row.at_end.sent, |row| row.at_end.sent)),
        rows.flows_only("retransmitted_packets", |row| Some(row.at_end.retransmitted)),
        Column::new("lost_packets", rows.both(|row| row.lost_packets, |row| row.lost_packets)),
        rows.flows_only("marked_packets", |row| Some(row.marked_packets)),
        rows.flows_only("loss_episodes", FlowRow::loss_episodes),
        rows.flows_only("timeouts", FlowRow::timeouts),
        rows.flows_only("undos", FlowRow::undos),
        rows.flows_only("host", |row| row.host),
        rows.flows_only("send_stalls", |row| row.send_stalls),
        rows.flows_only("receive_window_bytes", |row| row.receive_window_bytes),
        Column::new("window_delivered_packets", rows.both(|row| row.at_end.delivered - row.at_window.delivered, window)),
        Column::new("window_goodput_bytes", rows.both(FlowRow::window_goodput_bytes, |row| window(row) * row.payload_bytes())),
        Column::new(
            "window_sent_packets",
            rows.both(|row| row.at_end.sent - row.at_window.sent, |row| row.at_end.sent - row.at_window.sent),
        ),
        rows.flows_only("window_retransmitted_packets", |row| Some(again(row))),
    ]
}
