//! Random changes of a link.

use sim::{ChangesSpec, DelayStep, LinkSpec, Outage, QueueSpec, QueueStep, QueueUnit, RateStep};

use super::Dice;

/// Changes within a run of so many nanoseconds on a link of this rate.
pub fn changes(dice: &mut Dice, rate_bps: u64, duration_ns: u64) -> ChangesSpec {
    let mut changes = ChangesSpec::default();
    if dice.one_in(2) {
        let ats = times(dice, duration_ns);
        changes.delay_steps = ats.into_iter().map(|at_ns| DelayStep { at_ns, extra_ns: dice.between(0, duration_ns / 20) }).collect();
    }
    match dice.between(0, 3) {
        0 => changes.trace_ms = trace(dice, rate_bps, duration_ns),
        1 => {}
        kind => {
            if kind == 2 || dice.one_in(2) {
                let ats = times(dice, duration_ns);
                let rate = |dice: &mut Dice| dice.log_between((rate_bps / 5).max(1000), rate_bps * 2);
                changes.rate_steps = ats.into_iter().map(|at_ns| RateStep { at_ns, rate_bps: rate(dice) }).collect();
            }
            if kind == 3 {
                changes.outages = outages(dice, duration_ns);
            }
        }
    }
    changes
}

/// The link with other sizes of its queue later: a tenth to four times the first, in its unit or in packets.
pub fn resized(dice: &mut Dice, link: LinkSpec, duration_ns: u64) -> LinkSpec {
    let (own, least) = (link.queue, if link.queue.unit == QueueUnit::Bytes { 1500 } else { 1 });
    let size = |dice: &mut Dice| match dice.one_in(3) {
        true => QueueSpec { unit: QueueUnit::Packets, limit: dice.log_between(1, 300) },
        false => QueueSpec { limit: dice.log_between((own.limit / 10).max(least), (own.limit * 4).max(least)), ..own },
    };
    let queue_steps = times(dice, duration_ns).into_iter().map(|at_ns| QueueStep { at_ns, queue: size(dice) }).collect();
    LinkSpec { changes: ChangesSpec { queue_steps, ..link.changes }, ..link }
}

/// One to six moments, now and then the beginning.
fn times(dice: &mut Dice, duration_ns: u64) -> Vec<u64> {
    let mut times: Vec<u64> = (0..dice.between(1, 6)).map(|_| if dice.one_in(9) { 0 } else { dice.between(0, duration_ns) }).collect();
    times.sort_unstable();
    times.dedup();
    times
}

fn outages(dice: &mut Dice, duration_ns: u64) -> Vec<Outage> {
    let mut over = 0;
    let starts = times(dice, duration_ns);
    let outages = starts.into_iter().filter_map(|at_ns| {
        let outage = Outage { at_ns, length_ns: dice.log_between(1, duration_ns / 10) };
        let is_apart = at_ns >= over;
        over = if is_apart { at_ns + outage.length_ns + 1 } else { over };
        is_apart.then_some(outage)
    });
    outages.collect()
}

/// Opportunities at about the link's rate, evenly or in clumps.
fn trace(dice: &mut Dice, rate_bps: u64, duration_ns: u64) -> Vec<u64> {
    let period_ms = dice.between(1, (duration_ns / 2_000_000).clamp(2, 3_000));
    let count = (rate_bps / 12_000 * period_ms / 1000).clamp(1, 20_000);
    let clump = dice.choose(&[1, 1, 4, 20]);
    let mut at_ms: Vec<u64> = (0..count).map(|_| dice.between(0, period_ms / clump) * clump).collect();
    at_ms.push(period_ms.max(clump * (period_ms / clump)).max(1));
    at_ms.sort_unstable();
    at_ms
}
