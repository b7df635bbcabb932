//! A shared library as a private copy of its own, and the table it exports.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_void, CStr, OsStr};
use std::fs;
use std::mem::{self, MaybeUninit};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::abi::{self, ABI};
use crate::error::GuestError;

/// The name of the function that every controller exports.
const ENTRY: &[u8] = b"windtunnel_controller\0";

/// A loaded library with its table. Its code and its globals are there as long as this is.
pub(crate) struct Copy {
    pub(crate) table: abi::Controller,
    /// None of a table in memory.
    library: Option<Library>,
}

// SAFETY: the table is plain data that points into the library; what it points to is code and constants. The header demands that a
// library works when calls come from different threads one after the other, and a copy is used by one run only, which is one thread.
unsafe impl Send for Copy {}
// SAFETY: as above.
unsafe impl Sync for Copy {}

/// A file that is gone when this is.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // The loader has mapped it: the name is not needed any more.
        let _ = fs::remove_file(&self.0);
    }
}

impl Copy {
    /// Loads a copy of the library at `at`, which is `file` to the user.
    pub(crate) fn load(at: &Path, file: &Path) -> Result<Copy, GuestError> {
        // The loader knows a library by its file: another file is another library, with globals of its own.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let place = Temporary(std::env::temp_dir().join(format!("windtunnel-{}-{number}.so", std::process::id())));
        fs::copy(at, &place.0).map_err(|error| GuestError::new(file, format!("cannot be copied to be loaded: {error}")))?;
        // SAFETY: whatever the library does as it is loaded, the user asked for it by name.
        let library = unsafe { Library::open(Some(place.0.as_os_str() as &OsStr), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|error| GuestError::new(file, said(&error.to_string(), &place.0)))?;
        let table = table(&library, file)?;
        Ok(Copy { table, library: Some(library) })
    }

    /// A table of functions that are in memory already.
    pub(crate) fn in_memory(table: abi::Controller) -> Copy {
        Copy { table, library: None }
    }

    /// Tells the library its parameters, and reads what the table says then.
    pub(crate) fn configure(&mut self, values: &[f64], file: &Path) -> Result<(), GuestError> {
        if let Some(load) = self.table.load {
            // SAFETY: one value per declared parameter, as the header says; a text of the library is valid as long as it is loaded.
            let wrong = unsafe { owned(load(values.as_ptr())) };
            if let Some(what) = wrong {
                return Err(GuestError::new(file, what));
            }
            if let Some(library) = &self.library {
                self.table = table(library, file)?;
            }
        }
        Ok(())
    }

    /// Sets a number that the library exports; answers whether it exports one of that name.
    pub(crate) fn set_number(&self, symbol: &str, value: i64) -> bool {
        let Some(library) = &self.library else { return false };
        let name = format!("{symbol}\0");
        // SAFETY: the one symbol that is asked for is a 64-bit integer of our own shim, and no hook runs now.
        unsafe {
            library.get::<*mut i64>(name.as_bytes()).is_ok_and(|number| {
                **number = value;
                true
            })
        }
    }
}

/// What the loader says, about the user's file instead of our copy.
fn said(error: &str, place: &Path) -> String {
    let text = error.replace(&format!("{}: ", place.display()), "").replace(&place.display().to_string(), "it");
    format!("cannot be loaded as a shared library: {text}")
}

/// The table of a library of our version.
fn table(library: &Library, file: &Path) -> Result<abi::Controller, GuestError> {
    type Entry = unsafe extern "C" fn(u32) -> *const abi::Controller;
    let wrong = |what: String| GuestError::new(file, what);
    // SAFETY: the function has the type that the header declares.
    let entry = unsafe { library.get::<Entry>(ENTRY) }
        .map_err(|_| wrong("exports no windtunnel_controller: it is a library of another program (see windtunnel.h)".into()))?;
    // SAFETY: as the header says, it takes a number and answers with a table or with nothing.
    let found = unsafe { entry(ABI) };
    if found.is_null() {
        return Err(wrong(format!("has no controller for version {ABI} of the interface: {}", refusal(library))));
    }
    // SAFETY: every table begins with its version and its size.
    let (version, size) = unsafe { ((*found).abi, (*found).size as usize) };
    if version != ABI {
        return Err(wrong(format!("speaks version {version} of the interface, this is version {ABI}: build it against this windtunnel.h")));
    }
    // SAFETY: as above.
    if let Some(what) = unsafe { unknown_hooks(found, size) } {
        return Err(wrong(what));
    }
    let mut table = MaybeUninit::<abi::Controller>::zeroed();
    let known = size.min(mem::size_of::<abi::Controller>());
    // SAFETY: `size` bytes belong to the table; what an older library does not have stays zero, which is none.
    unsafe {
        ptr::copy_nonoverlapping(found.cast::<u8>(), table.as_mut_ptr().cast::<u8>(), known);
        Ok(table.assume_init())
    }
}

/// The largest table of any version to come.
const TABLE_MAX: usize = 4096;
/// The smallest of this version: what came later was added to its end.
const TABLE_MIN: usize = mem::offset_of!(abi::Controller, on_plain_ack);

/// What is wrong with a table of that size: shorter than that of the interface's version ever was, or with hooks that came after us.
///
/// # Safety
/// So many bytes belong to the table.
unsafe fn unknown_hooks(table: *const abi::Controller, size: usize) -> Option<String> {
    let ours = mem::size_of::<abi::Controller>();
    if !(TABLE_MIN..=TABLE_MAX).contains(&size) {
        return Some(format!(
            "says that its table has {size} bytes; allowed: {TABLE_MIN} .. {TABLE_MAX}: its size is sizeof(struct wt_controller)"
        ));
    }
    // SAFETY: as the caller says.
    let more = unsafe { things(table.cast::<u8>().add(ours.min(size)), size.saturating_sub(ours) as u32) };
    more.iter().any(|&byte| byte != 0).then(|| {
        format!("was built against a newer windtunnel.h, and has a hook that this version does not know: its table has {size} bytes, ours {ours}")
    })
}

fn refusal(library: &Library) -> String {
    type Explanation = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: the function has the type that the header declares, and its text stays valid.
    let text = unsafe { library.get::<Explanation>(b"windtunnel_error\0").ok().and_then(|why| owned(why())) };
    text.unwrap_or_else(|| "it does not say why".into())
}

/// A text of the library; none for NULL.
///
/// # Safety
/// `text` is NULL or ends with a zero byte.
pub(crate) unsafe fn owned(text: *const c_char) -> Option<String> {
    // SAFETY: as the caller says.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// `count` things of the library from `at` on.
///
/// # Safety
/// They are there, or `count` is 0.
pub(crate) unsafe fn things<'a, T>(at: *const T, count: u32) -> &'a [T] {
    if count == 0 || at.is_null() {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(at, count as usize) }
}

/// A state of the library.
pub(crate) type State = *mut c_void;
