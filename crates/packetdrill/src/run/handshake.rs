//! How a connection opens: who asked whom, what they agreed on, and how long it took.

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
    pub(super) ecn: bool,
    /// With timestamps: the script's value of what the stack under test sent first, and when that was.
    pub(super) stamp: Option<(u64, Time)>,
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
            ecn: settings.ecn > 0 && peer.has('E') && own.has('E'),
            stamp: own.stamp.filter(|_| is_stamped).map(|stamp| (stamp.val, *own_at)),
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
    if packet.flags.contains(|flag: char| flag == 'A' || flag.is_ascii_digit()) {
        return Err(Stop::NotDrivable("accurate ECN".into()));
    }
    match packet.others.first() {
        Some(option) if is_syn => Err(Stop::NotDrivable(format!("option {option}"))),
        _ => Ok(()),
    }
}
