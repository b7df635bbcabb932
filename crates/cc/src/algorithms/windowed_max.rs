//! The largest value of a sliding window, nearly: three candidates only, each younger than the one before (Nichols; Linux `win_minmax`).

/// A running maximum over the last `span` ticks of any clock. When the largest expires, the best seen since takes its place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowedMax<V> {
    /// Tick and value, the best first.
    best: [(u64, V); 3],
    /// The window that was last asked for, and the tick until which a value below all three changes nothing in it.
    span: u64,
    stands_until: u64,
}

impl<V: Copy + PartialOrd + Default> WindowedMax<V> {
    /// The largest value.
    #[inline]
    pub(crate) fn largest(&self) -> V {
        self.best[0].1
    }

    /// Only `value` is known, since `now`.
    pub(crate) fn reset(&mut self, now: u64, value: V) {
        self.best = [(now, value); 3];
        self.stands_until = 0;
    }

    /// A new value. Values older than `span` ticks are forgotten.
    #[inline]
    pub(crate) fn on_sampled(&mut self, now: u64, value: V, span: u64) {
        if value >= self.best[2].1 || now > self.stands_until || span != self.span {
            self.update(now, value, span);
        }
    }

    fn update(&mut self, now: u64, value: V, span: u64) {
        self.place(now, value, span);
        let [first, second, third] = self.best.map(|best| best.0);
        let stands_for = match (second == first, third == second) {
            (true, _) => span / 4,
            (_, true) => span / 2,
            _ => span,
        };
        self.span = span;
        self.stands_until = first + stands_for;
    }

    fn place(&mut self, now: u64, value: V, span: u64) {
        let [first, second, third] = &mut self.best;
        if value >= first.1 || now - third.0 > span {
            return self.reset(now, value);
        }
        if value >= second.1 {
            *second = (now, value);
            *third = *second;
        } else if value >= third.1 {
            *third = (now, value);
        }
        self.age(now, value, span);
    }

    /// The best gives way when it is too old; the others are spread over the window, so that a good successor is always at hand.
    fn age(&mut self, now: u64, value: V, span: u64) {
        let [first, second, third] = self.best;
        let age = now - first.0;
        if age > span {
            self.best = [second, third, (now, value)];
            if now - second.0 > span {
                self.best = [third, (now, value), (now, value)];
            }
        } else if second.0 == first.0 && 4 * age > span {
            self.best = [first, (now, value), (now, value)];
        } else if third.0 == second.0 && 2 * age > span {
            self.best[2] = (now, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten ticks after the largest value it still counts, after eleven its successor does.
    #[test]
    fn the_largest_value_lives_for_the_window_and_not_longer() {
        let mut most = WindowedMax::default();
        most.reset(0, 9);
        for tick in 1..=10 {
            most.on_sampled(tick, 5 - tick / 5, 10);
            assert_eq!(most.largest(), 9, "at {tick}");
        }
        most.on_sampled(11, 1, 10);
        assert!((3..=5).contains(&most.largest()));
        most.on_sampled(12, 7, 10);
        assert_eq!(most.largest(), 7);
        most.on_sampled(40, 1, 10);
        assert_eq!(most.largest(), 1, "after a long silence only the new value is known");
    }

    /// 100, 99, 98, ... in ten ticks: the first successor is of the second quarter (tick 3), the next of the second half (tick 6).
    #[test]
    fn successors_are_spread_over_the_window() {
        let mut most = WindowedMax::default();
        most.reset(0, 100);
        for tick in 1..=14 {
            most.on_sampled(tick, 100 - tick, 10);
            let expected = [100, 97, 94][usize::from(tick > 10) + usize::from(tick > 13)];
            assert_eq!(most.largest(), expected, "at {tick}");
        }
    }
}
