//! The core in a browser: texts go in, texts and columns come out, through the module's memory. This crate must never hold logic, know a page, or
//! what is drawn there.
//!
//! A page writes a scenario as JSON to the place that [`room`] answers, calls [`catalogue`], [`fill`] or [`run`], and reads a JSON text at
//! [`answer`], [`answer_bytes`] long. It is `{"ok": ...}`, or `{"error": {"field", "problem"}}`. The answer to [`run`] says where in memory the columns of its
//! frames lie, doubles of the machine's byte order; they stay there until the next call. A broken invariant ends the module: what it said is then at [`last_words`].
#![allow(unsafe_code)] // A name that a page can call is one that the linker must keep, and counts as unsafe.

mod asked;

use std::cell::RefCell;

use asked::Column;

/// What lies in memory between two calls.
#[derive(Default)]
struct Desk {
    question: Vec<u8>,
    answer: String,
    columns: Vec<Column>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
    static LAST_WORDS: RefCell<String> = RefCell::default();
}

/// Room for a question of so many bytes; returns where it is.
#[no_mangle]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    std::panic::set_hook(Box::new(|panic| LAST_WORDS.with_borrow_mut(|words| *words = panic.to_string())));
    DESK.with_borrow_mut(|desk| {
        desk.question = vec![0; bytes];
        desk.question.as_mut_ptr()
    })
}

/// Where the answer is.
#[no_mangle]
pub extern "C" fn answer() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.as_ptr())
}

/// Its length in bytes.
#[no_mangle]
pub extern "C" fn answer_bytes() -> usize {
    DESK.with_borrow(|desk| desk.answer.len())
}

/// Where the message of a panic is.
#[no_mangle]
pub extern "C" fn last_words() -> *const u8 {
    LAST_WORDS.with_borrow(|words| words.as_ptr())
}

/// Its length in bytes.
#[no_mangle]
pub extern "C" fn last_words_bytes() -> usize {
    LAST_WORDS.with_borrow(String::len)
}

/// What there is to choose from, `catalogue`, and what a scenario may say, `limits`. There is no question.
#[no_mangle]
pub extern "C" fn catalogue() {
    DESK.with_borrow_mut(|desk| desk.answer = asked::catalogue());
}

/// The question's scenario with every default filled in, what was adjusted, its digest, and the window of each flow's receiver.
#[no_mangle]
pub extern "C" fn fill() {
    DESK.with_borrow_mut(|desk| desk.answer = asked::fill(&desk.question));
}

/// Runs the question's scenario.
#[no_mangle]
pub extern "C" fn run() {
    DESK.with_borrow_mut(|desk| {
        desk.columns.clear();
        (desk.answer, desk.columns) = asked::run(&desk.question);
    });
}
