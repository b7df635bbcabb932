//! A library as a protocol: its description, checked when it is opened, and its states.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cc::{CongestionControl, Control, EcnFeedback, GuestLaw, GuestParameter, GuestProtocol, Needs, RttSamples};

use crate::abi;
use crate::error::GuestError;
use crate::law::{Law, Shared};
use crate::library::{owned, things, Copy, State};
use crate::page::{Hook, Page};

const PARAMETERS_MAX: u32 = 1000;
const VARIABLES_MAX: u32 = 1000;

/// What a file says of itself.
#[derive(Debug)]
struct Description {
    name: &'static str,
    summary: String,
    parameters: Vec<GuestParameter>,
    variables: &'static [&'static str],
    is_stateless: bool,
    needs: Needs,
}

/// A controller from a file. What it keeps in globals belongs to one run and one set of parameters: of the same protocol only one run
/// may use states at a time, and [`GuestProtocol::for_another_run`] makes one for the next.
pub struct Protocol {
    /// The library.
    at: PathBuf,
    /// What the user named.
    file: PathBuf,
    description: Arc<Description>,
    /// In place of what the module draws at random.
    pinned_draw: Option<i64>,
    /// Where its hooks say that they are called.
    page: Arc<Page>,
    /// What a scenario calls it, and its variant.
    known_as: Option<(&'static str, &'static str)>,
    /// A copy of the library per set of parameters, which are compared bit by bit.
    copies: Mutex<BTreeMap<Vec<u64>, Arc<Shared>>>,
}

impl std::fmt::Debug for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Protocol").field("file", &self.file).field("name", &self.description.name).finish_non_exhaustive()
    }
}

impl Protocol {
    /// The protocol of the library at `at`, which comes from `file`.
    pub(crate) fn of_library(at: &Path, file: &Path, page: Arc<Page>) -> Result<Protocol, GuestError> {
        page.enter(Hook::Load);
        let mut copy = Copy::load(at, file)?;
        let parameters = parameters(&copy.table).map_err(|what| GuestError::new(file, what))?;
        let defaults: Vec<f64> = parameters.iter().map(|parameter| parameter.default).collect();
        copy.configure(&defaults, file)?;
        let mut description = described(&copy.table, parameters).map_err(|what| GuestError::new(file, what))?;
        let shared = Shared { copy, file: file.display().to_string(), variables: description.variables, page: Arc::clone(&page) };
        // What it needs is asked of a state, and refused here if it makes no sense.
        description.needs = state(&Arc::new(shared), file, &defaults)?.needs();
        page.leave();
        Ok(Protocol {
            at: at.to_owned(),
            file: file.to_owned(),
            description: Arc::new(description),
            pinned_draw: None,
            page,
            known_as: None,
            copies: Mutex::default(),
        })
    }

    /// What the library says of itself in one line; empty when it says nothing.
    pub fn summary(&self) -> &str {
        &self.description.summary
    }

    /// What its states ask of the transport, with the defaults of its parameters.
    pub fn needs(&self) -> Needs {
        self.description.needs
    }

    /// The same under another name and variant: by them records tell it from others.
    #[must_use]
    pub fn known_as(self, name: &str, variant: &str) -> Protocol {
        Protocol { known_as: Some((interned(name.to_owned()), interned(variant.to_owned()))), copies: Mutex::default(), ..self }
    }

    /// Names of its variables.
    pub fn variables(&self) -> &'static [&'static str] {
        self.description.variables
    }

    /// The library that was opened: for a C file what was made of it.
    pub fn library(&self) -> &Path {
        &self.at
    }

    /// The same module of the kernel's dialect with every draw from a range replaced by this number: recordings tell what was drawn.
    #[must_use]
    pub fn with_pinned_draw(self, draw: i64) -> Protocol {
        Protocol { pinned_draw: Some(draw), copies: Mutex::default(), ..self }
    }

    fn shared(&self, copy: Copy) -> Shared {
        Shared { copy, file: self.file.display().to_string(), variables: self.description.variables, page: Arc::clone(&self.page) }
    }

    /// The run's copy of the library for these parameters.
    fn copy(&self, values: &[f64]) -> Result<Arc<Shared>, GuestError> {
        // Of a library without state outside its states one copy serves all.
        let key = if self.description.is_stateless { Vec::new() } else { values.iter().map(|value| value.to_bits()).collect() };
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = copies.get(&key) {
            return Ok(Arc::clone(shared));
        }
        self.page.enter(Hook::Load);
        let mut copy = Copy::load(&self.at, &self.file)?;
        if let Some(draw) = self.pinned_draw {
            if !copy.set_number("wt_kernel_pinned_draw", draw) {
                return Err(GuestError::new(&self.file, "draws nothing that can be replaced"));
            }
        }
        copy.configure(values, &self.file)?;
        let shared = Arc::new(self.shared(copy));
        copies.insert(key, Arc::clone(&shared));
        Ok(shared)
    }
}

/// A new state of a library that comes from `file`.
fn state(shared: &Arc<Shared>, file: &Path, values: &[f64]) -> Result<Law, GuestError> {
    let wrong = |what: &str| GuestError::new(file, what);
    let table = &shared.copy.table;
    let create = table.create.ok_or_else(|| wrong("its table has no create"))?;
    shared.page.enter(Hook::Create);
    // SAFETY: one value per declared parameter, as the header says.
    let state = unsafe { create(values.as_ptr()) };
    if state.is_null() {
        return Err(wrong("create answers NULL: it refuses to start"));
    }
    let mut asked = abi::Needs { control: 0, rtt_samples: 0, ack_arrivals: 0, transport_rate: 0, ecn: 0, ahead: 0 };
    if let Some(needs) = table.needs {
        // SAFETY: the state is what the library just made.
        unsafe { needs(state, &mut asked) }
    }
    let packets = wants_packets(shared, state);
    let law = |needs| Law::new(Arc::clone(shared), state, needs);
    match needed(table, asked) {
        Ok(needs) => Ok(law(Needs { packets, ..needs })),
        Err(what) => {
            drop(law(Needs::default()));
            Err(wrong(&what))
        }
    }
}

/// Whether a state is told of each packet: where it has a hook for it, unless it says no.
fn wants_packets(shared: &Shared, state: State) -> bool {
    let table = &shared.copy.table;
    let has_hook = table.on_packet_sent.is_some() || table.on_packet_acked.is_some() || table.on_packet_lost.is_some();
    let asks = |hook: unsafe extern "C" fn(*const c_void) -> u32| {
        shared.page.enter(Hook::WantsPackets);
        // SAFETY: the state is what the library just made.
        unsafe { hook(state) != 0 }
    };
    has_hook && table.wants_packets.is_none_or(asks)
}

impl GuestProtocol for Protocol {
    fn name(&self) -> &'static str {
        self.known_as.map_or(self.description.name, |(name, _)| name)
    }

    fn variant(&self) -> &'static str {
        self.known_as.map_or(cc::GUEST_VARIANT, |(_, variant)| variant)
    }

    fn parameters(&self) -> &[GuestParameter] {
        &self.description.parameters
    }

    fn start(&self, values: &[f64]) -> Result<Box<dyn GuestLaw>, String> {
        assert_eq!(values.len(), self.description.parameters.len(), "one value per parameter");
        let started = self.copy(values).and_then(|shared| state(&shared, &self.file, values));
        started.map(|law| Box::new(law) as Box<dyn GuestLaw>).map_err(|error| error.what)
    }

    fn for_another_run(&self) -> Arc<dyn GuestProtocol> {
        Arc::new(Protocol {
            at: self.at.clone(),
            file: self.file.clone(),
            description: Arc::clone(&self.description),
            pinned_draw: self.pinned_draw,
            page: Arc::clone(&self.page),
            known_as: self.known_as,
            copies: Mutex::default(),
        })
    }
}

/// The parameters that a table declares.
fn parameters(table: &abi::Controller) -> Result<Vec<GuestParameter>, String> {
    if table.parameter_count > PARAMETERS_MAX {
        return Err(format!("declares {} parameters; at most {PARAMETERS_MAX} are understood", table.parameter_count));
    }
    // SAFETY: the header says that so many stand there, with texts that end or are NULL.
    let declared = unsafe { things(table.parameters, table.parameter_count) };
    let mut found: Vec<GuestParameter> = Vec::with_capacity(declared.len());
    for given in declared {
        // SAFETY: as above.
        let (name, unit, doc) = unsafe { (owned(given.name), owned(given.unit), owned(given.doc)) };
        let name = name.filter(|name| is_name(name)).ok_or("declares a parameter without a name of letters, digits and '_'")?;
        if found.iter().any(|other| other.name == name) {
            return Err(format!("declares the parameter {name} twice"));
        }
        let (default, min, max) = (given.value, given.min, given.max);
        if !(min <= default && default <= max && min.is_finite() && max.is_finite()) {
            return Err(format!("parameter {name}: its default {default} is outside its range {min} .. {max}"));
        }
        let unit = unit.unwrap_or_else(|| "1".into());
        let is_integer = given.is_integer != 0;
        found.push(GuestParameter { name, unit, doc: doc.unwrap_or_default(), default, min, max, is_integer });
    }
    Ok(found)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// The rest of what a table says, once the library is configured.
fn described(table: &abi::Controller, parameters: Vec<GuestParameter>) -> Result<Description, String> {
    // SAFETY: texts of the table end or are NULL, and so many variables stand there as it says.
    let (name, summary) = unsafe { (owned(table.name), owned(table.summary)) };
    let name = name.filter(|name| is_name(name)).ok_or("its table has no name of letters, digits, '_' and '-'")?;
    let needed = [
        ("create", table.create.is_some()),
        ("destroy", table.destroy.is_some()),
        ("clone", table.clone.is_some()),
        ("ssthresh", table.ssthresh.is_some()),
        ("on_acked or on_rate_sampled", table.on_acked.is_some() || table.on_rate_sampled.is_some()),
    ];
    if let Some((missing, _)) = needed.into_iter().find(|(_, is_there)| !is_there) {
        return Err(format!("{name}: its table has no {missing}"));
    }
    if table.variable_count > VARIABLES_MAX || (table.variable_count > 0 && table.variables_now.is_none()) {
        return Err(format!("{name}: declares {} variables without variables_now, or too many", table.variable_count));
    }
    // SAFETY: as above.
    let variables: Vec<&'static str> = unsafe { things(table.variables, table.variable_count) }
        .iter()
        .map(|&text| unsafe { owned(text) }.filter(|name| is_name(name)).map(interned))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("{name}: a variable has no name of letters, digits and '_'"))?;
    Ok(Description {
        name: interned(name),
        summary: summary.unwrap_or_default(),
        parameters,
        variables: Box::leak(variables.into_boxed_slice()),
        is_stateless: table.flags & abi::STATELESS != 0,
        needs: Needs::default(),
    })
}

/// The text for as long as the program runs: the names of what a file holds, of which there are few.
pub(crate) fn interned(text: String) -> &'static str {
    static TEXTS: Mutex<BTreeMap<String, &'static str>> = Mutex::new(BTreeMap::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    texts.entry(text).or_insert_with_key(|text| Box::leak(text.clone().into_boxed_str()))
}

/// What a state asks for, as the transport understands it.
fn needed(table: &abi::Controller, asked: abi::Needs) -> Result<Needs, String> {
    let unknown = |field: &str, value: u32| format!("its needs are not understood: {field} is {value}");
    let control = match asked.control {
        0 => Control::Window,
        1 => Control::PacedWindow { ahead: asked.ahead },
        2 => Control::Full,
        3 => Control::FullByRate,
        4 => Control::FullUnpaced,
        other => return Err(unknown("control", other)),
    };
    let rtt_samples = match asked.rtt_samples {
        0 => RttSamples::Unused,
        1 => RttSamples::ByStack,
        2 => RttSamples::Exact,
        other => return Err(unknown("rtt_samples", other)),
    };
    let ecn = match asked.ecn {
        0 => None,
        1 => Some(EcnFeedback::Dctcp),
        2 => Some(EcnFeedback::L4s),
        other => return Err(unknown("ecn", other)),
    };
    let hook =
        if control.is_by_rate() { ("on_rate_sampled", table.on_rate_sampled.is_some()) } else { ("on_acked", table.on_acked.is_some()) };
    if !hook.1 {
        return Err(format!("its control is {control:?}, for which its table has no {}", hook.0));
    }
    let told = [
        ("rtt_samples", rtt_samples != RttSamples::Unused, "on_rtt_sampled", table.on_rtt_sampled.is_some()),
        ("ack_arrivals", asked.ack_arrivals != 0, "on_ack_arrived", table.on_ack_arrived.is_some()),
    ];
    if let Some((need, _, hook, _)) = told.into_iter().find(|&(_, is_asked, _, is_there)| is_asked && !is_there) {
        return Err(format!("it needs {need}, for which its table has no {hook}"));
    }
    let takes_both = !control.is_full() && table.on_plain_ack.is_some();
    Ok(Needs {
        control,
        rtt_samples: if takes_both { rtt_samples.with_acks() } else { rtt_samples },
        ack_arrivals: asked.ack_arrivals != 0,
        packets: false,
        transport_rate: asked.transport_rate != 0,
        ecn,
    })
}
