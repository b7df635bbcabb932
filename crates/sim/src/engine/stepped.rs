//! A run that stops, and goes on: between two steps a controller from outside sets windows and pacing rates of some of its flows, and reads their state.

use std::sync::Arc;

use cc::{Controller, Guests, Outside};
use endpoint::NO_STACKS;
use net::{AnyLink, Fifo};
use self_cell::self_cell;
use tcp::Sender;
use units::{ByteRate, Duration, Time};

use super::names::Names;
use super::observer::Audience;
use super::reading::{Reading, Watch};
use super::run::{Course, Engine, Horizon, EVENTS_PER_LOOK};
use super::start::opened;
use crate::accept::accept_beside;
use crate::error::{RunError, SpecError};
use crate::parts::application::Application;
use crate::parts::around::Around;
use crate::parts::arrivals::Arrivals;
use crate::parts::datagrams::Source;
use crate::parts::flow::Flow;
use crate::parts::load::Load;
use crate::records::Records;
use crate::spec::Spec;

/// The name that stands for the law of the flows that are acted for. No protocol and no file has it.
const OUTSIDE: &str = " outside";

/// How long a step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stride {
    /// So many smallest RTTs, of several flows the largest of these.
    Rtts(f64),
    /// That long.
    Time(Duration),
}

/// What an action's first number, -1 to 1, does to the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// The window that was set last times 2 to the power of so many times the number.
    Factor {
        /// Doublings at most.
        octaves: f64,
    },
    /// -1 is one segment and 1 the largest window, evenly in its logarithm.
    Window,
}

/// How flows are acted for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// What the first number does.
    pub act: Act,
    /// The largest window, segments.
    pub window_max: f64,
    /// Segments are paced, and a second number `p`, -1 to 1, says how fast: 4 to the power of `p` windows per RTT.
    pub is_paced: bool,
}

/// Which flows are acted for.
#[derive(Clone, Debug, PartialEq)]
pub struct Agents {
    /// Their numbers.
    pub flows: Vec<usize>,
    /// How; none to read them alone, each with the law that the scenario gives it.
    pub action: Option<Action>,
    /// How long a step is.
    pub stride: Stride,
}

/// Watches nothing, as [`Silent`](super::observer::Silent). A type of its own, for the compiler would not lay out runs without a stop as it does
/// where their parts are called from one place alone.
struct Nobody;

impl Audience for Nobody {
    #[inline]
    fn on_acked(&mut self, _now: Time, _flow: usize, _sender: &Sender<Controller>) {}
}

/// An engine for links of one kind or of any.
enum Running<'a> {
    Fifo(Engine<'a, Nobody, Fifo>, Course),
    Any(Engine<'a, Nobody, AnyLink<Load>>, Course),
}

self_cell! {
    struct Kept {
        owner: (Spec, Guests),

        #[not_covariant]
        dependent: Running,
    }
}

/// A run in steps.
pub struct Stepped {
    kept: Kept,
    agents: Agents,
    outside: Outside,
    watches: Vec<Watch>,
    windows: Vec<f64>,
    now: Time,
    end: Time,
}

// SAFETY: all that a run is made of may go to another thread (below), but the endpoints of whole stacks; `running` opens none.
#[allow(unsafe_code)]
unsafe impl Send for Stepped {}

const fn may_go_to_another_thread<T: Send>() {}
const _: () = may_go_to_another_thread::<(&Spec, &Guests, Names, Vec<Flow>, Arrivals, Vec<Option<Application>>, Vec<Source>)>();
const _: () = may_go_to_another_thread::<(Vec<Fifo>, Vec<AnyLink<Load>>, Vec<Horizon>, Around, Records, Course, Outside, Vec<Watch>)>();

/// Whatever kind the links have.
macro_rules! with {
    ($kept:expr, $engine:ident, $course:ident => $do:expr) => {
        $kept.with_dependent_mut(|_, running| match running {
            Running::Fifo($engine, $course) => $do,
            Running::Any($engine, $course) => $do,
        })
    };
}

impl Stepped {
    /// A run that has come to the first decision: one smallest RTT, or step, after the first ACK of the last flow that is acted for.
    ///
    /// # Errors
    /// A scenario that is refused, or a flow that is not there, or one that ends before it has an ACK.
    pub fn new(mut spec: Spec, agents: Agents) -> Result<(Stepped, Vec<Reading>), RunError> {
        if let Some(flow) = agents.flows.iter().find(|&&flow| flow >= spec.flows.len()) {
            return Err(refusal("agents", flow, format!("the scenario has {} flows", spec.flows.len())));
        }
        let outside = Outside::new(spec.flows.len(), agents.action.is_some_and(|action| action.is_paced));
        let mut guests = Guests::default();
        if agents.action.is_some() {
            guests.insert(OUTSIDE, Arc::new(outside.clone()));
            for &flow in &agents.flows {
                let flow = &mut spec.flows[flow];
                flow.algorithm = OUTSIDE.into();
                flow.parameters.clear();
                (flow.variant, flow.slow_start) = (None, None);
            }
        }
        let end = Time(spec.duration_ns);
        let kept = Kept::try_new((spec, guests), |(spec, guests)| running(spec, guests))?;
        let (watches, windows) = (vec![Watch::since(Time::ZERO); agents.flows.len()], Vec::new());
        let mut stepped = Stepped { kept, agents, outside, watches, windows, now: Time::ZERO, end };
        stepped.reach_first_acks()?;
        let rows = stepped.advance()?;
        stepped.windows = rows.iter().map(|row| row[8]).collect();
        Ok((stepped, rows))
    }

    /// Until the flows that are acted for have had an ACK each.
    fn reach_first_acks(&mut self) -> Result<(), RunError> {
        let rtt = self.kept.with_dependent(|(spec, _), _| self.agents.flows.iter().map(|&flow| spec.flows[flow].rtt_ns).min());
        // Short enough that a smallest RTT after the ACK is still to come.
        let slice = Duration(rtt.unwrap_or(0) / 2).max(Duration::from_us(1));
        loop {
            let first = self.first_acks();
            if let Some(first) = first {
                self.now = first;
                self.watches.fill(Watch::since(first));
                return Ok(());
            }
            if self.now >= self.end {
                return Err(refusal(
                    "duration",
                    self.end.as_secs_f64(),
                    "give flows that are acted for the time of a few round trips".into(),
                ));
            }
            self.now += slice;
            self.proceed(self.now)?;
        }
    }

    /// When the last of the first ACKs arrived, once all have. Of flows with laws of their own: when they are seen to have.
    fn first_acks(&mut self) -> Option<Time> {
        if self.agents.action.is_some() {
            let settings = &self.outside.settings;
            return self.agents.flows.iter().map(|&flow| settings[flow].first_ack()).collect::<Option<Vec<_>>>()?.into_iter().max();
        }
        let (now, flows) = (self.now, &self.agents.flows);
        let is_seen = with!(self.kept, engine, _course => flows.iter().all(|&flow| engine.flows[flow].sender.connection().delivered > 0));
        is_seen.then_some(now)
    }

    fn proceed(&mut self, until: Time) -> Result<(), RunError> {
        with!(self.kept, engine, course => engine.proceed::<true>(course, until.0, |_| Some(EVENTS_PER_LOOK)))
    }

    /// Sets windows, and goes on by one step; returns one reading per flow that is acted for. `actions` are two numbers for each.
    ///
    /// # Errors
    /// More transfers open than there is room for.
    pub fn step(&mut self, actions: &[[f64; 2]]) -> Result<Vec<Reading>, RunError> {
        if let Some(action) = self.agents.action {
            for (agent, &[window, pacing]) in actions.iter().enumerate() {
                let flow = self.agents.flows[agent];
                let asked = match action.act {
                    Act::Factor { octaves } => self.windows[agent] * libm::exp2(octaves * window.clamp(-1.0, 1.0)),
                    Act::Window => libm::exp2(libm::log2(action.window_max) * (window.clamp(-1.0, 1.0) + 1.0) / 2.0),
                };
                let cwnd = asked.clamp(1.0, action.window_max);
                let rate = if action.is_paced { self.pacing_rate(flow, cwnd, pacing.clamp(-1.0, 1.0)) } else { ByteRate::ZERO };
                self.windows[agent] = cwnd;
                self.outside.settings[flow].set(cwnd, rate);
            }
        }
        self.advance()
    }

    /// 4 to the power of `gain` windows per smoothed RTT.
    fn pacing_rate(&mut self, flow: usize, cwnd: f64, gain: f64) -> ByteRate {
        let (mss, srtt8_us) = with!(self.kept, engine, _course => {
            let c = engine.flows[flow].sender.connection();
            (c.mss, c.srtt8_us)
        });
        let per_s = libm::exp2(2.0 * gain) * cwnd * f64::from(mss) * 8e6 / f64::from(srtt8_us.max(1));
        ByteRate((per_s as u64).max(1))
    }

    /// The end of the step that begins now, and what was read there.
    fn advance(&mut self) -> Result<Vec<Reading>, RunError> {
        let stride = match self.agents.stride {
            Stride::Time(time) => time,
            Stride::Rtts(count) => {
                let flows = &self.agents.flows;
                let rtt = with!(self.kept, engine, _course => {
                    flows.iter().map(|&flow| engine.flows[flow].sender.connection().rtt_min).max()
                });
                Duration((count * rtt.unwrap_or(Duration::ZERO).0 as f64) as u64)
            }
        };
        self.now = (self.now + stride.max(Duration::from_us(1))).min(self.end);
        self.proceed(self.now)?;
        let Stepped { kept, watches, now, agents, .. } = self;
        Ok(with!(kept, engine, _course => {
            agents.flows.iter().zip(watches).map(|(&flow, watch)| watch.read(*now, &engine.flows[flow].sender)).collect()
        }))
    }

    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.now >= self.end
    }

    /// Simulated time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Runs to the end; what was measured.
    ///
    /// # Errors
    /// As [`Stepped::step`].
    pub fn finish(mut self) -> Result<Records, RunError> {
        self.proceed(Time(u64::MAX))?;
        Ok(with!(self.kept, engine, _course => engine.finish_lent()))
    }
}

fn running<'a>(spec: &'a Spec, guests: &'a Guests) -> Result<Running<'a>, RunError> {
    let mut accepted = accept_beside(spec, guests, &NO_STACKS)?;
    let stacks = opened(&accepted)?;
    assert!(stacks.is_empty(), "a run in steps knows no whole stack");
    let window = Time(spec.warmup_ns)..Time(spec.duration_ns);
    let links: Vec<AnyLink<Load>> = accepted.links.drain(..).map(|link| AnyLink::new(link.parts(window.clone(), spec.seed))).collect();
    // Nothing is allocated for what has no size.
    let nobody = Box::leak(Box::new(Nobody));
    if links.iter().all(AnyLink::is_fifo) {
        let links: Vec<Fifo> = links.into_iter().filter_map(AnyLink::into_fifo).collect();
        let mut engine = Engine::new(accepted, stacks, links, nobody);
        let course = engine.begin();
        Ok(Running::Fifo(engine, course))
    } else {
        let mut engine = Engine::new(accepted, stacks, links, nobody);
        let course = engine.begin();
        Ok(Running::Any(engine, course))
    }
}

fn refusal(field: &str, value: impl std::fmt::Display, allowed: String) -> RunError {
    SpecError { field: field.into(), value: value.to_string(), allowed }.into()
}
