//! Random models of loss.

use sim::{AmongSpec, LossModelSpec, LossSpec};

use super::Dice;

/// One to three models, for a run of so many flows and nanoseconds.
pub fn losses(dice: &mut Dice, flows: u64, duration_ns: u64) -> Vec<LossSpec> {
    (0..dice.between(1, 3)).map(|_| loss(dice, flows, duration_ns)).collect()
}

fn loss(dice: &mut Dice, flows: u64, duration_ns: u64) -> LossSpec {
    let model = match dice.between(0, 3) {
        0 => LossModelSpec::GilbertElliott {
            to_bad: dice.between(1, 100) as f64 / 10_000.0,
            to_good: dice.between(1, 10) as f64 / 10.0,
            loss_bad: dice.choose(&[1.0, 0.3]),
            loss_good: dice.choose(&[0.0, 0.001]),
        },
        1 => {
            let every = dice.log_between(2, 2_000);
            LossModelSpec::Periodic { every, first: dice.between(1, every) }
        }
        2 => {
            let mut packets: Vec<u64> = (0..dice.between(1, 12)).map(|_| dice.log_between(1, 10_000)).collect();
            packets.sort_unstable();
            packets.dedup();
            let flow = if dice.one_in(2) { Some(dice.between(0, flows - 1) as u32) } else { None };
            LossModelSpec::Scripted { flow, packets }
        }
        _ => {
            let interval_ns = dice.log_between(1_000_000, duration_ns.max(2_000_000));
            LossModelSpec::Timed { interval_ns, probability: dice.choose(&[0.05, 0.5, 1.0]) }
        }
    };
    let among = dice.choose(&[AmongSpec::All, AmongSpec::All, AmongSpec::Data, AmongSpec::Acks]);
    LossSpec { among, model }
}
