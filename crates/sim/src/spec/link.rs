//! Links: rate, queue, loss, what changes in time, what happens to the order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Unit of a queue's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QueueUnit {
    /// Whole packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Nanoseconds of waiting.
    Ns,
}

/// A queue's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueSpec {
    /// Unit of `limit`.
    pub unit: QueueUnit,
    /// Size.
    pub limit: u64,
}

/// A queue discipline beside drop-tail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisciplineChoice {
    /// Its name.
    pub name: String,
    /// Parameters that differ from the defaults.
    #[serde(default)]
    pub parameters: BTreeMap<String, f64>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// IP bits per second.
    pub rate_bps: u64,
    /// Queue.
    pub queue: QueueSpec,
    /// The packet in service does not count against the queue's limit.
    #[serde(default)]
    pub excludes_in_service: bool,
    /// Probability that a packet is lost on arrival.
    #[serde(default)]
    pub loss_probability: f64,
    /// An ECN-capable packet is marked where a queue of this size would have refused it; none for no marks.
    #[serde(default)]
    pub mark: Option<QueueSpec>,
    /// Queue discipline; none for drop-tail.
    #[serde(default)]
    pub discipline: Option<DisciplineChoice>,
    /// Further models of loss.
    #[serde(default)]
    pub losses: Vec<LossSpec>,
    /// What changes in time.
    #[serde(default)]
    pub changes: ChangesSpec,
    /// What happens behind it to the order of the data that it carries.
    #[serde(default)]
    pub disorder: DisorderSpec,
}

impl LinkSpec {
    /// A drop-tail link that loses, marks and changes nothing.
    pub fn new(rate_bps: u64, queue: QueueSpec) -> LinkSpec {
        LinkSpec {
            rate_bps,
            queue,
            excludes_in_service: false,
            loss_probability: 0.0,
            mark: None,
            discipline: None,
            losses: Vec::new(),
            changes: ChangesSpec::default(),
            disorder: DisorderSpec::default(),
        }
    }
}

/// Segments held back, and segments doubled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DisorderSpec {
    /// Probability that a segment is held back.
    pub late_probability: f64,
    /// How long then.
    pub late_ns: u64,
    /// Probability that a segment arrives twice.
    pub double_probability: f64,
}

/// What of a link changes in time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangesSpec {
    /// Rates that follow the link's own, each from its time on; ascending.
    pub rate_steps: Vec<RateStep>,
    /// Times in which nothing is transmitted; ascending, apart.
    pub outages: Vec<Outage>,
    /// Opportunities to deliver 1500 bytes, milliseconds, in place of any rate; none for a rate.
    pub trace_ms: Vec<u64>,
    /// Propagation that packets over this link have besides their path's, each from its time on; ascending.
    pub delay_steps: Vec<DelayStep>,
    /// Sizes of the queue that follow its first, each from its time on; ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queue_steps: Vec<QueueStep>,
}

/// A new rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// From when on.
    pub at_ns: u64,
    /// IP bits per second.
    pub rate_bps: u64,
}

/// A time in which nothing is transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// From when on.
    pub at_ns: u64,
    /// How long.
    pub length_ns: u64,
}

/// A new delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayStep {
    /// From when on.
    pub at_ns: u64,
    /// Additional propagation from then on.
    pub extra_ns: u64,
}

/// A new size of the queue. What stands in it stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueStep {
    /// From when on.
    pub at_ns: u64,
    /// Size from then on.
    pub queue: QueueSpec,
}

/// Which packets a model of loss sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AmongSpec {
    /// All.
    #[default]
    All,
    /// Data.
    Data,
    /// Pure acknowledgements.
    Acks,
}

/// A model of loss, and what it sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossSpec {
    /// What it sees.
    #[serde(default)]
    pub among: AmongSpec,
    /// The model.
    #[serde(flatten)]
    pub model: LossModelSpec,
}

/// A model of loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LossModelSpec {
    /// Bursts: a good and a bad state.
    GilbertElliott {
        /// Probability per packet that the good state turns bad.
        to_bad: f64,
        /// Probability per packet that the bad state turns good.
        to_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
        /// Loss probability in the good state.
        loss_good: f64,
    },
    /// One packet in so many.
    Periodic {
        /// Packets from one loss to the next.
        every: u64,
        /// Number of the first packet lost, counted from 1.
        first: u64,
    },
    /// The packets on a list.
    Scripted {
        /// Whose packets are counted; none for those of all flows.
        #[serde(default)]
        flow: Option<u32>,
        /// Their numbers, counted from 1, ascending.
        packets: Vec<u64>,
    },
    /// By the clock.
    Timed {
        /// Unit of time.
        interval_ns: u64,
        /// Probability that such an interval brings a loss.
        probability: f64,
    },
}
