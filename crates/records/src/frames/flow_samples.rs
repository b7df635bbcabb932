//! Samples of the flows, then those of the sources of datagrams.

use sim::{Columns, Records, UNSAID_STATE};

use super::seconds;
use crate::frame::{Cells, Column};

pub(super) fn columns(records: &Records) -> Vec<Column> {
    let mut columns = of_flows(records.flow_samples.columns());
    if !records.sources.is_empty() {
        columns.iter_mut().for_each(|column| append(column, records));
    }
    columns
}

/// Those of flows alone.
pub(super) fn of_flows(samples: Columns) -> Vec<Column> {
    let mut columns = vec![
        Column::new("t_s", seconds(&samples.t_ns)),
        Column::new("flow", samples.flow),
        Column::new("cwnd_packets", samples.cwnd),
        Column::new("ssthresh_packets", samples.ssthresh),
        Column::new("srtt_s", samples.srtt_s),
        Column::new("min_rtt_s", samples.rtt_min_s),
        Column::new("inflight_packets", samples.in_flight),
        Column::new("delivered_bytes", samples.delivered_bytes),
        Column::new("retransmitted_packets", samples.retransmitted),
        Column::new("pacing_rate_bps", samples.pacing_rate_bps),
        state(samples.state),
    ];
    for (name, cells) in samples.variables {
        // A variable of a column's name takes its place, for all flows: that is what records have held of bbr's and bbr3's `min_rtt_s`.
        columns.retain(|column| column.name != name);
        columns.push(Column::new(name, cells));
    }
    columns
}

/// The congestion state; null of a stack that does not say it.
fn state(cells: Vec<u8>) -> Column {
    if !cells.contains(&UNSAID_STATE) {
        return Column::new("state", cells);
    }
    Column::with_nulls("state", cells.into_iter().map(|cell| (cell != UNSAID_STATE).then_some(cell)))
}

/// Appends what sources have of a column: their number, what they delivered, nothing of the rest.
fn append(column: &mut Column, records: &Records) {
    let more = &records.source_samples;
    let rows = more.t_ns.len();
    let before = column.cells.len();
    match (column.name, &mut column.cells) {
        ("t_s", Cells::Float64(cells)) => cells.extend(seconds(&more.t_ns)),
        ("flow", Cells::UInt32(cells)) => cells.extend(&more.flow),
        ("delivered_bytes", Cells::UInt64(cells)) => cells.extend(&more.delivered_bytes),
        (_, Cells::Float64(cells)) => cells.resize(before + rows, f64::NAN),
        (_, Cells::UInt64(cells)) => {
            cells.resize(before + rows, 0);
            column.nulls = nulls_after(before, rows);
        }
        (_, Cells::UInt8(cells)) => {
            cells.resize(before + rows, 0);
            match &mut column.nulls {
                Some(nulls) => nulls.resize(before + rows, true),
                None => column.nulls = nulls_after(before, rows),
            }
        }
        (name, cells) => unreachable!("{name} of {:?}", cells.kind()),
    }
}

fn nulls_after(before: usize, rows: usize) -> Option<Vec<bool>> {
    (rows > 0).then(|| (0..before + rows).map(|row| row >= before).collect())
}
