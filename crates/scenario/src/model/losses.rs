//! Models of loss with a memory.

use serde::{Deserialize, Serialize};
use sim::AmongSpec;

/// A model, and which packets it sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossModel {
    /// Packets that it sees and counts.
    #[serde(default)]
    pub among: AmongSpec,
    /// The model.
    #[serde(flatten)]
    pub kind: LossKind,
}

/// A model of loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LossKind {
    /// Bursts: a good and a bad state take turns, packet by packet.
    GilbertElliott {
        /// Probability per packet that the good state turns bad.
        to_bad: f64,
        /// Probability per packet that the bad state turns good.
        to_good: f64,
        /// Loss probability in the bad state.
        #[serde(default = "all")]
        loss_bad: f64,
        /// Loss probability in the good state.
        #[serde(default)]
        loss_good: f64,
    },
    /// Every n-th packet.
    Periodic {
        /// Packets from one loss to the next.
        every: u64,
        /// Number of the first packet lost, counted from 1; `every` when absent.
        #[serde(default)]
        first: Option<u64>,
    },
    /// The packets on a list.
    Scripted {
        /// Numbers of the packets, counted from 1, ascending.
        packets: Vec<u64>,
        /// Whose packets are counted, counted from 0; those of all flows when absent.
        #[serde(default)]
        flow: Option<u32>,
    },
    /// By the clock: each interval since the last loss brings the next with the same probability.
    Timed {
        /// Unit of time, seconds.
        interval_s: f64,
        /// Probability that such an interval brings a loss.
        probability: f64,
    },
}

fn all() -> f64 {
    1.0
}
