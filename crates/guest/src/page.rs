//! Where a guest is: a few words that a watching thread or process reads while a run goes on, and after a crash.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::RawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// What of a guest, or of a whole stack's endpoint, is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
#[allow(missing_docs)]
pub enum Hook {
    Load = 1,
    Create,
    Established,
    RttSampled,
    AckArrived,
    Acked,
    RateSampled,
    HoldsBack,
    SegmentLost,
    Ssthresh,
    StateChanged,
    Event,
    Undo,
    PacingRate,
    Variables,
    Seeded,
    PlainAck,
    PacketSent,
    PacketAcked,
    PacketLost,
    WantsPackets,
    StackOpen,
    StackConnect,
    StackReceive,
    StackWake,
    StackSupply,
    StackTransmit,
    StackWakeAt,
    StackState,
    StackClose,
}

/// Their names in the order of their numbers; the first is none.
const NAMES: [&str; 31] = [
    "",
    "load",
    "create",
    "on_established",
    "on_rtt_sampled",
    "on_ack_arrived",
    "on_acked",
    "on_rate_sampled",
    "holds_back",
    "on_segment_lost",
    "ssthresh",
    "on_state_changed",
    "on_event",
    "undo",
    "pacing_rate",
    "variables_now",
    "on_seeded",
    "on_plain_ack",
    "on_packet_sent",
    "on_packet_acked",
    "on_packet_lost",
    "wants_packets",
    "open",
    "connect",
    "receive",
    "wake",
    "supply",
    "transmit",
    "wake_at",
    "state",
    "close",
];

impl Hook {
    /// Its name.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// The words: how often there was a sign of life, the hook called last, the number of its flow, simulated time in nanoseconds.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Words {
    beats: AtomicU64,
    hook: AtomicU64,
    flow: AtomicU64,
    now_ns: AtomicU64,
}

impl Words {
    #[inline]
    pub(crate) fn enter(&self, hook: Hook, flow: usize, now_ns: u64) {
        self.hook.store(hook as u64, Ordering::Relaxed);
        self.flow.store(flow as u64, Ordering::Relaxed);
        self.now_ns.store(now_ns, Ordering::Relaxed);
    }

    /// A hook that is not told the time, at the time of the one before.
    #[inline]
    pub(crate) fn enter_untimed(&self, hook: Hook, flow: usize) {
        self.hook.store(hook as u64, Ordering::Relaxed);
        self.flow.store(flow as u64, Ordering::Relaxed);
    }
}

/// A page with those words.
#[derive(Debug)]
pub struct Page {
    words: NonNull<Words>,
    is_mapped: bool,
}

// SAFETY: the words are atomic, and nothing else of the page changes.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastCall {
    /// The hook.
    pub hook: &'static str,
    /// Number of the flow and simulated time in nanoseconds, where the hook has them.
    pub place: Option<(u64, u64)>,
}

impl Default for Page {
    fn default() -> Page {
        Page { words: NonNull::from(Box::leak(Box::<Words>::default())), is_mapped: false }
    }
}

impl Page {
    /// Size of what is shared, bytes.
    pub const BYTES: usize = size_of::<Words>();

    /// The page at the beginning of an open file of [`Page::BYTES`] or more, shared with every process that maps it.
    ///
    /// # Errors
    /// When it cannot be mapped.
    pub fn mapped(file: RawFd) -> io::Result<Page> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, of which the file keeps the memory; it is looked at as atomic words only, for which every bit is sound.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), Page::BYTES, protection, libc::MAP_SHARED, file, 0) };
        let words = NonNull::new(at.cast::<Words>()).filter(|_| at != libc::MAP_FAILED);
        words.map(|words| Page { words, is_mapped: true }).ok_or_else(io::Error::last_os_error)
    }

    /// The words stay where they are as long as the page does.
    pub(crate) fn words(&self) -> NonNull<Words> {
        self.words
    }

    fn at(&self) -> &Words {
        // SAFETY: they are there as long as the page is.
        unsafe { self.words.as_ref() }
    }

    /// A sign of life.
    pub fn beat(&self) {
        self.at().beats.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn enter(&self, hook: Hook) {
        self.beat();
        self.at().enter(hook, 0, 0);
    }

    /// A hook of a flow is called at this simulated time.
    #[inline]
    pub fn call(&self, hook: Hook, flow: usize, now_ns: u64) {
        self.beat();
        self.at().enter(hook, flow, now_ns);
    }

    /// As [`Page::call`], of a hook that is not told the time: at that of the one before.
    #[inline]
    pub(crate) fn call_untimed(&self, hook: Hook, flow: usize) {
        self.beat();
        self.at().enter_untimed(hook, flow);
    }

    /// No hook is called any more.
    pub fn leave(&self) {
        self.at().hook.store(0, Ordering::Relaxed);
    }

    /// The hook called last, of a copy of the page; none when none was, or it is none.
    pub fn last_call(bytes: &[u8]) -> Option<LastCall> {
        let word = |number: usize| Some(u64::from_ne_bytes(bytes.get(number * 8..number * 8 + 8)?.try_into().ok()?));
        let hook = word(1)?;
        let name = NAMES.get(usize::try_from(hook).ok()?).filter(|name| !name.is_empty())?;
        // These are called before there is a connection.
        let has_time = ![Hook::Load, Hook::Create, Hook::Seeded, Hook::WantsPackets].iter().any(|&early| early as u64 == hook);
        Some(LastCall { hook: name, place: if has_time { Some((word(2)?, word(3)?)) } else { None } })
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: what was mapped is unmapped once, what was leaked is taken back once; a law that points there keeps the page.
        unsafe {
            if self.is_mapped {
                libc::munmap(self.words.as_ptr().cast(), Page::BYTES);
            } else {
                drop(Box::from_raw(self.words.as_ptr()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_the_hook_that_was_called_last_with_flow_and_time() {
        let page = Page::default();
        let copy = |page: &Page| {
            let words = page.at();
            [&words.beats, &words.hook, &words.flow, &words.now_ns].map(|word| word.load(Ordering::Relaxed).to_ne_bytes()).concat()
        };
        assert_eq!(Page::last_call(&copy(&page)), None);
        page.enter(Hook::Load);
        assert_eq!(Page::last_call(&copy(&page)), Some(LastCall { hook: "load", place: None }));
        page.at().enter(Hook::Ssthresh, 3, 5_000_000_000);
        assert_eq!(Page::last_call(&copy(&page)), Some(LastCall { hook: "ssthresh", place: Some((3, 5_000_000_000)) }));
        assert_eq!(copy(&page)[0], 1, "one sign of life");
        page.leave();
        assert_eq!(Page::last_call(&copy(&page)), None);
        assert_eq!(Page::last_call(&[0; 3]), None);
    }

    #[test]
    fn every_hook_has_its_name() {
        assert_eq!((Hook::Load.name(), Hook::Acked.name(), Hook::Seeded.name()), ("load", "on_acked", "on_seeded"));
        assert_eq!(Hook::WantsPackets.name(), "wants_packets");
        assert_eq!((Hook::StackOpen.name(), Hook::StackClose.name(), Hook::StackClose as usize), ("open", "close", NAMES.len() - 1));
    }
}
