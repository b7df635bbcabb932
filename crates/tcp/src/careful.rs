//! What few senders have: what may hold a new segment back besides the window and pacing, and a coarse clock.

use crate::autotune::Autotune;
use crate::SenderSpec;
use units::Time;

/// State of a device that may be full, of bursts, of a receiver whose window grows, and of timers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Care {
    /// The device's queue may be full.
    pub(crate) has_device: bool,
    /// It refused the last segment.
    pub(crate) device_is_full: bool,
    /// Segments that it refused so far.
    pub(crate) refused: u64,
    /// Segments wait for others to make a burst.
    pub(crate) defers: bool,
    pub(crate) autotune: Option<Autotune>,
    /// Interval at which timers are looked at; zero for at once.
    pub(crate) tick: Time,
}

impl Care {
    /// What a sender needs of it; its window becomes the receiver's first.
    pub(crate) fn of(spec: &mut SenderSpec) -> Option<Box<Care>> {
        let needed = spec.device || spec.options.autotune || spec.options.offload_segments > 1 || spec.options.timer_tick_s > 0.0;
        needed.then(|| {
            let autotune = spec.options.autotune.then(|| {
                let (autotune, first) = Autotune::new(spec.window, spec.mss);
                spec.window = first;
                autotune
            });
            Box::new(Care { has_device: spec.device, autotune, tick: Time::from_secs_f64(spec.options.timer_tick_s), ..Care::default() })
        })
    }
}
