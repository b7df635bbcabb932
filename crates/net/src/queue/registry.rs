//! What there is to choose from: one row per discipline.

use std::collections::BTreeMap;

use units::Time;

/// Which discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Drop-tail: no row, for every link has it.
    DropTail,
    /// Drop-head.
    DropHead,
    /// ACK filter.
    AckFilter,
    /// RED.
    Red,
    /// Adaptive RED.
    AdaptiveRed,
    /// PIE.
    Pie,
    /// CoDel.
    Codel,
    /// COBALT.
    Cobalt,
    /// FQ.
    Fq,
    /// FQ-CoDel.
    FqCodel,
    /// FQ-PIE.
    FqPie,
    /// DualPI2.
    DualPi2,
    /// Token-bucket policer.
    Policer,
    /// Token-bucket shaper.
    Shaper,
}

/// A number that a discipline takes.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in scenarios; one that ends in `_s` is in seconds.
    pub name: &'static str,
    /// Its unit, `1` for a plain number.
    pub unit: &'static str,
    /// Smallest value accepted.
    pub min: f64,
    /// Largest value accepted.
    pub max: f64,
    /// What it is when it is not given.
    pub default: f64,
    /// One line.
    pub doc: &'static str,
}

/// One discipline's row.
#[derive(Clone, Copy, Debug)]
pub struct DisciplineRow {
    /// Its one lowercase name.
    pub name: &'static str,
    /// Which it is.
    pub kind: Kind,
    /// When it was first published.
    pub year: u16,
    /// Where.
    pub source: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

const fn number(name: &'static str, (min, max): (f64, f64), default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit: "1", min, max, default, doc }
}

const fn seconds(name: &'static str, (min, max): (f64, f64), default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit: "s", min, max, default, doc }
}

const fn gain(name: &'static str, default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit: "1/s", min: 0.0, max: 100.0, default, doc }
}

const fn packets(name: &'static str, default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit: "packets", min: 1.0, max: 1e6, default, doc }
}

const CODEL_TARGET: Parameter = seconds("target_s", (1e-6, 1.0), 0.005, "Acceptable standing queue delay (RFC 8289).");
const CODEL_INTERVAL: Parameter =
    seconds("interval_s", (1e-5, 10.0), 0.1, "Time above the target before the first drop: a worst-case RTT.");

const QUANTUM: Parameter =
    Parameter { name: "quantum", unit: "bytes", min: 1.0, max: 1e6, default: 1514.0, doc: "Bytes that a queue may send per turn." };
const FLOWS: Parameter = number("flows", (1.0, 65_536.0), 1024.0, "Queues that flows are hashed to.");

const PIE_TARGET: Parameter = seconds("target_s", (1e-6, 10.0), 0.015, "Target queueing delay, QDELAY_REF.");
const PIE_UPDATE: Parameter = seconds("t_update_s", (1e-5, 10.0), 0.015, "Time between updates of the probability, T_UPDATE.");
const PIE_BURST: Parameter = seconds("max_burst_s", (0.0, 10.0), 0.15, "Time for which a burst is let through, MAX_BURST.");
const PIE_ALPHA: Parameter = gain("alpha", 0.125, "Weight of the distance from the target.");
const PIE_BETA: Parameter = gain("beta", 1.25, "Weight of the delay's change.");
const PIE_ECN: Parameter = number("ecn_max_p", (0.0, 1.0), 0.1, "Probability from which on ECN-capable packets are dropped too.");

const BUCKET_RATE: Parameter =
    Parameter { name: "rate_bps", unit: "bit/s", min: 1e3, max: 1e12, default: 1e7, doc: "Rate at which tokens come." };
const BUCKET_BURST: Parameter =
    Parameter { name: "burst_bytes", unit: "bytes", min: 64.0, max: 1e12, default: 15_000.0, doc: "Tokens that the bucket holds." };

/// All disciplines beside drop-tail, which every link has.
pub const DISCIPLINES: &[DisciplineRow] = &[
    DisciplineRow {
        name: "drop-head",
        kind: Kind::DropHead,
        year: 1996,
        source: "Lakshman, Neidhardt and Ott 1996",
        summary: "A full queue drops its oldest packets.",
        parameters: &[],
    },
    DisciplineRow {
        name: "ack-filter",
        kind: Kind::AckFilter,
        year: 1997,
        source: "RFC 3449, section 5.2.1",
        summary: "An ACK replaces those of its connection in line that it makes needless.",
        parameters: &[],
    },
    DisciplineRow {
        name: "red",
        kind: Kind::Red,
        year: 1993,
        source: "Floyd and Jacobson 1993; Floyd 2000 (gentle)",
        summary: "Drops or marks at random, the more so the longer the average queue.",
        parameters: &[
            packets("min", 5.0, "Average queue from which on packets are dropped."),
            packets("max", 15.0, "Average queue at which the probability is max_p; at least min + 1."),
            number("max_p", (1e-6, 1.0), 0.1, "Drop probability at the upper threshold."),
            number("weight", (1e-9, 1.0), 0.002, "Weight of a new sample in the average."),
            number("gentle", (0.0, 1.0), 1.0, "Beyond max the probability rises to 1 at twice max, instead of at once."),
        ],
    },
    DisciplineRow {
        name: "ared",
        kind: Kind::AdaptiveRed,
        year: 2001,
        source: "Floyd, Gummadi and Shenker 2001",
        summary: "RED that tunes its probability to keep the average queue in the middle of its range.",
        parameters: &[seconds(
            "target_s",
            (1e-6, 10.0),
            0.005,
            "Average queueing delay aimed at; no less than a range of 5 to 15 packets.",
        )],
    },
    DisciplineRow {
        name: "pie",
        kind: Kind::Pie,
        year: 2013,
        source: "RFC 8033",
        summary: "Drops or marks at random, with a probability that a controller moves towards a target delay.",
        parameters: &[PIE_TARGET, PIE_UPDATE, PIE_BURST, PIE_ALPHA, PIE_BETA, PIE_ECN],
    },
    DisciplineRow {
        name: "codel",
        kind: Kind::Codel,
        year: 2012,
        source: "RFC 8289",
        summary: "Drops or marks at the head, ever more often, while packets wait too long.",
        parameters: &[CODEL_TARGET, CODEL_INTERVAL],
    },
    DisciplineRow {
        name: "cobalt",
        kind: Kind::Cobalt,
        year: 2018,
        source: "Hoeiland-Joergensen, Taht and Morton 2018 (CAKE)",
        summary: "CoDel for those who answer, BLUE for those who do not.",
        parameters: &[
            CODEL_TARGET,
            CODEL_INTERVAL,
            number("increment", (0.0, 1.0), 1.0 / 256.0, "Added to BLUE's probability when the queue overflows."),
            number("decrement", (0.0, 1.0), 1.0 / 4096.0, "Taken from it when the queue is empty."),
        ],
    },
    DisciplineRow {
        name: "fq",
        kind: Kind::Fq,
        year: 2013,
        source: "Linux sch_fq",
        summary: "Flows take turns, new ones first; each has a short queue of its own.",
        parameters: &[
            packets("flow_limit", 100.0, "Packets that a queue holds."),
            Parameter { default: 3028.0, ..QUANTUM },
            Parameter {
                name: "initial_quantum",
                default: 15_140.0,
                doc: "Bytes that a queue may send in its first turn of all.",
                ..QUANTUM
            },
            FLOWS,
        ],
    },
    DisciplineRow {
        name: "fq-codel",
        kind: Kind::FqCodel,
        year: 2018,
        source: "RFC 8290",
        summary: "Flows take turns, new ones first; each has a queue of its own under CoDel.",
        parameters: &[CODEL_TARGET, CODEL_INTERVAL, QUANTUM, FLOWS],
    },
    DisciplineRow {
        name: "fq-pie",
        kind: Kind::FqPie,
        year: 2020,
        source: "RFC 8033 with the queues of RFC 8290",
        summary: "Flows take turns, new ones first; each has a queue of its own under PIE.",
        parameters: &[PIE_TARGET, PIE_UPDATE, PIE_BURST, PIE_ALPHA, PIE_BETA, PIE_ECN, QUANTUM, FLOWS],
    },
    DisciplineRow {
        name: "dualpi2",
        kind: Kind::DualPi2,
        year: 2023,
        source: "RFC 9332",
        summary: "A queue for scalable senders beside one for the others, coupled so that both get their share.",
        parameters: &[
            seconds("target_s", (1e-6, 10.0), 0.015, "Target delay of the classic queue."),
            seconds("t_update_s", (1e-5, 10.0), 0.016, "Time between updates of the base probability, Tupdate."),
            gain("alpha", 0.16, "Weight of the distance from the target."),
            gain("beta", 3.2, "Weight of the delay's change."),
            number("k", (0.1, 100.0), 2.0, "Coupling: marks of scalable senders per base probability."),
            seconds("min_th_s", (0.0, 10.0), 0.0008, "Delay of the L4S queue from which on it marks."),
            seconds("range_s", (0.0, 10.0), 0.0004, "From there to where it marks every packet."),
            number("classic_share", (0.001, 0.999), 1.0 / 16.0, "Share of the link kept for the classic queue."),
        ],
    },
    DisciplineRow {
        name: "policer",
        kind: Kind::Policer,
        year: 1999,
        source: "RFC 2697, one bucket",
        summary: "Drops what exceeds a rate and a burst before it reaches the queue.",
        parameters: &[BUCKET_RATE, BUCKET_BURST],
    },
    DisciplineRow {
        name: "shaper",
        kind: Kind::Shaper,
        year: 1999,
        source: "RFC 2697, one bucket",
        summary: "Lets packets wait for tokens, so that no more than a rate and a burst leave.",
        parameters: &[BUCKET_RATE, BUCKET_BURST],
    },
];

/// A discipline with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisciplineSpec {
    /// Which it is.
    pub kind: Kind,
    /// Values, in the order of the row's parameters.
    values: [f64; PARAMETERS_MAX],
}

const PARAMETERS_MAX: usize = 8;

impl DisciplineSpec {
    /// Drop-tail, on a link that has events of its own.
    pub const DROP_TAIL: DisciplineSpec = DisciplineSpec { kind: Kind::DropTail, values: [0.0; PARAMETERS_MAX] };

    fn row(&self) -> &'static DisciplineRow {
        DISCIPLINES.iter().find(|row| row.kind == self.kind).expect("every kind with parameters has a row")
    }

    /// The value of one of its parameters.
    ///
    /// # Panics
    /// When the discipline has no such parameter.
    pub fn value(&self, name: &str) -> f64 {
        let place = self.row().parameters.iter().position(|parameter| parameter.name == name);
        self.values[place.expect("a discipline reads its own parameters")]
    }

    /// The same as a time.
    pub fn time(&self, name: &str) -> Time {
        Time::from_secs_f64(self.value(name))
    }
}

/// A discipline by name, with `given` parameters and defaults for the rest.
///
/// # Errors
/// What is wrong and what is allowed, in words.
pub fn discipline(name: &str, given: &BTreeMap<String, f64>) -> Result<DisciplineSpec, String> {
    let Some(row) = DISCIPLINES.iter().find(|row| row.name == name) else {
        let names: Vec<_> = DISCIPLINES.iter().map(|row| row.name).collect();
        return Err(format!("choose one of {}", names.join(", ")));
    };
    if let Some(unknown) = given.keys().find(|key| row.parameters.iter().all(|parameter| parameter.name != key.as_str())) {
        let names: Vec<_> = row.parameters.iter().map(|parameter| parameter.name).collect();
        return Err(format!("{name} has no parameter {unknown}; it has {}", names.join(", ")));
    }
    let mut values = [0.0; PARAMETERS_MAX];
    for (value, parameter) in values.iter_mut().zip(row.parameters) {
        *value = given.get(parameter.name).copied().unwrap_or(parameter.default);
        if !(parameter.min..=parameter.max).contains(value) {
            return Err(format!("{value} for {} is out of range; give {} to {}", parameter.name, parameter.min, parameter.max));
        }
    }
    Ok(DisciplineSpec { kind: row.kind, values })
}
