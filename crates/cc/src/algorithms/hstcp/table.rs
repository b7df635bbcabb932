//! HighSpeed TCP's table, and Linux's decrease for it.
//!
//! RFC 3649, appendix B: scan n upwards from the low window and emit a row whenever the increase a(n) has grown by more than one
//! segment since the last row. Each row holds from its window up to the next one.

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The smallest window of the row, segments.
    pub(super) window: u32,
    /// Increase, segments per round trip.
    pub(super) a: u32,
    /// Fraction of the window removed on loss.
    pub(super) b: f64,
}

pub(super) const fn row(window: u32, a: u32, b: f64) -> Row {
    Row { window, a, b }
}

/// The 73 rows of RFC 3649, appendix B (low window 38, rounded response function 0.078/w^1.2).
pub(super) static RFC: [Row; 73] = [
    row(38, 1, 0.50),
    row(118, 2, 0.44),
    row(221, 3, 0.41),
    row(347, 4, 0.38),
    row(495, 5, 0.37),
    row(663, 6, 0.35),
    row(851, 7, 0.34),
    row(1058, 8, 0.33),
    row(1284, 9, 0.32),
    row(1529, 10, 0.31),
    row(1793, 11, 0.30),
    row(2076, 12, 0.29),
    row(2378, 13, 0.28),
    row(2699, 14, 0.28),
    row(3039, 15, 0.27),
    row(3399, 16, 0.27),
    row(3778, 17, 0.26),
    row(4177, 18, 0.26),
    row(4596, 19, 0.25),
    row(5036, 20, 0.25),
    row(5497, 21, 0.24),
    row(5979, 22, 0.24),
    row(6483, 23, 0.23),
    row(7009, 24, 0.23),
    row(7558, 25, 0.22),
    row(8130, 26, 0.22),
    row(8726, 27, 0.22),
    row(9346, 28, 0.21),
    row(9991, 29, 0.21),
    row(10661, 30, 0.21),
    row(11358, 31, 0.20),
    row(12082, 32, 0.20),
    row(12834, 33, 0.20),
    row(13614, 34, 0.19),
    row(14424, 35, 0.19),
    row(15265, 36, 0.19),
    row(16137, 37, 0.19),
    row(17042, 38, 0.18),
    row(17981, 39, 0.18),
    row(18955, 40, 0.18),
    row(19965, 41, 0.17),
    row(21013, 42, 0.17),
    row(22101, 43, 0.17),
    row(23230, 44, 0.17),
    row(24402, 45, 0.16),
    row(25618, 46, 0.16),
    row(26881, 47, 0.16),
    row(28193, 48, 0.16),
    row(29557, 49, 0.15),
    row(30975, 50, 0.15),
    row(32450, 51, 0.15),
    row(33986, 52, 0.15),
    row(35586, 53, 0.14),
    row(37253, 54, 0.14),
    row(38992, 55, 0.14),
    row(40808, 56, 0.14),
    row(42707, 57, 0.13),
    row(44694, 58, 0.13),
    row(46776, 59, 0.13),
    row(48961, 60, 0.13),
    row(51258, 61, 0.13),
    row(53677, 62, 0.12),
    row(56230, 63, 0.12),
    row(58932, 64, 0.12),
    row(61799, 65, 0.12),
    row(64851, 66, 0.11),
    row(68113, 67, 0.11),
    row(71617, 68, 0.11),
    row(75401, 69, 0.10),
    row(79517, 70, 0.10),
    row(84035, 71, 0.10),
    row(89053, 72, 0.10),
    row(94717, 73, 0.09),
];

/// Linux's decrease column for the first 72 windows of [`RFC`], in 256ths: floor(256 b(w)).
pub(super) static LINUX_DECREASE: [u8; 72] = [
    128, 112, 104, 98, 93, 89, 86, 83, 81, 78, 76, 74, 72, 71, 69, 68, 66, 65, 64, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 52, 51, 50,
    49, 48, 48, 47, 46, 45, 45, 44, 43, 43, 42, 41, 41, 40, 39, 39, 38, 38, 37, 36, 36, 35, 35, 34, 33, 33, 32, 32, 31, 30, 30, 29, 28, 28,
    27, 26, 26, 25, 24,
];
