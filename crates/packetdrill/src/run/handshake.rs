//! How a connection opens: who asked whom, what they agreed on, and how long it took.

use tcp::Ecn;
use units::{Duration, Time};

use crate::outcome::Stop;
use crate::script::{Direction, Packet};

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
    pub(super) rtt: Duration,
    pub(super) mss: u32,
    /// By how many bits the peer's windows are shifted.
    pub(super) scale: u32,
    pub(super) window_bytes: u64,
    pub(super) sack: bool,
    pub(super) ecn: Ecn,
    /// With timestamps: the script's value of what the stack under test sent first, and when that was.
    pub(super) stamp: Option<(u64, Time)>,
    /// The latest of the peer's timestamps in the handshake.
    pub(super) peer_stamp: Option<u64>,
}

/// A handshake under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Handshake {
    syn: Option<(Time, Packet)>,
    syn_ack: Option<(Time, Packet)>,
    own_mss: Option<u32>,
}

impl Handshake {
    pub(super) fn new(own_mss: Option<u32>) -> Handshake {
        Handshake { own_mss, ..Handshake::default() }
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

    /// The next segment. Returns what was agreed once the stack under test knows it.
    pub(super) fn on_packet(&mut self, at: Time, packet: &Packet, settings: &Settings) -> Result<Option<Agreed>, Stop> {
        refuse(packet)?;
        match (packet.has('S'), packet.has('.')) {
            (true, false) if self.syn.is_none() => {
                self.syn = Some((at, packet.clone()));
                Ok(None)
            }
            (true, true) if self.syn.is_some() && self.syn_ack.is_none() => {
                self.syn_ack = Some((at, packet.clone()));
                if packet.direction == Direction::Outbound {
                    return Ok(None);
                }
                self.agree(at, packet, settings).map(Some)
            }
            (false, true) if self.syn_ack.is_some() && packet.direction == Direction::Inbound && packet.ack == Some(1) => {
                self.agree(at, packet, settings).map(Some)
            }
            (true, _) => Err(Stop::NotDrivable("retransmission in the handshake".into())),
            _ => Err(Stop::NotDrivable("a segment before the handshake is over".into())),
        }
    }

    /// The stack under test is who asked.
    pub(super) fn is_clients(&self) -> bool {
        self.syn.as_ref().is_some_and(|(_, syn)| syn.direction == Direction::Outbound)
    }

    /// What the SYNs agreed on (RFC 9768 table 2). The counters of accurate ECN begin where nothing of the handshake was marked and nothing bleached: what
    /// else a stack makes of its segments is not in ours.
    fn ecn(&self, syn: &Packet, syn_ack: &Packet, last: &Packet) -> Result<Ecn, Stop> {
        match (syn.ace(), syn_ack.ace()) {
            (3 | 7, 1) => Ok(Ecn::Classic),
            // Five is unused there: Linux takes it as one that knows the counter.
            (7, 2..=5) => {
                let is_marked = [syn_ack, last].iter().any(|packet| packet.ip_ecn.as_deref() == Some("ce"));
                let tells_of_syn_ack = matches!(last.ace(), 2..=4) || self.is_clients();
                if is_marked || !tells_of_syn_ack {
                    return Err(Stop::NotDrivable("accurate ECN whose handshake was marked or bleached".into()));
                }
                Ok(Ecn::Accurate)
            }
            (7, 6) => Err(Stop::NotDrivable("accurate ECN whose handshake was marked or bleached".into())),
            _ => Ok(Ecn::Off),
        }
    }

    /// `last` is what the stack under test waited for.
    fn agree(&self, at: Time, last: &Packet, settings: &Settings) -> Result<Agreed, Stop> {
        let (Some((asked, syn)), Some((answered, syn_ack))) = (&self.syn, &self.syn_ack) else { unreachable!("seen before") };
        let is_client = syn.direction == Direction::Outbound;
        let (own, own_at, peer) = if is_client { (syn, asked, syn_ack) } else { (syn_ack, answered, syn) };
        let mss = peer.mss.unwrap_or(MSS_DEFAULT).min(self.own_mss.unwrap_or(MSS_OWN));
        let is_stamped = settings.timestamps && peer.stamp.is_some();
        let mss = if is_stamped { mss.saturating_sub(STAMP_BYTES) } else { mss };
        if mss < MSS_MIN {
            return Err(Stop::NotDrivable(format!("segments of {mss} bytes")));
        }
        let scale = peer.wscale.unwrap_or(0).min(SCALE_MAX);
        let shift = if is_client { 0 } else { scale };
        let window_bytes = last.win.unwrap_or(0) << shift;
        if window_bytes > 0 && window_bytes < u64::from(mss) {
            return Err(Stop::NotDrivable("a window of less than a segment".into()));
        }
        Ok(Agreed {
            accepts: !is_client,
            opened: at,
            // A round trip of no time is not measured as such.
            rtt: at.since(*own_at).max(Duration::from_us(1)),
            mss,
            scale,
            window_bytes,
            sack: settings.stack.options.sack && peer.sack_ok,
            ecn: if settings.ecn > 0 { self.ecn(syn, syn_ack, last)? } else { Ecn::Off },
            stamp: own.stamp.filter(|_| is_stamped).map(|stamp| (stamp.val, *own_at)),
            peer_stamp: last.stamp.or(peer.stamp).map(|stamp| stamp.val),
        })
    }
}

/// What no handshake here has.
fn refuse(packet: &Packet) -> Result<(), Stop> {
    let is_syn = packet.has('S');
    if packet.has('R') {
        return Err(Stop::NotDrivable("RST in the handshake".into()));
    }
    if packet.others.iter().any(|option| option.starts_with("FO")) || (is_syn && packet.length > 0) {
        return Err(Stop::NotDrivable("TCP Fast Open".into()));
    }
    match packet.others.iter().find(|option| *option != "ECN") {
        Some(option) if is_syn => Err(Stop::NotDrivable(format!("option {option}"))),
        _ => Ok(()),
    }
}
