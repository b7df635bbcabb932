//! The handshake as the side that opens sees it: SYN, SYN-ACK, ACK (RFC 9293 3.5).
//!
//! The facts are those of Linux 6.1. The SYN is repeated after 1 s, and after twice as long each time (RFC 6298 2.1), six times
//! (`tcp_syn_retries`); 127 s after the first the connection is given up. A SYN-ACK gives an RTT sample if the SYN left once; otherwise the
//! timestamp that it echoes does, in milliseconds. Without either the timeout of the connection is 3 s (RFC 6298 5.7; `tcp_init_metrics`).
//! The initial window is one segment if the SYN left more than twice (`tcp_init_transfer`), unless the echo shows that the first one
//! arrived (`tcp_try_undo_spurious_syn`).
//!
//! SYN and ACK travel as segments with numbers of their own, behind all others, and the SYN-ACK as an ACK of such a number: it says that it
//! has SACK information, and so is never taken for a plain one.

use units::{Duration, Time};

use crate::ack::sack_option_bytes;
use crate::clock::Flight;

/// IP bytes of a SYN and of a SYN-ACK: 20 of IP, 20 of TCP, and 20 of options (MSS, SACK permitted, timestamps, window scale).
pub const SYN_BYTES: u32 = 60;

/// Numbers that no segment of data reaches, with two bits to spare: who carries segments keeps their marks there.
const LAST: u64 = u64::MAX >> 2;
const FIRST: u64 = LAST - 1;

/// The number of what asks a receiver whether it has room: a segment without data.
const WINDOW_PROBE: u64 = LAST - 2;

/// Numbers from here to the parts of a handshake are those of ACKs of requests.
const HEARD: u64 = 1 << 60;

/// The cumulative acknowledgement that makes an ACK a SYN-ACK: as large as 47 bits say.
const SYN_ACK: u64 = (1 << 47) - 1;

/// Cumulative acknowledgements from here on acknowledge nothing: they say what else a packet on the way of the ACKs is.
const NO_ACK: u64 = 1 << 46;

/// How long the first SYN is waited for.
const TIMEOUT: Duration = Duration::from_ms(1000);

/// How often a SYN is repeated (Linux `tcp_syn_retries`).
const RETRIES: u32 = 6;

/// What a sender sends before its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// It asks for a connection.
    Syn,
    /// It acknowledges the answer.
    Ack,
}

impl Opening {
    /// Its number among segments.
    pub const fn seq(self) -> u64 {
        match self {
            Opening::Syn => FIRST,
            Opening::Ack => LAST,
        }
    }

    /// What segment `seq` is, if it belongs to a handshake.
    #[inline]
    pub const fn of(seq: u64) -> Option<Opening> {
        match seq {
            FIRST => Some(Opening::Syn),
            LAST => Some(Opening::Ack),
            _ => None,
        }
    }
}

/// What a sender sends that is no data and opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    /// It asks a receiver whether it has room.
    Probe,
    /// It acknowledges packets of requests.
    Heard {
        /// The number of that ACK, counted from 0.
        number: u64,
        /// SACK blocks in it, at most three.
        blocks: u8,
    },
}

impl Bare {
    /// Its number among segments.
    pub const fn seq(self) -> u64 {
        match self {
            Bare::Probe => WINDOW_PROBE,
            Bare::Heard { number, blocks } => HEARD + (number << 2 | blocks as u64),
        }
    }

    /// What segment `seq` is, if it is none of data and none of a handshake.
    #[inline]
    pub const fn of(seq: u64) -> Option<Bare> {
        match seq {
            WINDOW_PROBE => Some(Bare::Probe),
            HEARD..WINDOW_PROBE => Some(Bare::Heard { number: (seq - HEARD) >> 2, blocks: (seq & 3) as u8 }),
            _ => None,
        }
    }

    /// Bytes of its SACK option.
    pub const fn option_bytes(self) -> u32 {
        match self {
            Bare::Probe => 0,
            Bare::Heard { blocks, .. } => sack_option_bytes(blocks as u32),
        }
    }
}

impl crate::Ack {
    /// The answer to a SYN that was sent at `echo` and took `delay`.
    pub(crate) fn of_syn(echo: Time, delay: Duration) -> crate::Ack {
        crate::Ack { cumulative: SYN_ACK, echo, delay, ecn: 0, has_sack: true }
    }

    /// Whether it answers a SYN.
    #[inline]
    pub const fn is_syn_ack(&self) -> bool {
        self.cumulative == SYN_ACK
    }

    /// Whether it is a SYN-ACK or a part of a request.
    #[inline]
    pub const fn is_special(&self) -> bool {
        self.cumulative >= NO_ACK
    }

    /// What travels as an ACK, and says `label` of itself, 46 bits that are not all ones.
    #[inline]
    pub const fn labelled(label: u64) -> crate::Ack {
        crate::Ack { cumulative: NO_ACK | label, echo: Time::ZERO, delay: Duration::ZERO, ecn: 0, has_sack: true }
    }

    /// That label, if it is no ACK and no SYN-ACK.
    #[inline]
    pub const fn label(&self) -> Option<u64> {
        if self.is_special() && !self.is_syn_ack() {
            Some(self.cumulative & (NO_ACK - 1))
        } else {
            None
        }
    }
}

/// A SYN that has no answer yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Handshake {
    first_sent: Time,
    repeated: u32,
}

/// What the handshake tells of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Established {
    /// The RTT sample, if there is one.
    pub(crate) sample: Option<Flight>,
    /// The initial window is one segment.
    pub(crate) is_cut: bool,
}

impl Handshake {
    /// The first SYN leaves.
    pub(crate) fn new(now: Time) -> Handshake {
        Handshake { first_sent: now, repeated: 0 }
    }

    /// How long the SYN that left last is waited for.
    pub(crate) fn timeout(&self) -> Duration {
        TIMEOUT * (1 << self.repeated)
    }

    /// No answer has come in time. Whether the SYN leaves again.
    pub(crate) fn on_timeout(&mut self) -> bool {
        let is_going_on = self.repeated < RETRIES;
        self.repeated += u32::from(is_going_on);
        is_going_on
    }

    /// When the SYN left, if it left once.
    pub(crate) fn sent_once(&self) -> Option<Time> {
        (self.repeated == 0).then_some(self.first_sent)
    }

    /// The answer arrives. It echoes when the SYN that it answers was sent, if there are timestamps.
    pub(crate) fn on_answered(&self, now: Time, echo: Option<Time>) -> Established {
        let is_spurious = echo.is_some_and(|echo| echo.as_ms() == self.first_sent.as_ms());
        let echoed = echo.map(|echo| now.saturating_sub(Duration::from_ms((now.as_ms() - echo.as_ms()).max(1))));
        let sample = self.sent_once().or(echoed).map(|sent| Flight { sent, answered: now });
        Established { sample, is_cut: self.repeated > 1 && !is_spurious }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(times: u32) -> Handshake {
        let mut handshake = Handshake::new(Time::from_ms(100));
        assert!((0..times).all(|_| handshake.on_timeout()));
        handshake
    }

    /// RFC 6298 2.1 and 5.5 with six repetitions: 1, 2, 4, 8, 16, 32 and 64 s, 127 s together.
    #[test]
    fn a_syn_is_repeated_six_times_in_127_seconds() {
        let mut handshake = repeated(0);
        let mut seconds = Vec::new();
        loop {
            seconds.push(handshake.timeout().as_ms() / 1000);
            if !handshake.on_timeout() {
                break;
            }
        }
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 64]);
    }

    /// A SYN sent once is timed to the nanosecond, with or without timestamps.
    #[test]
    fn a_syn_that_left_once_gives_an_exact_sample() {
        let now = Time::from_ms(150) + Duration(7);
        for echo in [None, Some(Time::from_ms(100))] {
            let Established { sample, is_cut } = repeated(0).on_answered(now, echo);
            assert_eq!((sample.map(Flight::rtt), is_cut), (Some(Duration::from_ms(50) + Duration(7)), false));
        }
    }

    /// Sent at 0.1, 1.1 and 3.1 s and answered at 3.16 s: the echo tells which one the 60 ms belong to; without it nothing is known.
    #[test]
    fn a_repeated_syn_is_timed_by_its_echo_alone() {
        let now = Time::from_ms(3160) + Duration(999);
        assert_eq!(repeated(2).on_answered(now, None), Established { sample: None, is_cut: true });
        let by_echo = |ms| {
            let Established { sample, is_cut } = repeated(2).on_answered(now, Some(Time::from_ms(ms)));
            (sample.map(|flight| flight.rtt().as_ms()), is_cut)
        };
        assert_eq!(by_echo(3100), (Some(60), true));
        assert_eq!(by_echo(1100), (Some(2060), true));
        // The first one had arrived: nothing was lost.
        assert_eq!(by_echo(100), (Some(3060), false));
    }

    /// One lost SYN leaves the window as it is (Linux `tcp_init_transfer`: more than one retransmission).
    #[test]
    fn one_repetition_does_not_cut_the_window() {
        assert!(!repeated(1).on_answered(Time::from_ms(1200), None).is_cut);
    }
}
