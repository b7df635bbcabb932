//! The registry: every protocol, one row each, and the state of any of them.

use units::Duration;

use crate::algorithms::{registered, *};
use crate::parameter::{Either, Protocol, Values};
use crate::slow_start::Kind;
use crate::{CongestionControl, Connection, Guest};

/// What a module made, as the state of its row: the only one, or one of two.
macro_rules! made {
    ($law:expr, $only:ident) => {
        Algorithm::$only($law)
    };
    ($law:expr, $first:ident, $second:ident) => {
        match $law {
            Either::First(law) => Algorithm::$first(law),
            Either::Second(law) => Algorithm::$second(law),
        }
    };
}

/// One row per protocol: its module (which holds the description, `PROTOCOL`, and makes a state, `build`), then the states its variants need.
/// The list itself is `algorithms::registered`.
macro_rules! protocols {
    ($($module:ident: $($state:ident($type:ty)),+;)+) => {
        /// The state of any registered algorithm. With a tag of its own: read from a spare value of some law's state it would take
        /// longer, and lie apart from the rest.
        #[derive(Clone, Debug)]
        #[repr(u8)]
        #[allow(non_camel_case_types)]
        pub enum Algorithm {
            $($(#[doc = concat!("A state of `", stringify!($module), "`.")] $state($type),)+)+
            /// A state of a law from outside.
            Guest(Guest),
        }

        /// Every registered protocol.
        pub static PROTOCOLS: &[&Protocol] = &[$(&$module::PROTOCOL),+];

        macro_rules! dispatch {
            ($me:expr, $law:ident => $call:expr) => { match $me {
                $($(Algorithm::$state($law) => $call,)+)+
                Algorithm::Guest($law) => $call,
            } };
        }

        impl Algorithm {
            /// The state of a new connection.
            pub(crate) fn new(values: &Values) -> Algorithm {
                let wanted = values.protocol.name;
                $(if wanted == $module::PROTOCOL.name {
                    return made!($module::build(values), $($state),+);
                })+
                unreachable!("{wanted} has no row")
            }

            /// The slow start of the law unless another is asked for; none when it has one of its own.
            pub(crate) fn slow_start(&self) -> Option<Kind> {
                dispatch!(self, law => law.slow_start())
            }

            /// The smallest RTT known; none while samples do not show the path.
            pub(crate) fn path_rtt(&self, c: &Connection) -> Option<Duration> {
                dispatch!(self, law => law.path_rtt(c))
            }
        }
    };
}

/// Brings the list's rows into one form: a module that is one word is a law with one state, `State`.
macro_rules! rows {
    ([$($done:tt)*]) => {
        protocols! { $($done)* }
    };
    ([$($done:tt)*] $module:ident; $($rest:tt)*) => {
        rows! { [$($done)* $module: $module($module::State);] $($rest)* }
    };
    ([$($done:tt)*] $module:ident: $($state:ident($type:ty)),+; $($rest:tt)*) => {
        rows! { [$($done)* $module: $($state($type)),+;] $($rest)* }
    };
}

macro_rules! listed {
    ($($list:tt)*) => { rows! { [] $($list)* } };
}

registered!(listed);

pub(crate) use dispatch;
