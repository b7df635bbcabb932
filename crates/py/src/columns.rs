//! Records as dictionaries of numpy arrays: each column crosses once.

use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::{AckTrace, Columns, FlowRow, LinkRow, PageRow, Records, SourceRow, TransferRow, Transfers};

fn put<T: Element>(table: &Bound<'_, PyDict>, name: &str, column: Vec<T>) -> PyResult<()> {
    table.set_item(name, column.into_pyarray(table.py()))
}

fn seconds(column: Vec<u64>) -> Vec<f64> {
    column.into_iter().map(|ns| ns as f64 * 1e-9).collect()
}

/// Counts of which some are absent; a double holds those that a run can reach.
fn real_or_null(column: impl Iterator<Item = Option<u64>>) -> Vec<f64> {
    column.map(|value| value.map_or(f64::NAN, |value| value as f64)).collect()
}

pub(crate) fn convert(
    py: Python<'_>,
    records: Records,
    samples: Columns,
    trace: Option<AckTrace>,
    wall_s: f64,
) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    let counters = PyDict::new(py);
    counters.set_item("data_packets", records.data_packets)?;
    counters.set_item("events", records.core_events)?;
    counters.set_item("wall_s", wall_s)?;
    out.set_item("counters", counters)?;
    out.set_item("flows", flows(py, &records.flows)?)?;
    out.set_item("links", links(py, &records.links, &records.link_names)?)?;
    out.set_item("events", events(py, &records)?)?;
    if !records.transfers.kinds.is_empty() {
        out.set_item("transfers", transfers(py, &records.transfers)?)?;
    }
    if records.transfers.sessions > 0 {
        out.set_item("pages", pages(py, &records.transfers.pages)?)?;
    }
    let table = PyDict::new(py);
    put(&table, "t_s", seconds(samples.t_ns))?;
    put(&table, "flow", samples.flow)?;
    put(&table, "cwnd_packets", samples.cwnd)?;
    put(&table, "ssthresh_packets", samples.ssthresh)?;
    put(&table, "srtt_s", samples.srtt_s)?;
    put(&table, "min_rtt_s", samples.rtt_min_s)?;
    put(&table, "inflight_packets", samples.in_flight)?;
    put(&table, "delivered_bytes", samples.delivered_bytes)?;
    put(&table, "retransmitted_packets", samples.retransmitted)?;
    put(&table, "pacing_rate_bps", samples.pacing_rate_bps)?;
    put(&table, "state", samples.state)?;
    for (name, column) in samples.variables {
        put(&table, name, column)?;
    }
    out.set_item("flow_samples", table)?;
    out.set_item("sources", sources(py, &records.sources)?)?;
    let samples = records.source_samples;
    let table = PyDict::new(py);
    put(&table, "t_s", seconds(samples.t_ns))?;
    put(&table, "flow", samples.flow)?;
    put(&table, "delivered_bytes", samples.delivered_bytes)?;
    out.set_item("source_samples", table)?;
    let samples = records.host_samples;
    if !samples.t_ns.is_empty() {
        let table = PyDict::new(py);
        put(&table, "t_s", seconds(samples.t_ns))?;
        put(&table, "host", samples.host)?;
        put(&table, "busy_s", seconds(samples.busy_ns))?;
        out.set_item("host_samples", table)?;
    }
    let samples = records.link_samples;
    let table = PyDict::new(py);
    put(&table, "t_s", seconds(samples.t_ns))?;
    put(&table, "link", samples.link)?;
    put(&table, "queue_packets", samples.queue_packets)?;
    put(&table, "queue_bytes", samples.queue_bytes)?;
    put(&table, "delivered_bytes", samples.delivered_bytes)?;
    put(&table, "dropped_packets", samples.dropped)?;
    put(&table, "marked_packets", samples.marked)?;
    out.set_item("link_samples", table)?;
    if let Some(trace) = trace {
        let table = PyDict::new(py);
        put(&table, "t_s", trace.t_s)?;
        put(&table, "flow", trace.flow)?;
        put(&table, "cwnd", trace.cwnd)?;
        put(&table, "una", trace.una)?;
        put(&table, "inflight", trace.in_flight)?;
        out.set_item("acks", table)?;
    }
    Ok(out)
}

fn flows<'py>(py: Python<'py>, rows: &[FlowRow]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let whole = |value: fn(&FlowRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    let real = |value: fn(&FlowRow) -> f64| -> Vec<f64> { rows.iter().map(value).collect() };
    put(&table, "flow", (0..rows.len() as u32).collect())?;
    table.set_item("algorithm", rows.iter().map(|row| row.algorithm).collect::<Vec<_>>())?;
    table.set_item("variant", rows.iter().map(|row| row.variant).collect::<Vec<_>>())?;
    table.set_item("direction", rows.iter().map(|row| if row.is_reverse { "reverse" } else { "forward" }).collect::<Vec<_>>())?;
    put(&table, "start_s", real(|row| row.start_s))?;
    put(&table, "end_s", real(|row| row.stop_s))?;
    put(&table, "completed_s", real(|row| row.completed_s))?;
    put(&table, "delivered_bytes", whole(|row| row.at_end.delivered * u64::from(row.mss_bytes)))?;
    put(&table, "delivered_packets", whole(|row| row.at_end.delivered))?;
    put(&table, "sent_packets", whole(|row| row.at_end.sent))?;
    put(&table, "retransmitted_packets", whole(|row| row.at_end.retransmitted))?;
    put(&table, "lost_packets", whole(|row| row.lost_packets))?;
    put(&table, "marked_packets", whole(|row| row.marked_packets))?;
    put(&table, "loss_episodes", whole(|row| row.at_end.loss_episodes))?;
    put(&table, "timeouts", whole(|row| row.at_end.timeouts))?;
    put(&table, "undos", whole(|row| row.at_end.undos))?;
    // Null where there is none.
    let some = |value: fn(&FlowRow) -> Option<u64>| real_or_null(rows.iter().map(value));
    put(&table, "host", real_or_null(rows.iter().map(|row| row.host.map(u64::from))))?;
    put(&table, "send_stalls", some(|row| row.send_stalls))?;
    put(&table, "receive_window_bytes", some(|row| row.receive_window_bytes))?;
    put(&table, "window_s", real(|row| row.window_s))?;
    put(&table, "window_delivered_packets", whole(|row| row.at_end.delivered - row.at_window.delivered))?;
    put(&table, "window_goodput_bytes", whole(FlowRow::window_goodput_bytes))?;
    put(&table, "window_sent_packets", whole(|row| row.at_end.sent - row.at_window.sent))?;
    put(&table, "window_retransmitted_packets", whole(|row| row.at_end.retransmitted - row.at_window.retransmitted))?;
    put(&table, "mean_cwnd_packets", real(FlowRow::mean_cwnd))?;
    put(&table, "mean_rtt_s", real(FlowRow::mean_rtt_s))?;
    Ok(table)
}

fn sources<'py>(py: Python<'py>, rows: &[SourceRow]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let whole = |value: fn(&SourceRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    let real = |value: fn(&SourceRow) -> f64| -> Vec<f64> { rows.iter().map(value).collect() };
    put(&table, "flow", rows.iter().map(|row| row.flow).collect())?;
    table.set_item("algorithm", vec!["udp"; rows.len()])?;
    table.set_item("direction", rows.iter().map(|row| if row.is_reverse { "reverse" } else { "forward" }).collect::<Vec<_>>())?;
    put(&table, "start_s", real(|row| row.start_s))?;
    put(&table, "end_s", real(|row| row.stop_s))?;
    put(&table, "delivered_bytes", whole(|row| row.at_end.delivered * row.payload_bytes()))?;
    put(&table, "delivered_packets", whole(|row| row.at_end.delivered))?;
    put(&table, "sent_packets", whole(|row| row.at_end.sent))?;
    put(&table, "lost_packets", whole(|row| row.lost_packets))?;
    put(&table, "window_s", real(|row| row.window_s))?;
    put(&table, "window_delivered_packets", whole(|row| row.at_end.delivered - row.at_window.delivered))?;
    put(&table, "window_goodput_bytes", whole(|row| (row.at_end.delivered - row.at_window.delivered) * row.payload_bytes()))?;
    put(&table, "window_sent_packets", whole(|row| row.at_end.sent - row.at_window.sent))?;
    Ok(table)
}

fn links<'py>(py: Python<'py>, rows: &[LinkRow], names: &[String]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let whole = |value: fn(&LinkRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    let real = |value: fn(&LinkRow) -> f64| -> Vec<f64> { rows.iter().map(value).collect() };
    put(&table, "link", (0..rows.len() as u32).collect())?;
    table.set_item("name", names)?;
    put(&table, "utilisation", real(LinkRow::utilisation))?;
    put(&table, "mean_queue_packets", real(LinkRow::mean_queue_packets))?;
    put(&table, "max_queue_packets", whole(|row| row.totals.window_max_packets.into()))?;
    put(&table, "delivered_bytes", whole(|row| row.totals.delivered_bytes))?;
    put(&table, "dropped_packets", whole(|row| row.totals.dropped))?;
    put(&table, "lost_packets", whole(|row| row.totals.lost))?;
    put(&table, "marked_packets", whole(|row| row.totals.marked))?;
    put(&table, "window_delivered_bytes", whole(|row| row.totals.window_delivered_bytes))?;
    put(&table, "window_dropped_packets", whole(|row| row.totals.window_dropped))?;
    put(&table, "window_marked_packets", whole(|row| row.totals.window_marked))?;
    Ok(table)
}

fn transfers<'py>(py: Python<'py>, transfers: &Transfers) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let (kinds, rows) = (&transfers.kinds, &transfers.rows);
    let whole = |value: fn(&TransferRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    put(&table, "source", rows.iter().map(|row| kinds[row.kind as usize].source).collect())?;
    put(&table, "start_s", seconds(whole(|row| row.start_ns)))?;
    put(&table, "rtt_s", rows.iter().map(|row| kinds[row.kind as usize].rtt_ns as f64 * 1e-9).collect())?;
    put(&table, "bytes", whole(|row| row.bytes))?;
    put(&table, "completion_s", rows.iter().map(TransferRow::completion_s).collect())?;
    put(&table, "sent_packets", whole(|row| row.sent.into()))?;
    put(&table, "retransmitted_packets", whole(|row| row.retransmitted.into()))?;
    put(&table, "timeouts", whole(|row| row.timeouts.into()))?;
    Ok(table)
}

fn pages<'py>(py: Python<'py>, rows: &[PageRow]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let whole = |value: fn(&PageRow) -> u64| -> Vec<u64> { rows.iter().map(value).collect() };
    put(&table, "source", rows.iter().map(|row| row.source).collect())?;
    put(&table, "session", rows.iter().map(|row| row.session).collect())?;
    put(&table, "start_s", seconds(whole(|row| row.start_ns)))?;
    put(&table, "objects", whole(|row| row.objects))?;
    put(&table, "bytes", whole(|row| row.bytes))?;
    put(&table, "completion_s", rows.iter().map(PageRow::completion_s).collect())?;
    Ok(table)
}

fn events<'py>(py: Python<'py>, records: &Records) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let rows = &records.events;
    put(&table, "t_s", rows.iter().map(|row| row.t_ns as f64 * 1e-9).collect())?;
    put(&table, "flow", rows.iter().map(|row| row.flow).collect())?;
    put(&table, "link", rows.iter().map(|row| row.link).collect())?;
    table.set_item("kind", rows.iter().map(|row| row.kind.name()).collect::<Vec<_>>())?;
    put(&table, "value", rows.iter().map(|row| row.value).collect())?;
    put(&table, "value2", rows.iter().map(|row| row.value2).collect())?;
    Ok(table)
}
