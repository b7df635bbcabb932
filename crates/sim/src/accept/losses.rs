//! The models of loss of a link, checked and built.

use net::{Among, GilbertElliott, GilbertElliottSpec, LossModel, Losses, Periodic, Scripted, Timed};
use units::{Duration, Stream};

use super::refusal::{refuse, seconds};
use crate::error::SpecError;
use crate::limits::{LOSS_INTERVAL_S, POSITIVE_SHARE, SHARE};
use crate::spec::{AmongSpec, LossModelSpec, LossSpec, Spec};

/// The models of the link with this name, and with random streams whose names begin so.
pub(crate) fn accept_losses((name, stream): (&str, &str), given: &[LossSpec], run: &Spec) -> Result<Losses, SpecError> {
    let mut losses = Losses::default();
    for (index, LossSpec { among, model }) in given.iter().enumerate() {
        let model = accept_model(&format!("{name}.losses[{index}]"), model, run.flows.len() + run.traffic.len())?;
        let among = match among {
            AmongSpec::All => Among::All,
            AmongSpec::Data => Among::Data,
            AmongSpec::Acks => Among::Acks,
        };
        losses.add(among, model, Stream::named(run.seed, format_args!("{stream}/loss{index}")));
    }
    Ok(losses)
}

fn accept_model(path: &str, model: &LossModelSpec, flows: usize) -> Result<LossModel, SpecError> {
    let field = |name: &str| format!("{path}.{name}");
    match *model {
        LossModelSpec::GilbertElliott { to_bad, to_good, loss_bad, loss_good } => {
            for (name, p) in [("to_bad", to_bad), ("to_good", to_good), ("loss_bad", loss_bad), ("loss_good", loss_good)] {
                if !SHARE.holds(p) {
                    return refuse(field(name), p, format!("give a probability from {SHARE}"));
                }
            }
            if to_good == 0.0 {
                return refuse(field("to_good"), to_good, "give more than 0: the bad state must end");
            }
            Ok(LossModel::GilbertElliott(GilbertElliott::new(GilbertElliottSpec { to_bad, to_good, loss_bad, loss_good })))
        }
        LossModelSpec::Periodic { every, first } => {
            if every < 2 {
                return refuse(field("every"), every, "give at least 2 packets");
            }
            if first == 0 {
                return refuse(field("first"), first, "give at least 1: packets are counted from 1");
            }
            Ok(LossModel::Periodic(Periodic::new(every, first)))
        }
        LossModelSpec::Scripted { flow, ref packets } => {
            if let Some(flow) = flow.filter(|&flow| flow as usize >= flows) {
                let most = flows.checked_sub(1);
                return refuse(
                    field("flow"),
                    flow,
                    most.map_or("give none: there are no flows".into(), |most| format!("give a flow's number, 0 to {most}")),
                );
            }
            if packets.first().is_none_or(|&first| first == 0) || packets.windows(2).any(|pair| pair[0] >= pair[1]) {
                return refuse(field("packets"), format!("{packets:?}"), "give ascending numbers, counted from 1");
            }
            Ok(LossModel::Scripted(Scripted::new(flow, packets.clone())))
        }
        LossModelSpec::Timed { interval_ns, probability } => {
            if !LOSS_INTERVAL_S.holds_ns(interval_ns) {
                return refuse(field("interval"), seconds(interval_ns), format!("give {LOSS_INTERVAL_S}"));
            }
            if !POSITIVE_SHARE.holds(probability) {
                return refuse(field("probability"), probability, "give a probability above 0, at most 1");
            }
            Ok(LossModel::Timed(Timed::new(Duration(interval_ns), probability)))
        }
    }
}
