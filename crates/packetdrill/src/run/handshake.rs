//! How a connection opens: who asked whom, what they agreed on, and how long it took.

use tcp::Ecn;
use units::{Duration, Time};

use crate::outcome::Stop;
use crate::script::{Direction, Packet};

use super::expected::Span;
use super::repeats::Repeats;
use super::settings::Settings;

/// What Linux takes for the largest segment of a peer that names none.
const MSS_DEFAULT: u32 = 536;
/// What the device of packetdrill allows.
const MSS_OWN: u32 = 1460;
/// Linux's least, less a timestamp (`tcp_min_snd_mss`).
const MSS_MIN: u32 = 36;
/// RFC 7323 2.3.
const SCALE_MAX: u32 = 14;
/// What a timestamp takes of each segment.
const STAMP_BYTES: u32 = 12;

/// What both ends agreed on.
#[derive(Clone, Debug)]
pub(super) struct Agreed {
    /// The peer opened the connection.
    pub(super) accepts: bool,
    /// When the stack under test knew the connection to be open.
    pub(super) opened: Time,
    /// None where a SYN or its answer left more than once without a timestamp, or where the handshake is not over.
    pub(super) rtt: Option<Duration>,
    /// The initial window is one segment: what opened the connection left more than twice.
    pub(super) is_cut: bool,
    pub(super) mss: u32,
    /// What the stack under test allows the peer's segments, less what timestamps take.
    pub(super) advmss: u32,
    /// Windows are shifted, if only by no bit.
    pub(super) has_scale: bool,
    /// By how many bits the peer's windows are shifted.
    pub(super) scale: u32,
    pub(super) window_bytes: u64,
    pub(super) sack: bool,
    pub(super) ecn: Ecn,
    /// With timestamps: the script's value of what the stack under test sent first, and when that was.
    pub(super) stamp: Option<(u64, Time)>,
    /// The latest of the peer's timestamps in the handshake.
    pub(super) peer_stamp: Option<u64>,
    /// Bytes of the stack under test that its SYN brought.
    pub(super) sent_before: u64,
    /// Bytes that the SYN carried and that were not acknowledged: they leave as new data here, where Linux counts them as sent again.
    pub(super) sent_in_vain: u64,
    /// The SYN carried data, all of which its answer acknowledged.
    pub(super) is_asked_with_data: bool,
    /// The peer's SYN brought data, which are acknowledged, and the handshake is not over (RFC 7413).
    pub(super) is_fast: bool,
    /// The peer counts this many marks, with accurate ECN: of the SYN-ACK.
    pub(super) marked_before: u16,
    /// What came last was marked.
    pub(super) has_mark: bool,
}

/// The bit of `tcpi_options` that says so; none of another. That segments with ECT have come (`ECN_SEEN`) is not kept.
pub(super) fn option_bit(name: &str) -> Option<u64> {
    [("TIMESTAMPS", 1), ("SACK", 2), ("WSCALE", 4), ("ECN", 8), ("SYN_DATA", 32)]
        .into_iter()
        .find(|&(known, _)| known == name)
        .map(|(_, bit)| bit)
}

impl Agreed {
    /// What Linux says in `tcpi_options` of it.
    pub(super) fn options(&self) -> u64 {
        let has = [
            ("TIMESTAMPS", self.stamp.is_some()),
            ("SACK", self.sack),
            ("WSCALE", self.has_scale),
            ("ECN", self.ecn != Ecn::Off),
            ("SYN_DATA", self.is_asked_with_data),
        ];
        has.into_iter().filter(|&(_, is_set)| is_set).filter_map(|(name, _)| option_bit(name)).sum()
    }
}

/// What a segment means for a handshake.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// It goes on.
    Waits,
    /// The stack under test has sent what it sent before, by its timer, at this time.
    Repeated(Time),
    /// The stack under test knows the connection to be open.
    Opens(Box<Agreed>),
    /// The peer refuses.
    Refused,
}

/// A handshake under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Handshake {
    syn: Option<(Time, Packet)>,
    syn_ack: Option<(Time, Packet)>,
    own_mss: Option<u32>,
    repeats: Option<Repeats>,
    /// How often the timer of the stack under test has expired.
    expired: u32,
    /// The peer's SYN has come again, and that was not answered.
    is_asked_again: bool,
}

impl Handshake {
    pub(super) fn new(own_mss: Option<u32>) -> Handshake {
        Handshake { own_mss, ..Handshake::default() }
    }

    /// The same limits for the next connection.
    pub(super) fn next(&self) -> Handshake {
        Handshake::new(self.own_mss)
    }

    /// Nothing of it was seen.
    pub(super) fn is_new(&self) -> bool {
        self.syn.is_none()
    }

    /// No segment is larger than this (`TCP_MAXSEG`).
    ///
    /// # Errors
    /// After the handshake has begun.
    pub(super) fn limit_mss(&mut self, mss: u32) -> Result<(), Stop> {
        if self.syn.is_some() {
            return Err(Stop::NotDrivable("segments that become smaller".into()));
        }
        self.own_mss = Some(self.own_mss.map_or(mss, |known| known.min(mss)));
        Ok(())
    }

    /// The next segment, within `span`.
    pub(super) fn on_packet(&mut self, span: Span, packet: &Packet, settings: &Settings) -> Result<Step, Stop> {
        let at = Time(span.from);
        let is_ours = packet.direction == Direction::Outbound;
        if packet.has('R') {
            let is_refusal = !is_ours && self.is_clients() && packet.has('.');
            return if is_refusal { Ok(Step::Refused) } else { Err(Stop::NotDrivable("RST in the handshake".into())) };
        }
        refuse(packet)?;
        match (packet.has('S'), packet.has('.')) {
            (true, false) if self.syn.is_none() => self.on_syn(at, packet, settings),
            (true, false) if is_ours && self.is_clients() => self.on_repeated(span),
            (true, false) if !is_ours && self.syn_ack.is_some() && !self.is_clients() => {
                if let Some(repeats) = &mut self.repeats {
                    repeats.on_asked_again(at);
                }
                self.is_asked_again = true;
                let was = self.syn.as_ref().map_or(0, |(_, syn)| syn.ace());
                if was != packet.ace() && settings.ecn > 0 {
                    return Err(Stop::NotDrivable("a SYN that comes again and asks for other ECN".into()));
                }
                Ok(Step::Waits)
            }
            (true, true) if self.syn.is_some() && self.syn_ack.is_none() => self.on_answer(at, packet, settings),
            (true, true) if is_ours && self.syn_ack.is_some() => {
                if std::mem::take(&mut self.is_asked_again) {
                    return Ok(Step::Waits);
                }
                self.on_repeated(span)
            }
            (false, true) if self.syn_ack.is_some() && !is_ours && packet.ack == Some(1) => self.agree(at, packet, settings),
            // A cookie lets a server answer before the handshake is over, whether or not data came with it.
            (false, true) if is_ours && packet.length > 0 && self.has_cookie() => {
                let syn = self.syn.as_ref().map(|(_, syn)| syn.clone()).expect("it has a cookie");
                self.agree(at, &syn, settings)
            }
            (true, _) => Err(Stop::NotDrivable("a handshake from both sides".into())),
            _ => Err(Stop::NotDrivable("a segment before the handshake is over".into())),
        }
    }

    fn on_syn(&mut self, at: Time, packet: &Packet, settings: &Settings) -> Result<Step, Stop> {
        self.syn = Some((at, packet.clone()));
        if packet.direction == Direction::Outbound {
            self.repeats = Some(Repeats::of_syn(at, &settings.stack.options, &settings.stack.profile)?);
        }
        Ok(Step::Waits)
    }

    fn on_answer(&mut self, at: Time, packet: &Packet, settings: &Settings) -> Result<Step, Stop> {
        self.syn_ack = Some((at, packet.clone()));
        if packet.direction == Direction::Inbound {
            return self.agree(at, packet, settings);
        }
        let syn = self.syn.as_ref().map(|(_, syn)| syn.clone()).expect("seen before");
        if syn.length > 0 && packet.ack == Some(syn.seq + 1 + syn.length) {
            return self.agree(at, &syn, settings);
        }
        self.repeats = Some(Repeats::of_syn_ack(at, &settings.stack.options));
        Ok(Step::Waits)
    }

    /// What the stack under test sent leaves again.
    fn on_repeated(&mut self, span: Span) -> Result<Step, Stop> {
        let Some(repeats) = &mut self.repeats else { return Err(Stop::NotDrivable("retransmission in the handshake".into())) };
        let at = repeats.deadline();
        if !span.holds(at) {
            return Err(span.differs("the SYN again", (at < Time::NEVER).then_some(at)));
        }
        repeats.expire();
        self.expired += 1;
        Ok(Step::Repeated(at))
    }

    /// The stack under test is who asked.
    pub(super) fn is_clients(&self) -> bool {
        self.syn.as_ref().is_some_and(|(_, syn)| syn.direction == Direction::Outbound)
    }

    /// The peer's SYN has a cookie of Fast Open, and was answered.
    fn has_cookie(&self) -> bool {
        let syn = self.syn.as_ref().filter(|(_, syn)| syn.direction == Direction::Inbound && self.syn_ack.is_some());
        syn.is_some_and(|(_, syn)| syn.others.iter().any(|option| option.starts_with("FO")))
    }

    /// What the SYNs agreed on (RFC 9768 table 2), and how many marks the peer has counted. The counters of accurate ECN begin where the handshake was not
    /// bleached, and the SYN was not marked: what else a stack makes of its segments is not in ours.
    fn ecn(&self, syn: &Packet, syn_ack: &Packet, last: &Packet) -> Result<(Ecn, u16), Stop> {
        let fail = || Err(Stop::NotDrivable("accurate ECN whose handshake was marked or bleached".into()));
        match (syn.ace(), syn_ack.ace()) {
            (3 | 7, 1) => Ok((Ecn::Classic, 0)),
            // Five is unused there: Linux takes it as one that knows the counter.
            (7, 2..=5) if self.is_clients() => Ok((Ecn::Accurate, 0)),
            (7, 2..=6) if self.is_clients() => fail(),
            // What tells of the SYN-ACK is an ACK without data; one, five and seven are allowed, and tell of nothing.
            (7, 2..=6) => match last.ace() {
                0 => fail(),
                6 if last.length == 0 => Ok((Ecn::Accurate, 1)),
                _ => Ok((Ecn::Accurate, 0)),
            },
            _ => Ok((Ecn::Off, 0)),
        }
    }

    /// `last` is what the stack under test waited for.
    fn agree(&self, at: Time, last: &Packet, settings: &Settings) -> Result<Step, Stop> {
        let (Some((asked, syn)), Some((answered, syn_ack))) = (&self.syn, &self.syn_ack) else { unreachable!("seen before") };
        let is_client = syn.direction == Direction::Outbound;
        let is_fast = !is_client && last.has('S');
        let (own, own_at, peer) = if is_client { (syn, asked, syn_ack) } else { (syn_ack, answered, syn) };
        let allowed = self.own_mss.unwrap_or(MSS_OWN).min(settings.route_mss);
        let is_stamped = settings.timestamps && peer.stamp.is_some();
        let [mss, advmss] =
            [peer.mss.unwrap_or(MSS_DEFAULT).min(allowed), allowed]
                .map(|mss| if is_stamped { mss.saturating_sub(STAMP_BYTES) } else { mss });
        if mss < MSS_MIN {
            return Err(Stop::NotDrivable(format!("segments of {mss} bytes")));
        }
        let has_scale = (own.wscale.is_some() || own.any_options) && peer.wscale.is_some();
        let scale = if has_scale { peer.wscale.unwrap_or(0).min(SCALE_MAX) } else { 0 };
        let shift = if is_client || is_fast { 0 } else { scale };
        let window_bytes = last.win.unwrap_or(0) << shift;
        if window_bytes > 0 && window_bytes < u64::from(mss) {
            return Err(Stop::NotDrivable("a window of less than a segment".into()));
        }
        let sent_before = if is_client { last.ack.unwrap_or(0).checked_sub(1) } else { Some(0) };
        let sent_before = sent_before.filter(|&bytes| bytes == 0 || bytes <= syn.length && self.expired == 0);
        let sent_before = sent_before.ok_or_else(|| Stop::NotDrivable("a SYN-ACK of what was never sent".into()))?;
        let (ecn, marked_before) = if settings.ecn > 0 { self.ecn(syn, syn_ack, last)? } else { (Ecn::Off, 0) };
        Ok(Step::Opens(Box::new(Agreed {
            accepts: !is_client,
            opened: at,
            // A round trip of no time is not measured as such.
            rtt: (self.expired == 0 && !is_fast).then(|| at.since(*own_at).max(Duration::from_us(1))),
            is_cut: self.expired > 1,
            mss,
            advmss,
            has_scale,
            scale,
            window_bytes,
            sack: settings.stack.options.sack && peer.sack_ok,
            ecn,
            stamp: own.stamp.filter(|_| is_stamped).map(|stamp| (stamp.val, *own_at)),
            peer_stamp: last.stamp.or(peer.stamp).map(|stamp| stamp.val),
            sent_before,
            is_asked_with_data: syn.length > 0
                && if is_client { sent_before == syn.length } else { is_fast && syn_ack.ack == Some(syn.seq + 1 + syn.length) },
            sent_in_vain: if is_client { syn.length - sent_before.min(syn.length) } else { 0 },
            is_fast,
            marked_before,
            has_mark: ecn == Ecn::Accurate && last.length == 0 && last.ip_ecn.as_deref() == Some("ce"),
        })))
    }
}

/// What no handshake here has.
fn refuse(packet: &Packet) -> Result<(), Stop> {
    let is_known = |option: &String| option == "ECN" || option.starts_with("FO");
    if packet.has('S') && packet.has('F') {
        return Err(Stop::NotDrivable("a SYN that ends the connection".into()));
    }
    match packet.others.iter().find(|option| !is_known(option)) {
        Some(option) if packet.has('S') => Err(Stop::NotDrivable(format!("option {option}"))),
        _ => Ok(()),
    }
}
