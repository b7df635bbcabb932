//! What stands for a discipline in a Linux kernel, as data: the kernel's name, its numbers, and what it has no setting for.

/// A discipline of the kernel's.
#[derive(Clone, Copy, Debug)]
pub struct Qdisc {
    /// The kernel's name.
    pub kind: &'static str,
    /// The option that it is built with, without `CONFIG_`; none where every kernel has it.
    pub option: Option<&'static str>,
    /// Whether it counts bytes where scenarios count packets.
    pub counts_bytes: bool,
    /// Its numbers, in the order in which a guest takes them.
    pub numbers: &'static [Number],
    /// What it demands of parameters, in the order in which a refusal names them.
    pub demands: &'static [Demand],
}

/// One of its numbers.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// How many packets may wait.
    Limit(Unit),
    /// The link's rate in bytes per second, and the part of it that this says on top: the discipline knows the rate and the link keeps it.
    RateAbove(u32),
    /// A parameter's value.
    Of(&'static str, Unit),
    /// The same, and at least one more than another parameter's.
    Beyond(&'static str, &'static str, Unit),
    /// Always this.
    Constant(u32),
}

/// What a number is counted in.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// As in scenarios, without a fraction.
    Whole,
    /// The mask of so many places.
    Mask,
    /// Microseconds, at least one.
    Microseconds,
    /// Sixteenths.
    Sixteenths,
    /// Hundredths.
    Percent,
    /// Parts of 2^32, fewer than all.
    Of32Bits,
    /// Bytes of memory that so many full packets take.
    FullPacketMemory,
    /// Bytes of so many full packets but one: what the kernel's queue does not see of those that wait.
    BytesButOne,
    /// How often 1 is halved for it: a weight as a shift.
    Halvings,
    /// For an average of this weight, the logarithm of a cell of idle time in microseconds, nearest to an e-fold of the average.
    IdleCell,
    /// How many halvings of that average such a cell stands for, of 2^16.
    IdleDecay,
}

impl Unit {
    /// Its name in the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Whole => "whole",
            Unit::Mask => "mask",
            Unit::Microseconds => "microseconds",
            Unit::Sixteenths => "sixteenths",
            Unit::Percent => "percent",
            Unit::Of32Bits => "of_32_bits",
            Unit::FullPacketMemory => "full_packet_memory",
            Unit::BytesButOne => "bytes_but_one",
            Unit::Halvings => "halvings",
            Unit::IdleCell => "idle_cell",
            Unit::IdleDecay => "idle_decay",
        }
    }
}

/// What the kernel demands of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// The parameter.
    pub parameter: &'static str,
    /// What it must be.
    pub is: Is,
    /// What is said otherwise; `{value}`, `{bound}` and `{nearest}` stand for the numbers.
    pub otherwise: &'static str,
}

/// What a parameter must be.
#[derive(Clone, Copy, Debug)]
pub enum Is {
    /// This.
    Exactly(f64),
    /// No less.
    AtLeast(f64),
    /// A whole number once multiplied by this, and no more than that.
    Multiple {
        /// By this.
        times: f64,
        /// No more than that, before.
        most: f64,
    },
    /// A power of two, or within this part of one, which then stands for it and is told of.
    PowerOfTwo(f64),
    /// The number made of it, shifted by as many places as the other parameter is halved, fits into so many bits.
    Fits(u32, &'static str),
}
