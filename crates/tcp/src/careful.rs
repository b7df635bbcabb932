//! What few senders have, and what may hold a new segment back besides the window and pacing.

use crate::autotune::Autotune;
use crate::device::Device;
use crate::offload::Offload;
use crate::SenderSpec;

/// A device that may be full, bursts, and a receiver whose window grows.
#[derive(Clone, Debug)]
pub(crate) struct Care {
    pub(crate) device: Option<Device>,
    pub(crate) offload: Offload,
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
            let device = spec.device.then(Device::default);
            Box::new(Care { device, offload: Offload::new(spec.options.offload_segments), autotune })
        })
    }
}
