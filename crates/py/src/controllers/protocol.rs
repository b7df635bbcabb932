//! A class as a protocol: what it declares, and its instances.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use cc::{Control, EcnFeedback, GuestLaw, GuestParameter, GuestProtocol, Guests, Needs, RttSamples};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::compiled::{CompiledInstance, Native, Place};
use super::law::{Law, Shape};
use super::watched::Watched;

/// What `windtunnel.controllers` says of a class that it has checked.
#[derive(FromPyObject)]
pub(crate) struct Described {
    /// Makes an instance of a list of values, one per parameter.
    #[pyo3(item)]
    make: PyObject,
    #[pyo3(item)]
    name: String,
    #[pyo3(item)]
    variant: String,
    /// Name, unit, line, default, smallest, largest, whether whole.
    #[pyo3(item)]
    parameters: Vec<(String, String, String, f64, f64, f64, bool)>,
    #[pyo3(item)]
    variables: Vec<String>,
    /// The hooks that the class has.
    #[pyo3(item)]
    hooks: Vec<String>,
    /// `control`, `ahead`, `rtt_samples`, `ecn`, and the two switches.
    #[pyo3(item)]
    needs: (String, u32, String, Option<String>, bool, bool),
    /// Of a class whose hooks are compiled.
    #[pyo3(item)]
    compiled: Option<Code>,
}

impl Described {
    /// Whether its hooks need the interpreter's lock.
    pub(crate) fn needs_lock(&self) -> bool {
        self.compiled.is_none()
    }
}

/// The compiled hooks of a class.
#[derive(FromPyObject)]
struct Code {
    /// Names and addresses.
    #[pyo3(item)]
    hooks: Vec<(String, usize)>,
    /// The words of an instance.
    #[pyo3(item)]
    packed: PyObject,
    /// An instance of words.
    #[pyo3(item)]
    restored: PyObject,
    /// Of each variable: its word, whether it is a float, whether it may be unknown.
    #[pyo3(item)]
    variables: Vec<(usize, bool, bool)>,
    /// What keeps the code in memory.
    #[pyo3(item)]
    kept: PyObject,
}

/// A class.
#[derive(Debug)]
pub(crate) struct Class {
    make: PyObject,
    parameters: Vec<GuestParameter>,
    shape: Arc<Shape>,
    native: Option<Arc<Native>>,
}

/// Adds classes to the guests of a run, each under the name by which its scenario knows it.
pub(crate) fn seat(classes: Vec<(String, Described)>, watched: &Watched, guests: &mut Guests) -> PyResult<()> {
    for (name, described) in classes {
        guests.insert(&name, Arc::new(Class::new(described, watched.clone())?));
    }
    Ok(())
}

/// The text for as long as the program runs: the names of what classes declare, of which there are few.
fn interned(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeMap<String, &'static str>> = Mutex::new(BTreeMap::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    texts.entry(text.to_owned()).or_insert_with_key(|text| Box::leak(text.clone().into_boxed_str()))
}

impl Class {
    fn new(given: Described, watched: Watched) -> PyResult<Class> {
        let parameter =
            |(name, unit, doc, default, min, max, is_integer)| GuestParameter { name, unit, doc, default, min, max, is_integer };
        let variables: Vec<&'static str> = given.variables.iter().map(|name| interned(name)).collect();
        let shape = Shape {
            name: interned(&given.name),
            variant: interned(&given.variant),
            needs: needs(given.needs)?,
            variables: Box::leak(variables.into_boxed_slice()),
            hooks: given.hooks,
            watched,
        };
        let native = given.compiled.map(|code| native(code, &shape)).transpose()?;
        let parameters = given.parameters.into_iter().map(parameter).collect();
        Ok(Class { make: given.make, parameters, shape: Arc::new(shape), native: native.map(Arc::new) })
    }

    /// An instance with its hooks.
    fn instance(&self, py: Python<'_>, values: &[f64]) -> PyResult<Box<dyn GuestLaw>> {
        let instance = self.make.bind(py).call1((values.to_vec(),))?;
        Ok(match &self.native {
            Some(native) => Box::new(CompiledInstance::of(&self.shape, native, &instance)?),
            None => Box::new(Law::of(&self.shape, instance)?),
        })
    }
}

#[allow(unsafe_code)]
fn native(code: Code, shape: &Shape) -> PyResult<Native> {
    // SAFETY: `windtunnel.controllers.jit` compiles each hook with the header's types, and `kept` keeps the code.
    let hooks = unsafe { guest::Compiled::new(&code.hooks, shape.name, Arc::clone(&shape.watched.page)) }.map_err(PyValueError::new_err)?;
    let place = |(word, is_float, is_optional)| Place { word, is_float, is_optional };
    let variables = code.variables.into_iter().map(place).collect();
    Ok(Native { hooks, restored: code.restored, packed: code.packed, variables, _kept: code.kept })
}

fn needs(
    (control, ahead, rtt_samples, ecn, ack_arrivals, transport_rate): (String, u32, String, Option<String>, bool, bool),
) -> PyResult<Needs> {
    let unknown = |field: &str, value: &str| PyValueError::new_err(format!("needs.{field}: {value:?} is not known"));
    Ok(Needs {
        control: match control.as_str() {
            "window" => Control::Window,
            "paced-window" => Control::PacedWindow { ahead },
            "full" => Control::Full,
            "full-by-rate" => Control::FullByRate,
            "full-unpaced" => Control::FullUnpaced,
            other => return Err(unknown("control", other)),
        },
        rtt_samples: match rtt_samples.as_str() {
            "unused" => RttSamples::Unused,
            "by-stack" => RttSamples::ByStack,
            "exact" => RttSamples::Exact,
            other => return Err(unknown("rtt_samples", other)),
        },
        ecn: match ecn.as_deref() {
            None => None,
            Some("dctcp") => Some(EcnFeedback::Dctcp),
            Some("l4s") => Some(EcnFeedback::L4s),
            Some(other) => return Err(unknown("ecn", other)),
        },
        packets: false,
        ack_arrivals,
        transport_rate,
    })
}

impl GuestProtocol for Class {
    fn name(&self) -> &'static str {
        self.shape.name
    }

    fn variant(&self) -> &'static str {
        self.shape.variant
    }

    fn parameters(&self) -> &[GuestParameter] {
        &self.parameters
    }

    fn start(&self, values: &[f64]) -> Result<Box<dyn GuestLaw>, String> {
        Python::with_gil(|py| {
            self.instance(py, values).map_err(|error| {
                let what = format!("cannot start: {}", error.value(py));
                self.shape.watched.keep(error);
                what
            })
        })
    }

    fn for_another_run(&self) -> Arc<dyn GuestProtocol> {
        let make = Python::with_gil(|py| self.make.clone_ref(py));
        Arc::new(Class { make, parameters: self.parameters.clone(), shape: Arc::clone(&self.shape), native: self.native.clone() })
    }
}
