//! Why our stack first did something else, as far as the recording tells. The first rule that fits names the cause: guesses, to begin a correction from.

use super::{Acked, Difference, Event, Recording, ASKING, COLUMNS};

/// What is known where a difference shows.
struct Scene<'a> {
    recording: &'a Recording,
    difference: &'a Difference,
}

type Rule = fn(&Scene<'_>) -> bool;

/// Names of what a difference has to do with, each with the rule by which it is told. `data/kernel-segments/recorded/README.md` explains them.
const RULES: [(&str, Rule); 8] = [
    ("opening-rate", |s| s.is_of("lp") && s.has("pacing") && s.sent_less_kernels() > 0 && s.is_before_any_ack()),
    ("no-timestamps", |s| s.is_off("ts") && s.only(&["rtt", "min_rtt", "rto"])),
    ("dsack", |s| s.has_duplicate()),
    ("old-ack", |s| s.is_old_ack()),
    ("newreno", |s| s.is_off("sack")),
    ("after-probe", |s| s.is_sent_or("ca_state") && s.has_probed()),
    ("pacing", |s| s.is_paced()),
    ("window-limit", |s| s.has("window")),
];

/// The cause of a difference: a name, or what differs.
pub fn cause(recording: &Recording, difference: &Difference) -> String {
    let scene = Scene { recording, difference };
    match RULES.iter().find(|(_, rule)| rule(&scene)) {
        Some((name, _)) => (*name).into(),
        None => format!("unknown:{}", scene.names()),
    }
}

impl Scene<'_> {
    fn is_off(&self, key: &str) -> bool {
        self.recording.keys.get(key).is_some_and(|value| value == "0")
    }

    fn has(&self, key: &str) -> bool {
        self.recording.keys.contains_key(key)
    }

    fn is_of(&self, module: &str) -> bool {
        self.recording.keys.get("cc").is_some_and(|cc| cc == module)
    }

    fn is_bbr(&self) -> bool {
        self.is_of("bbr")
    }

    fn field(&self, name: &str) -> Option<(u64, u64)> {
        self.difference.fields.iter().find(|field| field.0 == name).map(|field| (field.1, field.2))
    }

    fn only(&self, names: &[&str]) -> bool {
        self.difference.sent.is_none() && self.difference.fields.iter().all(|field| names.contains(&field.0))
    }

    /// By how many segments ours sent more, where it sent the same first.
    fn sent_less_kernels(&self) -> i64 {
        let Some((ours, kernels)) = &self.difference.sent else { return 0 };
        if ours.iter().zip(kernels).any(|(ours, kernels)| ours != kernels) {
            return 0;
        }
        ours.len() as i64 - kernels.len() as i64
    }

    fn is_sent_or(&self, name: &str) -> bool {
        self.difference.sent.is_some() || self.field(name).is_some()
    }

    fn acked(&self) -> Option<&Acked> {
        match &self.recording.rows[self.difference.row].event {
            Event::Acked(acked) => Some(acked),
            _ => None,
        }
    }

    fn has_duplicate(&self) -> bool {
        self.acked().is_some_and(|acked| acked.duplicate.is_some())
    }

    fn is_old_ack(&self) -> bool {
        let before = self.recording.rows[..self.difference.row].iter();
        let highest = before.filter_map(|row| if let Event::Acked(acked) = &row.event { Some(acked.cumulative) } else { None }).max();
        self.acked().is_some_and(|acked| Some(acked.cumulative) < highest)
    }

    fn is_before_any_ack(&self) -> bool {
        self.recording.rows[..self.difference.row].iter().all(|row| !matches!(row.event, Event::Acked(_)))
    }

    fn state(&self, row: usize, letter: char) -> Option<u64> {
        let column = COLUMNS.iter().position(|column| column.0 == letter)?;
        self.recording.rows[row].state.map(|state| state[column])
    }

    /// A timer of the kernel's sent one segment outside Loss, and what was outstanding then is not yet acknowledged.
    fn has_probed(&self) -> bool {
        let (mut probed, mut highest) = (None, 0);
        for (index, row) in self.recording.rows[..self.difference.row].iter().enumerate() {
            let last = row.sent.iter().filter(|seq| **seq != ASKING).max();
            highest = last.map_or(0, |seq| seq + 1).max(highest);
            match &row.event {
                Event::Acked(acked) if probed.is_some_and(|highest| acked.cumulative >= highest) => probed = None,
                Event::Expired if row.sent.len() == 1 && self.state(index, 's') < Some(2) && self.is_timer(index) => probed = Some(highest),
                _ => {}
            }
        }
        probed.is_some()
    }

    /// What left at a row without an event was not held back by pacing.
    fn is_timer(&self, row: usize) -> bool {
        !self.is_paced() || (row > 0 && self.state(row, 'y') > self.state(row - 1, 'y'))
    }

    fn is_paced(&self) -> bool {
        self.is_bbr() || self.has("pacing")
    }

    fn names(&self) -> String {
        if self.difference.sent.is_some() {
            return "sent".into();
        }
        self.difference.fields.iter().map(|field| field.0).collect::<Vec<_>>().join("+")
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    /// A probe that repeats segment 1 at row 3, then an ACK with a DSACK.
    fn told(keys: &str, difference: &Difference) -> String {
        let text = format!("script s cc=reno{keys}\n0 o c10 h9 d1\n1 w2 >0-1 u2\n9 a1 u1 d2\n300 t >1 y1\n20 a1!0@0 z1\n20 a2 u0 d3\n");
        cause(&read(&text).expect("a recording")[0], difference)
    }

    fn fields(row: usize, fields: &[(&'static str, u64, u64)]) -> Difference {
        Difference { row, sent: None, fields: fields.to_vec() }
    }

    #[test]
    fn a_cause_is_told_by_what_differs_and_where() {
        assert_eq!(told(" ts=0", &fields(2, &[("rtt", 8, 9)])), "no-timestamps");
        assert_eq!(told("", &fields(4, &[("delivered", 2, 3)])), "dsack");
        assert_eq!(told(" sack=0", &fields(2, &[("ca_state", 0, 3)])), "newreno");
        assert_eq!(told(" pacing=9", &fields(2, &[("rtt", 8, 9)])), "pacing");
        assert_eq!(told("", &fields(2, &[("rtt", 8, 9)])), "unknown:rtt");
    }

    #[test]
    fn a_rate_of_the_law_s_own_is_told_until_an_ack_arrives() {
        let opening = |row| Difference { row, sent: Some((vec![1, 2], vec![1])), fields: Vec::new() };
        let told = |row| {
            let text = "script s cc=lp pacing=9\n0 o c10\n1 w2 >0-1 u2\n2 t >2\n9 a1 u1 d2\n1 t >3\n";
            cause(&read(text).expect("a recording")[0], &opening(row))
        };
        assert_eq!([told(2), told(4)], ["opening-rate", "pacing"]);
    }

    #[test]
    fn what_follows_a_probe_is_laid_to_it_until_all_is_acknowledged() {
        let sent = |row| Difference { row, sent: Some((vec![1, 2], vec![1])), fields: Vec::new() };
        assert_eq!(told("", &sent(2)), "unknown:sent");
        assert_eq!(told("", &sent(5)), "after-probe");
        assert_eq!(told("", &sent(4)), "dsack");
    }
}
