//! Why our stack first did something else, as far as the recording tells. The first rule that fits names the cause: guesses, for whoever mends.

use super::{Acked, Difference, Event, Recording, COLUMNS};

/// What is known where a difference shows.
struct Scene<'a> {
    recording: &'a Recording,
    difference: &'a Difference,
}

type Rule = fn(&Scene<'_>) -> bool;

/// Names of causes, each with the rule by which it is told. `data/kernel-segments/recorded/README.md` explains them.
const RULES: [(&str, Rule); 19] = [
    ("no-timestamps", |s| s.is_off("ts") && s.only(&["rtt", "min_rtt", "rto"])),
    ("reordering-by-timestamps", |s| s.only(&["reord_seen"]) || (s.kernel_sees_reordering() && s.difference.sent.is_some())),
    ("probe-in-pipe", |s| s.only(&["retrans"]) && s.ours_less_kernels("retrans") == 1),
    ("dsack-delivered", |s| s.has_duplicate() && (s.ours_less_kernels("delivered") == -1 || s.sent_less_kernels() == -1)),
    ("dsack-undo", |s| s.has_duplicate() && s.is_sent_or("ca_state")),
    ("cwnd-stamp", |s| s.is_window_alone() && s.ours_less_kernels("snd_cwnd") < -1 && s.is_underused()),
    ("old-ack", |s| s.is_old_ack()),
    ("newreno-hold", |s| s.is_off("sack") && s.ours_less_kernels("ca_state") <= -3),
    ("newreno", |s| s.is_off("sack")),
    ("bbr-ssthresh", |s| s.is_bbr() && s.field("snd_ssthresh").is_some()),
    ("undo-of-timeout", |s| s.undoes_timeout()),
    ("after-probe", |s| s.is_sent_or("ca_state") && s.has_probed()),
    ("lp-clock", |s| s.is_of("lp")),
    ("growth-on-sacks", |s| s.kernels_state('s') == 1 && s.kernels_state('n') > 0 && (s.only(&["snd_cwnd"]) || s.sent_less_kernels() == 1)),
    ("after-undo", |s| s.has_undone() && s.is_sent_or("lost")),
    ("no-timestamps", |s| s.is_off("ts") && s.is_sent_or("rtt")),
    ("pacing", |s| s.is_paced()),
    ("westwood", |s| s.is_of("westwood")),
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

    /// The window differs, and perhaps the threshold, and nothing else.
    fn is_window_alone(&self) -> bool {
        self.only(&["snd_cwnd", "snd_ssthresh"])
    }

    /// Application or receiver limit what is sent.
    fn is_underused(&self) -> bool {
        self.has("window") || self.recording.keys.get("writes").is_some_and(|writes| writes.contains(','))
    }

    fn field(&self, name: &str) -> Option<(u64, u64)> {
        self.difference.fields.iter().find(|field| field.0 == name).map(|field| (field.1, field.2))
    }

    fn only(&self, names: &[&str]) -> bool {
        self.difference.sent.is_none() && self.difference.fields.iter().all(|field| names.contains(&field.0))
    }

    fn ours_less_kernels(&self, name: &str) -> i64 {
        self.field(name).map_or(0, |(ours, kernels)| ours as i64 - kernels as i64)
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

    fn state(&self, row: usize, letter: char) -> Option<u64> {
        let column = COLUMNS.iter().position(|column| column.0 == letter)?;
        self.recording.rows[row].state.map(|state| state[column])
    }

    fn kernels_state(&self, letter: char) -> u64 {
        self.state(self.difference.row, letter).unwrap_or(u64::MAX)
    }

    /// The kernel leaves Loss with the threshold that it had before.
    fn undoes_timeout(&self) -> bool {
        let row = self.difference.row;
        let before = |letter| row.checked_sub(1).and_then(|row| self.state(row, letter));
        before('s') == Some(4) && self.kernels_state('s') == 0 && Some(self.kernels_state('h')) > before('h')
    }

    /// The kernel found that a segment had been overtaken, just now.
    fn kernel_sees_reordering(&self) -> bool {
        let row = self.difference.row;
        row > 0 && self.state(row, 'n') > self.state(row - 1, 'n')
    }

    /// A timer of the kernel's sent one segment outside Loss, and what was outstanding then is not yet acknowledged.
    fn has_probed(&self) -> bool {
        let (mut probed, mut highest) = (None, 0);
        for (index, row) in self.recording.rows[..self.difference.row].iter().enumerate() {
            highest = row.sent.iter().map(|seq| seq + 1).max().unwrap_or(0).max(highest);
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

    /// The kernel's threshold rose: a reduction was undone.
    fn has_undone(&self) -> bool {
        let thresholds: Vec<u64> = (0..=self.difference.row).filter_map(|row| self.state(row, 'h')).collect();
        thresholds.windows(2).any(|pair| pair[1] > pair[0])
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
        assert_eq!(told("", &fields(3, &[("retrans", 1, 0)])), "probe-in-pipe");
        assert_eq!(told("", &fields(4, &[("delivered", 2, 3)])), "dsack-delivered");
        assert_eq!(told(" sack=0", &fields(2, &[("ca_state", 0, 3)])), "newreno-hold");
        assert_eq!(told(" ts=0", &fields(2, &[("rtt", 8, 9)])), "no-timestamps");
        assert_eq!(told("", &fields(2, &[("rtt", 8, 9)])), "unknown:rtt");
    }

    #[test]
    fn what_follows_a_probe_is_laid_to_it_until_all_is_acknowledged() {
        let sent = |row| Difference { row, sent: Some((vec![1, 2], vec![1])), fields: Vec::new() };
        assert_eq!(told("", &sent(2)), "unknown:sent");
        assert_eq!(told("", &sent(5)), "after-probe");
        assert_eq!(told("", &sent(4)), "dsack-undo");
    }
}
