//! Samples of the flows: stored as changes while the simulation goes on, made into columns when they are asked for.
//!
//! Between its own events a flow does not change, and with many flows most sampling times fall between events: rows that
//! are alike but for their time are stored once. From one event to the next few quantities change: only those are stored.
//! With hundreds of flows the samples are most of what a run writes to memory, and fresh memory costs more than a packet.

use std::iter::repeat_n;

use cc::{CongestionControl, Controller, SSTHRESH_INFINITE};
use tcp::Sender;
use units::Duration;

/// Most variables an algorithm may show.
const VARIABLES_MAX: usize = 16;

/// A row is an array of words. This is where each quantity is; the algorithm's variables come after them.
mod place {
    /// Sampling time, nanoseconds: changes only if it is not that of the row before, one interval later.
    pub(super) const TIME: usize = 0;
    pub(super) const CWND: usize = 1;
    pub(super) const SSTHRESH: usize = 2;
    pub(super) const RTT_MIN: usize = 3;
    pub(super) const DELIVERED: usize = 4;
    pub(super) const RETRANSMITTED: usize = 5;
    /// Smoothed RTT in the upper half, pipe in the lower.
    pub(super) const SRTT_PIPE: usize = 6;
    /// Congestion state in the upper half, outstanding segments less the pipe in the lower.
    pub(super) const STATE_HIDDEN: usize = 7;
    /// The algorithm's own pacing rate, 0 for the transport's.
    pub(super) const OWN_RATE: usize = 8;
    pub(super) const VARIABLES: usize = 9;
}

/// One word before each group of rows: its flow (20 bits), the places that changed (28), the number of rows (16).
#[derive(Clone, Copy)]
struct Header(u64);

impl Header {
    const ROWS_MAX: u64 = 0xffff;

    fn new(flow: usize, changed: u32, rows: u64) -> Header {
        Header(flow as u64 | u64::from(changed) << 20 | rows << 48)
    }

    fn flow(self) -> usize {
        self.0 as usize & 0xf_ffff
    }

    fn changed(self) -> u32 {
        (self.0 >> 20) as u32 & 0xfff_ffff
    }

    fn rows(self) -> u64 {
        self.0 >> 48
    }
}

/// What is the same in all rows of a flow.
#[derive(Clone, Debug)]
struct Constants {
    mss: u32,
    /// Which of the names its algorithm's variables are.
    variables: Vec<usize>,
}

/// What the samples of a flow show of it beside what they show of all.
pub(crate) struct Shown {
    /// Payload bytes of a segment.
    pub(crate) mss: u32,
    /// Names of its algorithm's variables.
    pub(crate) variables: &'static [&'static str],
}

/// What a whole stack says of itself, as a row shows it.
pub(crate) struct SaidRow {
    /// Sampling time, nanoseconds.
    pub(crate) t_ns: u64,
    /// Congestion window, datagrams; NaN if unsaid.
    pub(crate) cwnd: f64,
    /// Slow-start threshold, datagrams.
    pub(crate) ssthresh: Option<f64>,
    /// Smoothed RTT, microseconds; NaN if unsaid.
    pub(crate) srtt_us: f64,
    /// Smallest RTT, nanoseconds.
    pub(crate) min_rtt_ns: Option<u64>,
    /// Bytes that the application has read.
    pub(crate) delivered_bytes: u64,
    /// Packets declared lost.
    pub(crate) lost: u64,
    /// Datagrams in flight.
    pub(crate) in_flight: Option<u32>,
    /// Pacing rate.
    pub(crate) pacing_bps: Option<u64>,
    /// Payload bytes of a full datagram; NaN if unsaid.
    pub(crate) datagram_bytes: f64,
    /// Congestion state, 0 to 4.
    pub(crate) state: Option<u8>,
}

/// What rows of whole stacks show beside the quantities of every flow: what their packets are counted in.
pub(crate) const SAID: &[&str] = &["datagram_bytes"];

/// The congestion state of a sender that does not say it.
pub const UNSAID_STATE: u8 = u8::MAX;

/// In flight, where a stack does not say it.
const UNSAID: u32 = u32::MAX;

/// The same of a smallest RTT: a TCP's own sign of none is the number after it.
const NO_RTT: u64 = u64::MAX - 1;

/// Words that a group of rows takes at most, its header included: a power of two, so that a place cut to its lower bits needs no check.
const GROUP_MAX: usize = 32;

/// Room that is made at once, words.
const ROOM: usize = 192;

/// Of a row the words that every flow has.
type Common = [u64; place::VARIABLES];

/// A row of each flow.
#[derive(Clone, Debug, Default)]
struct Rows {
    common: Vec<Common>,
    /// The variables of the algorithms, `width` of each flow.
    own: Vec<u64>,
    width: usize,
}

impl Rows {
    fn new(flows: usize, width: usize) -> Rows {
        Rows { common: vec![[0; place::VARIABLES]; flows], own: vec![0; flows * width], width }
    }

    /// The variables of one flow's algorithm.
    fn own(&self, flow: usize) -> &[u64] {
        &self.own[flow * self.width..][..self.width]
    }

    /// The words of one flow's row that have changed are these.
    fn update<'a>(&mut self, header: Header, words: &mut impl Iterator<Item = &'a u64>) {
        let flow = header.flow();
        let places = self.common[flow].iter_mut().chain(&mut self.own[flow * self.width..][..self.width]);
        let changed = places.enumerate().filter(|(place, _)| header.changed() >> place & 1 == 1);
        changed.zip(words).for_each(|((_, kept), &word)| *kept = word);
    }
}

/// Takes the words of a row, and keeps those that changed.
struct Keeper<'a> {
    /// The row before: what every algorithm has, and the variables of this one.
    latest: &'a mut Common,
    latest_own: &'a mut [u64],
    /// Where the group goes.
    room: &'a mut [u64; GROUP_MAX],
    /// Words of it so far.
    taken: usize,
    changed: u32,
}

impl Keeper<'_> {
    #[inline(always)]
    fn keep(&mut self, place: usize, word: u64) {
        if self.latest[place] != word {
            self.latest[place] = word;
            self.take(place, word);
        }
    }

    /// The same of the algorithm's variable number `own`.
    #[inline(always)]
    fn keep_own(&mut self, own: usize, word: u64) {
        if self.latest_own[own] != word {
            self.latest_own[own] = word;
            self.take(place::VARIABLES + own, word);
        }
    }

    #[inline(always)]
    fn take(&mut self, place: usize, word: u64) {
        self.changed |= 1 << place;
        self.room[self.taken % GROUP_MAX] = word;
        self.taken += 1;
    }
}

/// Samples of all flows.
#[derive(Clone, Debug, Default)]
pub struct FlowSamples {
    interval_ns: u64,
    /// Headers, each followed by the words that changed. Behind them is room that is not in use.
    words: Vec<u64>,
    /// How many are in use.
    used: usize,
    latest: Rows,
    names: Vec<&'static str>,
    flows: Vec<Constants>,
    /// How many of the words have been taken as columns.
    read: usize,
    /// Each flow's latest row among these; none until some have been taken.
    told: Option<Rows>,
}

/// Samples of all flows, as columns; each flow's rows are in time order.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Sampling time, nanoseconds.
    pub t_ns: Vec<u64>,
    /// Flow index.
    pub flow: Vec<u32>,
    /// Congestion window, segments.
    pub cwnd: Vec<f64>,
    /// Slow-start threshold, segments; NaN while infinite.
    pub ssthresh: Vec<f64>,
    /// Smoothed RTT, seconds.
    pub srtt_s: Vec<f64>,
    /// Minimum RTT, seconds.
    pub rtt_min_s: Vec<f64>,
    /// Pipe, segments; NaN where a stack does not say it.
    pub in_flight: Vec<f64>,
    /// Payload bytes delivered so far.
    pub delivered_bytes: Vec<u64>,
    /// Retransmissions so far.
    pub retransmitted: Vec<u64>,
    /// Pacing rate, bits per second; NaN when unknown.
    pub pacing_rate_bps: Vec<f64>,
    /// Congestion state, 0 to 4; [`UNSAID_STATE`] of a stack that does not say it.
    pub state: Vec<u8>,
    /// The algorithms' own variables, by name; NaN in rows of flows that lack one.
    pub variables: Vec<(&'static str, Vec<f64>)>,
}

impl FlowSamples {
    /// No samples yet of flows that show these; none ever with an interval of zero.
    pub(crate) fn new(interval_ns: u64, shown: impl Iterator<Item = Shown>) -> FlowSamples {
        let mut names = Vec::new();
        let mut column = |name| {
            names.iter().position(|&known| known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let constants = |flow: Shown| Constants { mss: flow.mss, variables: flow.variables.iter().map(|&name| column(name)).collect() };
        let flows: Vec<_> = if interval_ns == 0 { Vec::new() } else { shown.map(constants).collect() };
        let width = flows.iter().map(|flow| flow.variables.len()).max().unwrap_or(0);
        let latest = Rows::new(flows.len(), width);
        FlowSamples { interval_ns, words: Vec::new(), used: 0, latest, names, flows, read: 0, told: None }
    }

    /// A whole stack, flow number `index`, says this of itself at `rows` sampling times.
    pub(crate) fn push_said(&mut self, index: usize, said: &SaidRow, rows: u64) {
        self.store(index, rows, true, |keeper| {
            keeper.keep(place::TIME, said.t_ns);
            keeper.keep(place::CWND, said.cwnd.to_bits());
            keeper.keep(place::SSTHRESH, said.ssthresh.unwrap_or(SSTHRESH_INFINITE).to_bits());
            keeper.keep(place::RTT_MIN, said.min_rtt_ns.unwrap_or(NO_RTT));
            keeper.keep(place::DELIVERED, said.delivered_bytes);
            keeper.keep(place::RETRANSMITTED, said.lost);
            let srtt8_us = if said.srtt_us.is_nan() { UNSAID } else { (said.srtt_us * 8.0) as u32 };
            keeper.keep(place::SRTT_PIPE, u64::from(srtt8_us) << 32 | u64::from(said.in_flight.unwrap_or(UNSAID)));
            keeper.keep(place::STATE_HIDDEN, u64::from(said.state.unwrap_or(UNSAID_STATE)) << 32);
            keeper.keep(place::OWN_RATE, said.pacing_bps.map_or(u64::MAX, |bps| bps / 8));
            keeper.keep_own(0, said.datagram_bytes.to_bits());
        });
    }

    /// The sender of flow number `index` stands as it does at `rows` sampling times from `first_ns` on.
    #[inline]
    pub(crate) fn push(&mut self, index: usize, sender: &Sender<Controller>, first_ns: u64, rows: u64) {
        if self.names.is_empty() {
            self.store(index, rows, false, |keeper| keep_row(keeper, sender, first_ns));
        } else {
            self.push_with_variables(index, sender, first_ns, rows);
        }
    }

    /// The same where algorithms show variables.
    #[inline(never)]
    fn push_with_variables(&mut self, index: usize, sender: &Sender<Controller>, first_ns: u64, rows: u64) {
        let variables = self.flows[index].variables.len();
        self.store(index, rows, true, |keeper| {
            keep_row(keeper, sender, first_ns);
            keep_variables(keeper, sender, variables);
        });
    }

    /// The words of `rows` rows that are alike, as `give` hands them over.
    #[inline(always)]
    fn store(&mut self, index: usize, rows: u64, has_own: bool, give: impl FnOnce(&mut Keeper<'_>)) {
        if self.words.len() - self.used < GROUP_MAX {
            self.make_room();
        }
        let Some(room) = self.words[self.used..].first_chunk_mut() else { return };
        let width = if has_own { self.latest.width } else { 0 };
        let latest_own = &mut self.latest.own[index * width..][..width];
        let mut keeper = Keeper { latest: &mut self.latest.common[index], latest_own, room, taken: 1, changed: 0 };
        give(&mut keeper);
        keeper.latest[place::TIME] += rows * self.interval_ns;
        keeper.room[0] = Header::new(index, keeper.changed, rows.min(Header::ROWS_MAX)).0;
        self.used += keeper.taken;
        if rows > Header::ROWS_MAX {
            self.repeat(index, rows - Header::ROWS_MAX);
        }
    }

    /// There is room for a group of rows, and more.
    #[cold]
    fn make_room(&mut self) {
        self.words.resize(self.used + ROOM, 0);
    }

    /// The rows stored last are followed by so many that are alike.
    #[cold]
    fn repeat(&mut self, index: usize, mut left: u64) {
        self.words.truncate(self.used);
        while left > 0 {
            self.words.push(Header::new(index, 0, left.min(Header::ROWS_MAX)).0);
            left = left.saturating_sub(Header::ROWS_MAX);
        }
        self.used = self.words.len();
    }

    /// How many words are kept of samples that have not been taken.
    pub fn kept(&self) -> usize {
        self.used - self.read
    }

    /// The samples as columns, but for those that have been taken.
    pub fn columns(&self) -> Columns {
        self.decoded(&mut self.told.clone().unwrap_or_else(|| self.none_told()), usize::MAX).0
    }

    /// Takes the next rows out, until there are `most` or none is left: at most 65535 more than that. Those that are taken and then
    /// [`columns`](Self::columns) are together what that would have given.
    pub fn take(&mut self, most: usize) -> Columns {
        let mut told = self.told.take().unwrap_or_else(|| self.none_told());
        let (columns, read) = self.decoded(&mut told, most);
        (self.told, self.read) = (Some(told), read);
        if read == self.used {
            (self.used, self.read) = (0, 0);
        }
        columns
    }

    fn none_told(&self) -> Rows {
        Rows::new(self.flows.len(), self.latest.width)
    }

    /// Rows from the first word that has not been taken on, and how many words have then been read.
    fn decoded(&self, told: &mut Rows, most: usize) -> (Columns, usize) {
        let mut columns = Columns { variables: self.names.iter().map(|&name| (name, Vec::new())).collect(), ..Columns::default() };
        let mut words = self.words[self.read..self.used].iter();
        while columns.t_ns.len() < most {
            let Some(&header) = words.next() else { break };
            let header = Header(header);
            let flow = header.flow();
            told.update(header, &mut words);
            columns.extend(header, (&told.common[flow], told.own(flow)), &self.flows[flow], self.interval_ns);
            told.common[flow][place::TIME] += header.rows() * self.interval_ns;
        }
        (columns, self.used - words.len())
    }
}

/// Hands over every word of a row that every flow has.
#[inline(always)]
fn keep_row(keeper: &mut Keeper<'_>, sender: &Sender<Controller>, t_ns: u64) {
    let (window, connection) = (sender.window(), sender.connection());
    let hidden = ((connection.nxt - connection.una) as u32).wrapping_sub(connection.in_flight);
    keeper.keep(place::TIME, t_ns);
    keeper.keep(place::CWND, window.cwnd.to_bits());
    keeper.keep(place::SSTHRESH, window.ssthresh.to_bits());
    keeper.keep(place::RTT_MIN, connection.rtt_min.0);
    keeper.keep(place::DELIVERED, sender.delivered());
    keeper.keep(place::RETRANSMITTED, sender.retransmitted());
    keeper.keep(place::SRTT_PIPE, u64::from(connection.srtt8_us) << 32 | u64::from(connection.in_flight));
    keeper.keep(place::STATE_HIDDEN, (connection.ca_state as u64) << 32 | u64::from(hidden));
    keeper.keep(place::OWN_RATE, sender.algorithm().pacing_rate(window, connection).map_or(0, |rate| rate.0));
}

/// The others.
fn keep_variables(keeper: &mut Keeper<'_>, sender: &Sender<Controller>, variables: usize) {
    let mut values = [f64::NAN; VARIABLES_MAX];
    sender.algorithm().variables(&mut values[..variables]);
    values[..variables].iter().enumerate().for_each(|(own, value)| keeper.keep_own(own, value.to_bits()));
}

impl Columns {
    /// Appends the rows that `header` and `row` tell of.
    fn extend(&mut self, header: Header, (row, variables): (&Common, &[u64]), flow: &Constants, interval_ns: u64) {
        let rows = header.rows() as usize;
        let (cwnd, ssthresh) = (f64::from_bits(row[place::CWND]), f64::from_bits(row[place::SSTHRESH]));
        let (srtt8_us, in_flight) = ((row[place::SRTT_PIPE] >> 32) as u32, row[place::SRTT_PIPE] as u32);
        let outstanding = in_flight.wrapping_add(row[place::STATE_HIDDEN] as u32);
        let rate = match row[place::OWN_RATE] {
            0 => tcp::StackPace { mss: flow.mss, srtt8_us, cwnd, ssthresh, outstanding: outstanding.into() }.rate().0,
            u64::MAX => 0,
            own => own,
        };
        self.t_ns.extend((0..header.rows()).map(|later| row[place::TIME] + later * interval_ns));
        self.flow.extend(repeat_n(header.flow() as u32, rows));
        self.cwnd.extend(repeat_n(cwnd, rows));
        self.ssthresh.extend(repeat_n(if ssthresh < SSTHRESH_INFINITE { ssthresh } else { f64::NAN }, rows));
        self.srtt_s.extend(repeat_n(if srtt8_us == UNSAID { f64::NAN } else { f64::from(srtt8_us) / 8e6 }, rows));
        let rtt_min = Duration(row[place::RTT_MIN]);
        self.rtt_min_s.extend(repeat_n(if rtt_min.0 == NO_RTT { f64::NAN } else { rtt_min.as_secs_f64() }, rows));
        self.in_flight.extend(repeat_n(if in_flight == UNSAID { f64::NAN } else { f64::from(in_flight) }, rows));
        self.delivered_bytes.extend(repeat_n(row[place::DELIVERED] * u64::from(flow.mss), rows));
        self.retransmitted.extend(repeat_n(row[place::RETRANSMITTED], rows));
        self.pacing_rate_bps.extend(repeat_n(if rate > 0 { rate as f64 * 8.0 } else { f64::NAN }, rows));
        self.state.extend(repeat_n((row[place::STATE_HIDDEN] >> 32) as u8, rows));
        for (name, (_, cells)) in self.variables.iter_mut().enumerate() {
            let own = flow.variables.iter().position(|&own| own == name);
            let value = own.map_or(f64::NAN, |own| f64::from_bits(variables[own]));
            cells.extend(repeat_n(value, rows));
        }
    }
}
