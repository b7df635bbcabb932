//! The host of a sender: what its processor, its device and its interrupts cost.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Outage;

/// What a sender's host costs. Fields that are not given are none here: a flow's host takes those from the scenario's. A field that may
/// be absent by itself is a value, none given, or not given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Host {
    /// Processor time to send a packet, seconds; 0 when not given.
    pub cpu_packet_s: Option<f64>,
    /// In its place, packets per second that the processor can send.
    #[serde(deserialize_with = "given")]
    pub cpu_pps: Option<Option<f64>>,
    /// Processor time of an ACK, seconds; 0 when not given.
    pub cpu_ack_s: Option<f64>,
    /// Processor time of an ACK with SACK information for each packet outstanding besides, seconds; 0 when not given.
    pub cpu_sack_s: Option<f64>,
    /// Clock of the processor, hertz.
    #[serde(deserialize_with = "given")]
    pub cpu_hz: Option<Option<f64>>,
    /// Times in which the processor does nothing.
    pub stalls: Option<Vec<Outage>>,
    /// Rate of the network device, IP bits per second; none is never felt.
    #[serde(deserialize_with = "given")]
    pub nic_bps: Option<Option<f64>>,
    /// Packets that wait for the device, besides the one on the wire.
    #[serde(deserialize_with = "given")]
    pub txqueuelen: Option<Option<u64>>,
    /// ACKs are handled at ticks of this interval, seconds; 0, at once, when not given.
    pub ack_tick_s: Option<f64>,
    /// Whether all flows without a host of their own are on this one.
    pub shared: Option<bool>,
}

fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

impl Host {
    /// Whether all flows without a host of their own are on this one.
    pub fn is_shared(&self) -> bool {
        self.shared.unwrap_or(false)
    }

    /// Whether the processor's work takes time.
    pub(crate) fn has_cpu(&self) -> bool {
        let costs = [self.cpu_packet_s, self.cpu_ack_s, self.cpu_sack_s];
        self.cpu_pps.flatten().is_some() || costs.into_iter().flatten().sum::<f64>() > 0.0
    }

    /// This host with the fields that it does not give taken from a scenario's.
    pub(crate) fn over(&self, common: &Host) -> Host {
        let names_packets = self.cpu_packet_s.is_some() || self.cpu_pps.is_some();
        Host {
            cpu_packet_s: if names_packets { self.cpu_packet_s } else { common.cpu_packet_s },
            cpu_pps: if names_packets { self.cpu_pps } else { common.cpu_pps },
            cpu_ack_s: self.cpu_ack_s.or(common.cpu_ack_s),
            cpu_sack_s: self.cpu_sack_s.or(common.cpu_sack_s),
            cpu_hz: self.cpu_hz.or(common.cpu_hz),
            stalls: self.stalls.clone().or_else(|| common.stalls.clone()),
            nic_bps: self.nic_bps.or(common.nic_bps),
            txqueuelen: self.txqueuelen.or(common.txqueuelen),
            ack_tick_s: self.ack_tick_s.or(common.ack_tick_s),
            shared: self.shared,
        }
    }
}

impl Serialize for Host {
    /// Every field, with its default where it is not given; a clock, which hosts did not always have, only where there is one.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let clock = self.cpu_hz.flatten();
        let mut table = serializer.serialize_struct("Host", 9 + usize::from(clock.is_some()))?;
        table.serialize_field("cpu_packet_s", &self.cpu_packet_s.unwrap_or(0.0))?;
        table.serialize_field("cpu_pps", &self.cpu_pps.flatten())?;
        table.serialize_field("cpu_ack_s", &self.cpu_ack_s.unwrap_or(0.0))?;
        table.serialize_field("cpu_sack_s", &self.cpu_sack_s.unwrap_or(0.0))?;
        if let Some(hertz) = clock {
            table.serialize_field("cpu_hz", &hertz)?;
        }
        table.serialize_field("stalls", self.stalls.as_deref().unwrap_or_default())?;
        table.serialize_field("nic_bps", &self.nic_bps.flatten())?;
        table.serialize_field("txqueuelen", &self.txqueuelen.flatten())?;
        table.serialize_field("ack_tick_s", &self.ack_tick_s.unwrap_or(0.0))?;
        table.serialize_field("shared", &self.is_shared())?;
        table.end()
    }
}
