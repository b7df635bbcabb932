//! Flows through one bottleneck.

use std::sync::Arc;

use cc::{GuestProtocol, Guests};
use scenario::model::{Link, Scenario};
use sim::{AckTrace, Beside, Silent};

use crate::{Error, Flow, Run};

/// Flows through one bottleneck with a drop-tail queue of one bandwidth-delay product, for a minute, unless told otherwise.
#[derive(Clone, Debug)]
pub struct Dumbbell {
    scenario: Scenario,
    /// The controllers of the caller, by the names under which the scenario knows them.
    guests: Guests,
    problem: Option<Error>,
}

impl Dumbbell {
    /// A bottleneck of `rate_bps` IP bits per second, and the base round-trip time of its flows in seconds.
    pub fn new(rate_bps: f64, rtt_s: f64) -> Dumbbell {
        let scenario = Scenario { rtt_s: Some(rtt_s), ..Scenario::of(Link::of(rate_bps)) };
        Dumbbell { scenario, guests: Guests::default(), problem: None }
    }

    /// The queue's limit as a fraction of the bandwidth-delay product.
    #[must_use]
    pub fn queue_bdp(self, fraction: f64) -> Dumbbell {
        self.with(|scenario| scenario.bottleneck.queue_bdp = Some(fraction))
    }

    /// The queue's limit in packets of 1500 bytes.
    #[must_use]
    pub fn queue_packets(self, packets: u64) -> Dumbbell {
        self.with(|scenario| scenario.bottleneck.queue_packets = Some(packets))
    }

    /// The probability with which each packet is lost, whatever the queue.
    #[must_use]
    pub fn loss(self, probability: f64) -> Dumbbell {
        self.with(|scenario| scenario.bottleneck.loss_probability = probability)
    }

    /// One more flow: [`Flow::of`] a controller, or a built-in one's name.
    #[must_use]
    pub fn flow(mut self, flow: impl Into<Flow>) -> Dumbbell {
        let Flow { own, mut model } = flow.into();
        if let Some(own) = own {
            if let Err(problem) = judged(own.name()) {
                self.problem.get_or_insert(problem);
            }
            model.algorithm = self.seated(own);
        }
        self.scenario.flows.push(model);
        self
    }

    /// How long it runs, seconds.
    #[must_use]
    pub fn duration_s(self, duration_s: f64) -> Dumbbell {
        self.with(|scenario| scenario.duration_s = duration_s)
    }

    /// The first part, seconds, which no mean counts.
    #[must_use]
    pub fn warmup_s(self, warmup_s: f64) -> Dumbbell {
        self.with(|scenario| scenario.warmup_s = warmup_s)
    }

    /// The seed of every random draw; 1 unless given.
    #[must_use]
    pub fn seed(self, seed: u64) -> Dumbbell {
        self.with(|scenario| scenario.seed = seed)
    }

    /// Everything else that a scenario may have: queue disciplines, further hops, reverse traffic, transfers.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Scenario)) -> Dumbbell {
        change(&mut self.scenario);
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// When the scenario is refused, or a controller leaves a window that none may have.
    ///
    /// # Panics
    /// When a controller does, and when an invariant of the simulator is broken: the message then names seed and scenario.
    pub fn run(&self) -> Result<Run, Error> {
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        self.check_numbers()?;
        let filled = scenario::fill(&self.scenario)?;
        let (spec, digest) = (filled.spec(), filled.digest());
        let beside = Beside { digest: Some(&digest), guests: &self.guests, ..Beside::default() };
        let frames = if spec.per_ack {
            let mut trace = AckTrace::default();
            records::frames(sim::run_with(&spec, beside, &mut trace, || false)?, Some(trace))
        } else {
            records::frames(sim::run_with(&spec, beside, &mut Silent, || false)?, None)
        };
        Ok(Run::new(filled, frames))
    }

    /// A scenario that was read has no other numbers than these; one that was built may.
    fn check_numbers(&self) -> Result<(), Error> {
        let written = serde_json::to_string(&self.scenario).ok();
        let again = written.and_then(|text| Scenario::from_json(&text).ok());
        if again.as_ref() != Some(&self.scenario) {
            return Err(Error::Scenario("scenario: a number in it is NaN or infinite".into()));
        }
        Ok(())
    }

    /// The name under which the scenario knows a controller: its own, with a number where another one has that already.
    fn seated(&mut self, own: Arc<dyn GuestProtocol>) -> String {
        let mut key = own.name().to_owned();
        let mut number = 1;
        while self.guests.of_name(&key).is_some() {
            number += 1;
            key = format!("{}-{number}", own.name());
        }
        self.guests.insert(&key, own);
        key
    }
}

fn judged(name: &str) -> Result<(), Error> {
    let wrong = |why| Err(Error::Name { name: name.into(), why });
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
        return wrong("letters, digits, '-' and '_' are allowed; name it with Flow::named_of");
    }
    if cc::protocol(name).is_some() {
        return wrong("a built-in controller has it; name it with Flow::named_of");
    }
    Ok(())
}
