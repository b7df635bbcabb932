//! The other end of a flow that carries video: when each frame is there, all of it and all before it.

use std::collections::VecDeque;

use units::Time;

use super::encoder::Frame;
use crate::records::FrameRow;

/// One viewer.
#[derive(Clone, Debug)]
pub(crate) struct Viewer {
    flow: u32,
    rows: Vec<FrameRow>,
    /// Of each frame that is not there: the segments up to its end, and its row.
    missing: VecDeque<(u64, usize)>,
}

impl Viewer {
    /// That of flow `index`.
    pub(crate) fn of_flow(index: usize) -> Viewer {
        Viewer { flow: index as u32, rows: Vec::new(), missing: VecDeque::new() }
    }

    /// A frame is captured and written.
    pub(crate) fn expect(&mut self, captured: Time, frame: Frame) {
        if frame.bytes > 0 {
            self.missing.push_back((frame.end, self.rows.len()));
        }
        let Frame { bytes, rate_bps, .. } = frame;
        self.rows.push(FrameRow { flow: self.flow, start_ns: captured.0, bytes, rate_bps, completion_ns: u64::MAX });
    }

    /// A segment arrives; the receiver then expects `next`.
    pub(crate) fn on_segment(&mut self, now: Time, next: u64) {
        while let Some(&(_, row)) = self.missing.front().filter(|(end, _)| *end <= next) {
            self.rows[row].completion_ns = now.0 - self.rows[row].start_ns;
            self.missing.pop_front();
        }
    }

    /// The run ends: the frames.
    pub(crate) fn close(mut self, end: Time) -> Vec<FrameRow> {
        for row in &mut self.rows {
            if row.start_ns.saturating_add(row.completion_ns) > end.0 {
                row.completion_ns = u64::MAX;
            }
        }
        self.rows
    }
}
