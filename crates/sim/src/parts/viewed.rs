//! A path at whose other end frames of video are awaited: the viewer's part in what is written and arrives.

use units::Time;

use super::encoder::Frame;
use super::path::Path;
use super::viewer::Viewer;
use crate::records::FrameRow;

impl Path {
    /// A viewer is at its other end, if its flow has one.
    pub(crate) fn show_to(&mut self, viewer: Option<Viewer>) {
        let Some(viewer) = viewer else { return };
        self.is_watched = true;
        self.is_altered = true;
        self.rare.get_or_insert_with(Box::default).viewer = Some(Box::new(viewer));
        self.refresh_beyond();
    }

    /// A frame is captured at `now` in the flow's clock, and written.
    pub(crate) fn on_captured(&mut self, now: Time, frame: Frame) {
        let captured = now.saturating_sub(self.access_delay());
        if let Some(viewer) = self.rare.as_mut().and_then(|rare| rare.viewer.as_mut()) {
            viewer.expect(captured, frame);
        }
    }

    /// A segment has arrived where the viewer is, if there is one.
    #[inline(never)]
    pub(super) fn tell_viewer(&mut self, now: Time) {
        let next = self.receiver.next();
        if let Some(viewer) = self.rare.as_mut().and_then(|rare| rare.viewer.as_mut()) {
            viewer.on_segment(now, next);
        }
    }

    /// The run ends at `end`: the frames, if there is a viewer.
    pub(crate) fn close_viewer(&mut self, end: Time) -> Option<Vec<FrameRow>> {
        self.rare.as_ref()?.viewer.as_ref()?;
        while self.held_until() < end {
            self.commit_pending();
        }
        Some(self.rare.as_mut()?.viewer.take()?.close(end))
    }
}
