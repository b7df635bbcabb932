//! Hooks that were compiled in this process: a table of their addresses, and states whose words are the attributes of an instance.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_void};
use std::mem;
use std::sync::Arc;

use cc::Needs;

use crate::abi;
use crate::law::{Law, Shared};
use crate::library::{Copy, State};
use crate::page::Page;

/// Words before those of an instance: whether a hook failed, and how many words the instance has.
const KNOWN: usize = 2;

/// Hooks in memory, and what all their states share.
///
/// A state is `KNOWN + 2 n` words: whether a hook failed; `n`; the `n` words of the instance; and what they were before the hook that was
/// called last, which is kept to explain a failure. A hook that fails sets the first word, and answers anything.
pub struct Compiled {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled").field("file", &self.shared.file).finish_non_exhaustive()
    }
}

/// The hook at an address.
///
/// # Safety
/// `F` is a pointer to functions of the type of what is there.
unsafe fn hook_at<F>(address: usize) -> Option<F> {
    const { assert!(mem::size_of::<Option<F>>() == mem::size_of::<usize>()) };
    // SAFETY: a pointer to a function is an address, and none is zero; the caller promises the rest.
    unsafe { mem::transmute_copy::<usize, Option<F>>(&address) }
}

/// Sets the hook of that name.
macro_rules! set {
    ($table:ident, $name:ident, $address:ident: $($hook:ident),+) => {
        match $name {
            // SAFETY: the caller of `Compiled::new` says that the address is a function of the header's type for this hook.
            $(stringify!($hook) => $table.$hook = unsafe { hook_at($address) },)+
            other => return Err(format!("{other} is no hook")),
        }
    };
}

impl Compiled {
    /// The hooks at these addresses, of the controller that users know as `name`.
    ///
    /// # Errors
    /// When a name is no hook's, or an address is none.
    ///
    /// # Safety
    /// Each address is that of a function of the header's type for that hook, which takes states as they are described here, and stays
    /// where it is as long as this or a state is there.
    pub unsafe fn new(hooks: &[(String, usize)], name: &str, page: Arc<Page>) -> Result<Compiled, String> {
        let mut table = empty();
        for (hook, address) in hooks {
            let (hook, address) = (hook.as_str(), *address);
            if address == 0 {
                return Err(format!("{hook} has no address"));
            }
            set!(table, hook, address: on_seeded, on_established, on_rtt_sampled, on_ack_arrived, on_segment_lost, on_state_changed,
                on_acked, on_rate_sampled, holds_back, ssthresh, undo, on_event, pacing_rate);
        }
        if table.ssthresh.is_none() {
            return Err("has no ssthresh".into());
        }
        Ok(Compiled { shared: Arc::new(Shared { copy: Copy::in_memory(table), file: name.to_owned(), variables: &[], page }) })
    }

    /// A state with these words.
    pub fn state(&self, words: &[u64], needs: Needs) -> CompiledLaw {
        let mut block = vec![0; KNOWN];
        block[1] = words.len() as u64;
        block.extend(words.iter().chain(words));
        CompiledLaw(Law::new(Arc::clone(&self.shared), leaked(block), needs))
    }
}

/// A state whose hooks were compiled in this process.
#[derive(Debug)]
pub struct CompiledLaw(Law);

impl CompiledLaw {
    /// The hooks, called as those of any law from outside.
    #[inline]
    pub fn hooks(&mut self) -> &mut Law {
        &mut self.0
    }

    /// The same, for hooks that change nothing.
    #[inline]
    pub fn hooks_ref(&self) -> &Law {
        &self.0
    }

    /// Whether a hook has failed.
    #[inline]
    pub fn has_failed(&self) -> bool {
        // SAFETY: the first word of a state that `leaked` made; no other pointer to it exists.
        unsafe { *self.0.state().cast::<u64>() != 0 }
    }

    /// The instance's words.
    pub fn words(&self) -> &[u64] {
        let n = self.count();
        &self.block()[KNOWN..KNOWN + n]
    }

    /// What they were before the hook that was called last.
    pub fn words_before(&self) -> &[u64] {
        let n = self.count();
        &self.block()[KNOWN + n..]
    }

    /// An equal state.
    #[must_use]
    pub fn copied(&self) -> CompiledLaw {
        CompiledLaw(self.0.with_state(leaked(self.block().to_vec())))
    }

    fn count(&self) -> usize {
        // SAFETY: as above, the second word; hooks write behind it only.
        unsafe { *self.0.state().cast::<u64>().add(1) as usize }
    }

    fn block(&self) -> &[u64] {
        // SAFETY: so many words belong to the state.
        unsafe { std::slice::from_raw_parts(self.0.state().cast::<u64>(), KNOWN + 2 * self.count()) }
    }
}

fn leaked(block: Vec<u64>) -> State {
    Box::into_raw(block.into_boxed_slice()).cast::<c_void>()
}

/// Frees a state.
unsafe extern "C" fn destroy(state: State) {
    let words = state.cast::<u64>();
    // SAFETY: `leaked` made it of a box of so many words.
    unsafe {
        let all = KNOWN + 2 * *words.add(1) as usize;
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(words, all)));
    }
}

/// A table without hooks.
fn empty() -> abi::Controller {
    const NAME: &[u8] = b"compiled\0";
    // SAFETY: zero is what a table without hooks has everywhere: NULL, none, 0.
    let mut table: abi::Controller = unsafe { mem::zeroed() };
    table.abi = abi::ABI;
    table.size = mem::size_of::<abi::Controller>() as u32;
    table.name = NAME.as_ptr().cast::<c_char>();
    table.destroy = Some(destroy);
    table
}
