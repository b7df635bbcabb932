//! When transfers begin, and what they are like: the same laws once more.

use sim::{Accepted, Law, Loop};
use units::{Duration, Stream, Time};

/// A transfer.
#[derive(Clone, Copy, Debug)]
pub struct Birth {
    /// When it begins.
    pub at: Time,
    /// Which of the scenario's kinds, counted through all sources.
    pub kind: usize,
    /// Payload.
    pub bytes: u64,
    /// Of its own draws.
    pub seed: u64,
    /// Of a session's transfer, objects of its page that have not begun before.
    pub left: Option<u64>,
}

/// A source: a Poisson process, or one session.
pub struct Source {
    kinds: std::ops::Range<usize>,
    sizes: (Law, Option<u64>),
    end: u64,
    /// Of gaps or thoughts, of sizes, of kinds or objects, of seeds.
    streams: [Stream; 4],
    /// Mean gap of a Poisson process.
    mean_gap_ns: f64,
    session: Option<Session>,
    /// When the next transfer begins, in the clock of events.
    pub next: Time,
    /// Number among the scenario's sources, and among its sessions.
    pub number: (u32, u32),
    /// Of its latest page, where all pages stand.
    pub page: usize,
}

struct Session {
    objects: Law,
    think: Law,
    connections: usize,
    /// The page that is being transferred.
    page: Option<Page>,
    access: Duration,
}

struct Page {
    /// Objects that have not begun.
    left: u64,
    /// Connections in use.
    open: usize,
}

/// All sources of a scenario, in the order in which they come at one time.
pub fn sources(accepted: &Accepted) -> Vec<Source> {
    let mut sources = Vec::new();
    let (mut first, mut sessions) = (0, 0);
    for (spec, source) in accepted.sources.iter().enumerate() {
        let kinds = first..first + source.kinds.len();
        first = kinds.end;
        let duration_ns = accepted.spec.duration_ns;
        let streams = |name: &str, parts: [&str; 4]| parts.map(|part| Stream::named(accepted.spec.seed, format_args!("{name}/{part}")));
        match source.spec {
            Loop::Open(given) => {
                let mut poisson = Source {
                    kinds,
                    sizes: (given.sizes, given.max_bytes),
                    end: given.stop_ns.unwrap_or(u64::MAX).min(duration_ns),
                    streams: streams(&format!("arrivals{spec}"), ["gaps", "sizes", "kinds", "seeds"]),
                    mean_gap_ns: source.mean_gap_ns,
                    session: None,
                    next: Time(given.start_ns),
                    number: (spec as u32, 0),
                    page: 0,
                };
                poisson.wait();
                sources.push(poisson);
            }
            Loop::Closed(given) => {
                for number in 0..given.count as usize {
                    let kind = kinds.start + number % source.kinds.len();
                    let access = Duration(source.kinds[number % source.kinds.len()].spec.rtt_ns / 4);
                    let mut session = Source {
                        kinds: kind..kind + 1,
                        sizes: (given.sizes, given.max_bytes),
                        end: given.stop_ns.unwrap_or(u64::MAX).min(duration_ns),
                        streams: streams(&format!("sessions{spec}/{number}"), ["thoughts", "sizes", "objects", "seeds"]),
                        mean_gap_ns: 0.0,
                        session: Some(Session {
                            objects: given.objects,
                            think: given.think,
                            connections: given.connections as usize,
                            page: None,
                            access,
                        }),
                        next: Time::NEVER,
                        number: (spec as u32, sessions),
                        page: 0,
                    };
                    sessions += 1;
                    session.think(Time(given.start_ns) + access);
                    sources.push(session);
                }
            }
        }
    }
    sources
}

/// A draw of a whole number.
pub(super) fn draw(law: Law, stream: &mut Stream) -> u64 {
    let real = match law {
        Law::Fixed { mean } => mean,
        Law::Exponential { mean } => mean * -libm::log(1.0 - stream.unit()),
        Law::Pareto { mean, shape } => mean * (shape - 1.0) / shape * libm::pow(1.0 - stream.unit(), -1.0 / shape),
    };
    (real.ceil() as u64).clamp(1, 1 << 53)
}

impl Source {
    /// The one that begins now.
    pub fn birth(&mut self) -> Birth {
        let [_, sizes, others, seeds] = &mut self.streams;
        let bytes = draw(self.sizes.0, sizes).min(self.sizes.1.unwrap_or(u64::MAX));
        let seed = seeds.up_to(u64::MAX);
        let at = self.next;
        match &mut self.session {
            None => {
                let kind = self.kinds.start + others.up_to(self.kinds.len() as u64 - 1) as usize;
                self.wait();
                Birth { at, kind, bytes, seed, left: None }
            }
            Some(session) => {
                let page = session.page.get_or_insert_with(|| Page { left: draw(session.objects, others), open: 0 });
                let left = Some(page.left);
                (page.left, page.open) = (page.left - 1, page.open + 1);
                // Whoever has a free connection asks for the next object at once.
                self.next = if page.left > 0 && page.open < session.connections { at } else { Time::NEVER };
                Birth { at: at - session.access, kind: self.kinds.start, bytes, seed, left }
            }
        }
    }

    /// A transfer of a session is complete; says whether the source is one.
    pub fn on_completed(&mut self, now: Time) -> bool {
        let Some(Session { page: Some(page), .. }) = &mut self.session else { return false };
        page.open -= 1;
        if page.left > 0 {
            self.next = now;
        } else if page.open == 0 {
            self.think(now);
        }
        true
    }

    /// Until the next page.
    fn think(&mut self, now: Time) {
        let session = self.session.as_mut().expect("sources of an open loop do not think");
        session.page = None;
        let next = now.0.saturating_add(draw(session.think, &mut self.streams[0]));
        self.next = if next < self.end + session.access.0 { Time(next) } else { Time::NEVER };
    }

    fn wait(&mut self) {
        let gap = (self.mean_gap_ns * -libm::log(1.0 - self.streams[0].unit())).round() as u64;
        self.next = self.next.saturating_add(Duration(gap));
        if self.next.0 >= self.end {
            self.next = Time::NEVER;
        }
    }
}
