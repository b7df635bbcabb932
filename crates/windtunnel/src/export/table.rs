//! The table of an exported controller.
#![allow(unsafe_code)]

use std::ffi::{c_char, CString};
use std::mem::size_of;
use std::ptr;

use guest::abi::{self, Controller, ABI};

use super::{hooks, Exported, Parameter};

/// The table of a type, with the texts and lists that it points to.
#[derive(Debug)]
pub struct Table(&'static Controller);

// SAFETY: the table and what it points to is never written after it is made.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// The text as C has it, for as long as the library is loaded.
fn text(text: &str) -> *const c_char {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    Box::leak(text.into_boxed_c_str()).as_ptr()
}

fn parameter(given: &Parameter) -> abi::Parameter {
    abi::Parameter {
        name: text(given.name),
        unit: text(given.unit),
        doc: text(given.doc),
        value: given.default,
        min: given.min,
        max: given.max,
        is_integer: given.is_whole.into(),
        reserved: 0,
    }
}

impl Table {
    /// The table of a controller. It is made once per library.
    pub fn of<C: Exported>() -> Table {
        let defaults: Vec<f64> = C::PARAMETERS.iter().map(|parameter| parameter.default).collect();
        let parameters: Vec<abi::Parameter> = C::PARAMETERS.iter().map(parameter).collect();
        let variables: Vec<*const c_char> = C::start(&defaults).variable_names().iter().map(|name| text(name)).collect();
        Table(Box::leak(Box::new(Controller {
            abi: ABI,
            size: size_of::<Controller>() as u32,
            flags: 0,
            parameter_count: parameters.len() as u32,
            variable_count: variables.len() as u32,
            reserved: 0,
            name: text(C::NAME),
            summary: text(C::SUMMARY),
            parameters: parameters.leak().as_ptr(),
            variables: variables.leak().as_ptr(),
            load: None,
            create: Some(hooks::create::<C>),
            destroy: Some(hooks::destroy::<C>),
            clone: Some(hooks::clone::<C>),
            needs: Some(hooks::needs::<C>),
            on_seeded: Some(hooks::on_seeded::<C>),
            on_established: Some(hooks::on_established::<C>),
            on_rtt_sampled: Some(hooks::on_rtt_sampled::<C>),
            on_ack_arrived: Some(hooks::on_ack_arrived::<C>),
            on_segment_lost: Some(hooks::on_segment_lost::<C>),
            on_state_changed: Some(hooks::on_state_changed::<C>),
            on_acked: Some(hooks::on_acked::<C>),
            on_rate_sampled: Some(hooks::on_rate_sampled::<C>),
            holds_back: Some(hooks::holds_back::<C>),
            ssthresh: Some(hooks::ssthresh::<C>),
            undo: Some(hooks::undo::<C>),
            on_event: Some(hooks::on_event::<C>),
            pacing_rate: Some(hooks::pacing_rate::<C>),
            variables_now: Some(hooks::variables_now::<C>),
            on_plain_ack: Some(hooks::on_plain_ack::<C>),
            wants_packets: Some(hooks::wants_packets::<C>),
            on_packet_sent: Some(hooks::on_packet_sent::<C>),
            on_packet_acked: Some(hooks::on_packet_acked::<C>),
            on_packet_lost: Some(hooks::on_packet_lost::<C>),
        })))
    }

    /// The table for a simulator that speaks version `abi`; null for another version.
    pub fn answer(&self, abi: u32) -> *const Controller {
        if abi == ABI {
            self.0
        } else {
            ptr::null()
        }
    }
}
