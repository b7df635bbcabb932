//! A controller in Rust as a shared library with the table of `windtunnel.h`, which the command line takes where it takes a name.
//!
//! ```
//! use windtunnel::{export, CongestionControl, Connection, Exported, Parameter, Window};
//!
//! #[derive(Clone, Debug)]
//! struct Gentle {
//!     kept: f64,
//! }
//!
//! impl CongestionControl for Gentle {
//!     fn on_acked(&mut self, w: &mut Window, _c: &Connection, acked: u32) {
//!         let left = w.slow_start_real(acked);
//!         w.cwnd += left / w.cwnd;
//!     }
//!
//!     fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
//!         (w.cwnd * self.kept).max(2.0)
//!     }
//! }
//!
//! impl Exported for Gentle {
//!     const NAME: &'static str = "gentle";
//!     const SUMMARY: &'static str = "Keeps three quarters of the window.";
//!     const PARAMETERS: &'static [Parameter] = &[Parameter::new("kept", 0.75, 0.1, 0.95).doc("What a loss leaves of the window.")];
//!
//!     fn start(values: &[f64]) -> Gentle {
//!         Gentle { kept: values[0] }
//!     }
//! }
//!
//! export!(Gentle);
//! ```
//!
//! The package says `crate-type = ["cdylib", "rlib"]` in `[lib]`; `cargo build --release` then makes the library, and
//! `windtunnel run --flow ./target/release/libNAME.so` runs it.

mod hooks;
mod parameter;
mod table;

use std::fmt::Debug;

use cc::CongestionControl;

pub use guest::abi::Controller;
pub use parameter::Parameter;
pub use table::Table;

/// What a controller says of itself to the command line.
pub trait Exported: CongestionControl + Clone + Debug + Send + 'static {
    /// What it is called: lowercase letters, digits, `-` and `_`.
    const NAME: &'static str;

    /// One line.
    const SUMMARY: &'static str = "";

    /// What the user may set.
    const PARAMETERS: &'static [Parameter] = &[];

    /// The controller of a new connection; `values` are in the order of the parameters, each within its range.
    fn start(values: &[f64]) -> Self;
}

/// Makes the package's shared library a controller of Windtunnel: exports `windtunnel_controller` for a type that is [`Exported`].
/// One per library.
#[macro_export]
macro_rules! export {
    ($controller:ty) => {
        /// The controller for a simulator that speaks version `abi` of `windtunnel.h`; null for another version.
        #[no_mangle]
        pub extern "C" fn windtunnel_controller(abi: u32) -> *const $crate::export::Controller {
            static TABLE: ::std::sync::OnceLock<$crate::export::Table> = ::std::sync::OnceLock::new();
            TABLE.get_or_init($crate::export::Table::of::<$controller>).answer(abi)
        }
    };
}
