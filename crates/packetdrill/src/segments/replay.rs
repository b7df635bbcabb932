//! A recording's stimuli, given to our stack: timers expire when the kernel's did, where its clock of jiffies explains the difference.

use std::collections::BTreeMap;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use cc::{GuestFault, Guests};
use tcp::{Ecn, IdleRestart, Options, Pacing, Range};
use units::{Duration, Time};

use super::recording::{Acked, Event, Recording, Row, ASKING, COLUMNS};
use super::{Difference, Replay};
use crate::drive::{Connect, Drive, Told};

/// When the handshake is over: the recording's zero. A whole number of milliseconds, in which timestamps tick. A guest begins a script every 4.1 s, and
/// TCP-LP, whose delays wrap, tells a kernel that has been up for minutes from one that has not: this is a time in the middle.
const ZERO: Time = Time::from_ms(500_000);
const JIFFY: Duration = Duration::from_ms(1);
/// Segments that wait for pacing leave by a fine clock, whose readings cost the recorded kernel a quarter of a microsecond each.
const FINE: Duration = Duration::from_us(2);
/// Timestamps in every segment.
const STAMP_BYTES: u64 = 12;
/// The clock of the timer wheel may lag behind the time, and so may the level: its grain is then as many times as coarse.
const WHEEL_LAG: u64 = 8;
/// By which part of ours a timeout may be another: a jiffy of 200 ms, the shortest there is, and both double.
const RTO_PARTS: u64 = 200;
/// Seeds tried for what was drawn at random and is not recorded: the phase in which BBR begins to probe.
const SEEDS_OF_BBR: u64 = 64;
/// The same for TCP-LP: by how much the timestamps of the kernel, which the peer's were set by, were ahead of its clock (RFC 7323 5.4).
const SEEDS_OF_LP: u64 = 65_536;

/// A controller from outside that stands for the recorded one: one of `guests` by its name.
#[derive(Clone, Copy, Debug)]
pub struct Law<'a> {
    /// The name.
    pub name: &'a str,
    /// What it is one of.
    pub guests: &'a Guests,
}

/// Replays a recording and compares every row.
///
/// # Errors
/// A recording that asks for what the stack has not.
pub fn replay(recording: &Recording) -> Result<Replay, String> {
    replay_by(recording, None)
}

/// The same with a law in place of the recorded one, if there is one. A recording that was made without HyStart sets its parameter `hystart` to 0.
///
/// # Errors
/// As [`replay`]; what the law does that none may.
pub fn replay_by(recording: &Recording, law: Option<Law<'_>>) -> Result<Replay, String> {
    // Nothing of a replay that unwound is looked at again.
    match catch_unwind(AssertUnwindSafe(|| best_replay(recording, law))) {
        Ok(replay) => replay,
        Err(panic) => match panic.downcast::<GuestFault>() {
            Ok(fault) => Err(fault.to_string()),
            Err(panic) => resume_unwind(panic),
        },
    }
}

fn best_replay(recording: &Recording, law: Option<Law<'_>>) -> Result<Replay, String> {
    let seeds = match recording.keys.get("cc").map(String::as_str) {
        Some("bbr") => SEEDS_OF_BBR,
        Some("lp") => SEEDS_OF_LP,
        _ => 1,
    };
    let (mut best, mut agreed) = (0, 0);
    for seed in 0..seeds {
        let one = replay_with(recording, law, seed, seeds == 1)?;
        if one.first.is_none() || seeds == 1 {
            return Ok(one);
        }
        if one.agreed > agreed {
            (best, agreed) = (seed, one.agreed);
        }
    }
    replay_with(recording, law, best, true)
}

/// With one draw; up to the first difference, or to the end.
fn replay_with(recording: &Recording, law: Option<Law<'_>>, seed: u64, to_end: bool) -> Result<Replay, String> {
    let transmissions = recording.transmissions();
    let opening = recording.rows.first().and_then(|row| row.state).ok_or_else(|| format!("{}: no rows", recording.name))?;
    let mut connect = connect(recording, Duration::from_us(opening[column('r')]))?;
    connect.seed = seed;
    if let Some(law) = law {
        seat(&mut connect, law);
    }
    let mut drive = Drive::connect(connect).map_err(|error| format!("{}: {error}", recording.name))?;
    drive.hold_timers();
    let mut player = Player {
        drive,
        armed: (Time::NEVER, ZERO),
        transmissions: &transmissions,
        is_writing: false,
        has_stamps: recording.number("ts", 1)? != 0,
        grain_us: u64::from(is_paced(recording)),
    };
    let mut replay = Replay { name: recording.name.clone(), rows: recording.rows.len(), ..Replay::default() };
    for (index, row) in recording.rows.iter().enumerate() {
        if !player.play(row, recording.rows.get(index + 1)) {
            replay.first.get_or_insert_with(|| Difference::of_segments(index, Vec::new(), row.sent.clone()));
            break;
        }
        let difference = player.compare(index, row);
        replay.equal += usize::from(difference.is_none());
        replay.first = replay.first.or(difference);
        replay.agreed = if replay.first.is_none() { index + 1 } else { replay.agreed };
        if replay.first.is_some() && !to_end {
            break;
        }
    }
    Ok(replay)
}

/// The law takes the place of the recorded one, in a run of its own.
fn seat(connect: &mut Connect, law: Law<'_>) {
    connect.guests = law.guests.for_another_run();
    connect.algorithm = law.name.into();
    let is_without_hystart = connect.variant.take().is_some();
    let has_hystart = law.guests.of_name(law.name).is_some_and(|guest| guest.parameters().iter().any(|p| p.name == "hystart"));
    if is_without_hystart && has_hystart {
        connect.parameters = BTreeMap::from([("hystart".to_owned(), 0.0)]);
    }
}

fn is_paced(recording: &Recording) -> bool {
    recording.keys.contains_key("pacing") || recording.keys.get("cc").is_some_and(|cc| cc == "bbr")
}

fn column(letter: char) -> usize {
    COLUMNS.iter().position(|column| column.0 == letter).expect("a column")
}

fn connect(recording: &Recording, handshake_rtt: Duration) -> Result<Connect, String> {
    let number = |key, usual| recording.number(key, usual);
    let is_on = |key| number(key, 1).map(|value| value != 0);
    let module = recording.keys.get("cc").map_or("cubic", String::as_str);
    let algorithm = if module == "highspeed" { "hstcp" } else { module };
    let mut options = Options::of_profile(recording.profile()).expect("a profile");
    options.sack = is_on("sack")?;
    options.timestamps = is_on("ts")?;
    options.tlp = is_on("tlp")?;
    options.frto = is_on("frto")?;
    options.initial_window = number("iw", 10)? as u32;
    if !is_on("idle")? {
        options.idle_restart = IdleRestart::None;
    }
    if number("ecn", 0)? != 0 && algorithm != "dctcp" {
        options.ecn = Ecn::Classic;
    }
    if number("pacing", 0)? != 0 {
        options.pacing = Pacing::Full;
    }
    let stamps = if is_on("ts")? { STAMP_BYTES } else { 0 };
    let mss = (number("mss", 1460)? - stamps) as u32;
    Ok(Connect {
        variant: (!is_on("hystart")?).then(|| "nohystart".into()),
        options,
        mss,
        advmss: mss,
        window: number("window", 10_000)?,
        opened: ZERO,
        handshake_rtt: Some(handshake_rtt),
        profile: recording.profile().into(),
        ..Connect::to(algorithm, handshake_rtt)
    })
}

/// A stack that is given a recording.
struct Player<'a> {
    drive: Drive,
    /// The deadline that was seen last, and when.
    armed: (Time, Time),
    transmissions: &'a [Duration],
    /// A call of the application that wrote is not over.
    is_writing: bool,
    has_stamps: bool,
    /// The kernel times segments in whole microseconds, and those of a pacing clock leave between two.
    grain_us: u64,
}

impl Player<'_> {
    /// Gives the row's event to the stack; false if it has not sent what the event is about.
    fn play(&mut self, row: &Row, next: Option<&Row>) -> bool {
        let at = self.moment(row, next);
        self.wait(row, at);
        let at = at.max(self.drive.now());
        match &row.event {
            Event::Opened | Event::Expired => {}
            Event::Written(segments) => {
                let bytes = segments * u64::from(self.drive.sender().connection().mss);
                if self.is_writing {
                    self.drive.write_on(at, bytes);
                } else {
                    self.drive.write(at, bytes);
                }
                // Nothing asks before all is taken.
                self.is_writing = row.state.is_none();
            }
            Event::Acked(acked) => {
                let sent = self.drive.sender().connection().nxt;
                let highest = acked.blocks.iter().map(|block| block.1).max().unwrap_or(0);
                if acked.cumulative.max(highest) > sent {
                    return false;
                }
                match acked.window {
                    None => self.drive.ack(at, &self.told(acked)),
                    Some(window) => self.drive.ack_offering(at, &self.told(acked), window),
                }
            }
        }
        self.note_armed();
        true
    }

    fn told(&self, acked: &Acked) -> Told {
        let mut sack = [Range::default(); 3];
        for (block, &(from, to)) in sack.iter_mut().zip(&acked.blocks) {
            *block = Range { from, to };
        }
        let echo = self.has_stamps.then(|| ZERO + self.transmissions[acked.echoed]);
        Told {
            cumulative: acked.cumulative,
            sack,
            duplicate: acked.duplicate,
            is_partial: false,
            ecn: u16::from(acked.marked),
            window: None,
            delay: acked.delay,
            echo,
        }
    }

    /// When the row's event happens: just before the pacing gate opens where both are at one time, as far as the kernel's clock is read, and what the
    /// gate released has the next row.
    fn moment(&self, row: &Row, next: Option<&Row>) -> Time {
        let at = ZERO + row.at;
        let due = self.drive.sender().gate();
        let is_tie = row.event != Event::Expired && due <= at && due + FINE > at;
        let released_after = |next: &Row| next.event == Event::Expired && !next.sent.is_empty() && next.at <= row.at + FINE;
        if is_tie && next.map_or(row.sent.is_empty(), released_after) {
            due - Duration::NANOSECOND
        } else if row.event != Event::Expired && !row.sent.is_empty() && at < due && due < at + FINE {
            // What left at this row found the gate open.
            due
        } else {
            at
        }
    }

    /// Lets timers expire until the row: the pacing gate at its own time, the others when the kernel's did, or as late as they may.
    fn wait(&mut self, row: &Row, at: Time) {
        let is_expiry = row.event == Event::Expired;
        let is_tick = row.at.as_us() % JIFFY.as_us() < FINE.as_us();
        if is_expiry && !is_tick {
            self.expire_before(row, at);
        }
        loop {
            let sender = self.drive.sender();
            let (gate, due) = (sender.gate_opens_at(), sender.timer_expires_at());
            let expires = if due == Time::NEVER {
                Time::NEVER
            } else if is_expiry && is_tick && due <= at {
                self.expires_for(row, at)
            } else if self.sends_if_expired(due.max(self.drive.now())) {
                // That would have a row of its own: the kernel's expires later, or did not.
                due + self.lateness(due) * WHEEL_LAG
            } else {
                due + self.lateness(due)
            };
            // What the gate releases has a row of its own.
            let is_open = gate <= if is_expiry { at + FINE } else { at - FINE };
            if is_open && gate <= expires {
                self.drive.open_gate(gate.max(self.drive.now()));
            } else if expires <= at {
                self.drive.expire(expires.max(self.drive.now()));
            } else {
                return;
            }
            self.note_armed();
        }
    }

    /// The gate opens at this row. The timer may have expired at a tick before, and what it found waits for the gate: so it was where the row shows that.
    fn expire_before(&mut self, row: &Row, at: Time) {
        let tick = self.drive.sender().timer_expires_at();
        if tick >= at {
            return;
        }
        let tick = tick.next_multiple_of(JIFFY).max(self.drive.now());
        let sends = |mut tried: Drive, expires: bool| {
            taken(&mut tried);
            if expires {
                tried.expire(tick);
            }
            let gate = tried.sender().gate_opens_at();
            if gate <= at + FINE {
                tried.open_gate(gate.max(tried.now()));
            }
            taken(&mut tried) == row.sent
        };
        if tick < at && !sends(self.drive.clone(), false) && sends(self.drive.clone(), true) {
            self.drive.expire(tick);
        }
    }

    fn sends_if_expired(&self, at: Time) -> bool {
        let mut tried = self.drive.clone();
        taken(&mut tried);
        tried.expire(at);
        !taken(&mut tried).is_empty()
    }

    /// The timer is due at the row of an expiry, or before: it expires then, or as late as it may. What expires and sends nothing has no row, and what it
    /// arms then may have this one: it expires as early as it may.
    fn expires_for(&self, row: &Row, at: Time) -> Time {
        let due = self.drive.sender().timer_expires_at();
        let mut tried = self.drive.clone();
        taken(&mut tried);
        tried.expire(at.max(self.drive.now()));
        let sent = taken(&mut tried);
        if sent.is_empty() && !row.sent.is_empty() {
            due.next_multiple_of(JIFFY).min(at)
        } else if sent == row.sent {
            at.min(due + self.lateness(due) * WHEEL_LAG)
        } else {
            at.min(due + self.lateness(due))
        }
    }

    fn note_armed(&mut self) {
        let due = self.drive.sender().timer_expires_at();
        if due != self.armed.0 {
            self.armed = (due, self.drive.now());
        }
    }

    /// How late the kernel's timer may be: rounded up to a jiffy when it is armed, and to the grain of the wheel's level: a jiffy below 63, then
    /// eight times as many for eight times as long.
    fn lateness(&self, due: Time) -> Duration {
        let (mut grain, mut reach) = (JIFFY, JIFFY * 63);
        while due.since(self.armed.1) + JIFFY + JIFFY > reach {
            (grain, reach) = (grain * 8, reach * 8);
        }
        grain + JIFFY + JIFFY
    }

    fn compare(&mut self, index: usize, row: &Row) -> Option<Difference> {
        let sent = taken(&mut self.drive);
        if sent != row.sent {
            return Some(Difference::of_segments(index, sent, row.sent.clone()));
        }
        let state = row.state?;
        let info = self.drive.info();
        let grain = self.grain_us;
        let compared = COLUMNS.iter().zip(state).filter_map(|((_, name), kernels)| Some(((*name)?, info.field((*name)?)?, kernels)));
        let fields: Vec<_> = compared.filter(|&(name, ours, kernels)| !is_same(name, ours, kernels, grain)).collect();
        (!fields.is_empty()).then_some(Difference { row: index, sent: None, fields })
    }
}

/// What left since this was asked last, as a row has it.
fn taken(drive: &mut Drive) -> Vec<u64> {
    let sent = drive.take_sent();
    sent.iter().map(|sent| sent.seq).chain(drive.take_probes().iter().map(|_| ASKING)).collect()
}

/// The kernel's timeout is a number of jiffies, recorded in milliseconds, of a timeout that was rounded up before it was doubled. RTTs agree
/// but for `grain` microseconds.
fn is_same(name: &str, ours: u64, kernels: u64, grain: u64) -> bool {
    match name {
        "rto" => ours.abs_diff(kernels * 1000) <= 1000.max(ours / RTO_PARTS),
        "rtt" | "min_rtt" => ours.abs_diff(kernels) <= grain,
        _ => ours == kernels,
    }
}
