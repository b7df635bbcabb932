//! The frames of a simulated run.

mod flow_samples;
mod flows;
mod links;
mod others;

use sim::{AckTrace, Records};

use crate::frame::{Column, Frame};
use crate::schema;

/// The frames of a run, and of its trace of ACKs if it has one; the optional ones only where there are any.
pub fn frames(mut records: Records, trace: Option<AckTrace>) -> Vec<Frame> {
    let records = &mut records;
    let transfers = &records.transfers;
    let made = [
        ("flows", Some(flows::columns(records))),
        ("flow_samples", Some(flow_samples::columns(records))),
        ("links", Some(links::columns(records))),
        ("events", Some(others::events(records))),
        ("acks", trace.map(others::acks)),
        ("transfers", (!transfers.kinds.is_empty()).then(|| others::transfers(transfers))),
        ("pages", (transfers.sessions > 0).then(|| others::pages(&transfers.pages))),
        ("exchanges", records.exchanges.as_deref().map(others::exchanges)),
        ("video", records.frames.as_deref().map(others::video)),
        ("host_samples", (!records.host_samples.t_ns.is_empty()).then(|| others::host_samples(&records.host_samples))),
        ("link_samples", Some(links::samples(records))),
    ];
    let mut frames: Vec<Frame> = made.into_iter().filter_map(|(name, columns)| columns.map(|columns| frame(name, columns))).collect();
    frames.sort_by_key(|frame| schema::FRAMES.iter().position(|known| known.name == frame.name));
    frames
}

/// Rows of samples that a run has so far, taken out of it: those of `flow_samples`, about `most`, and all of `link_samples`. No frame has rows
/// when none are left. What [`frames`] then gives are the rows after them.
pub(crate) fn taken(records: &mut Records, most: usize) -> Vec<Frame> {
    let flows = flow_samples::of_flows(records.flow_samples.take(most));
    vec![frame("flow_samples", flows), frame("link_samples", links::samples(records))]
}

fn frame(name: &str, columns: Vec<Column>) -> Frame {
    Frame::new(schema::frame(name).expect("a frame of the schema"), columns)
}

fn seconds(column: &[u64]) -> Vec<f64> {
    column.iter().map(|&ns| ns as f64 * 1e-9).collect()
}
