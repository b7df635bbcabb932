//! Hooks in memory: their states are words, kept as they were before each hook, and a hook that fails says so.
#![allow(unsafe_code)]

use std::ffi::c_void;

use cc::{CongestionControl, Connection, Needs, Window};
use guest::abi;
use guest::Compiled;

const KNOWN: usize = 2;

/// Adds what was acknowledged to the instance's only word; fails from the fourth segment on.
unsafe extern "C" fn on_acked(state: *mut c_void, w: *mut abi::Window, _: *const abi::Connection, acked: u32) {
    let words = state.cast::<u64>();
    // SAFETY: the state has one word of the instance, and one of what it was before.
    unsafe {
        *words.add(KNOWN + 1) = *words.add(KNOWN);
        *words.add(KNOWN) += u64::from(acked);
        (*w).cwnd += 1.0;
        *words = u64::from(*words.add(KNOWN) > 3);
    }
}

unsafe extern "C" fn ssthresh(_: *mut c_void, w: *mut abi::Window, _: *const abi::Connection) -> f64 {
    // SAFETY: the caller shows a window.
    unsafe { (*w).cwnd / 2.0 }
}

fn hooks() -> Vec<(String, usize)> {
    vec![("on_acked".into(), on_acked as *const () as usize), ("ssthresh".into(), ssthresh as *const () as usize)]
}

fn compiled(hooks: &[(String, usize)]) -> Result<Compiled, String> {
    // SAFETY: the functions above have the header's types.
    unsafe { Compiled::new(hooks, "mine", std::sync::Arc::default()) }
}

#[test]
fn a_state_is_words_that_are_kept_as_they_were() {
    let mut law = compiled(&hooks()).expect("two hooks").state(&[0], Needs::default());
    let (mut w, c) = (Window::new(10), Connection::new(1448));
    law.hooks().on_acked(&mut w, &c, 2);
    assert_eq!((w.cwnd, law.words(), law.words_before(), law.has_failed()), (11.0, &[2][..], &[0][..], false));
    assert_eq!(law.hooks().ssthresh(&mut w, &c), 5.5);
    let copy = law.copied();
    law.hooks().on_acked(&mut w, &c, 2);
    assert_eq!((law.words(), law.words_before(), law.has_failed()), (&[4][..], &[2][..], true));
    assert_eq!((copy.words(), copy.has_failed()), (&[2][..], false));
}

#[test]
fn a_table_that_is_none_is_refused() {
    let said = |hooks: &[(String, usize)]| compiled(hooks).expect_err("no table");
    assert_eq!(said(&[("on_asked".into(), 1)]), "on_asked is no hook");
    assert_eq!(said(&[("ssthresh".into(), 0)]), "ssthresh has no address");
    assert_eq!(said(&hooks()[..1]), "has no ssthresh");
}
