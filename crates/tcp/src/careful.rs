//! What few senders have that may hold a new segment back, besides the window and pacing.

use crate::autotune::Autotune;
use crate::SenderSpec;

/// State of a device that may be full, of bursts, and of a receiver whose window grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Care {
    /// The device's queue may be full.
    pub(crate) has_device: bool,
    /// It refused the last segment.
    pub(crate) device_is_full: bool,
    /// Segments wait for others to make a burst.
    pub(crate) defers: bool,
    pub(crate) autotune: Option<Autotune>,
}

impl Care {
    /// What a sender needs of it; its window becomes the receiver's first.
    pub(crate) fn of(spec: &mut SenderSpec) -> Option<Box<Care>> {
        let needed = spec.device || spec.options.autotune || spec.options.offload_segments > 1;
        needed.then(|| {
            let autotune = spec.options.autotune.then(|| {
                let (autotune, first) = Autotune::new(spec.window, spec.mss);
                spec.window = first;
                autotune
            });
            Box::new(Care { has_device: spec.device, autotune, ..Care::default() })
        })
    }
}
