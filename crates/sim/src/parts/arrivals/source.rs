//! A source of transfers: when the next one begins, and what it is like.

use units::Time;

use super::birth::Birth;
use super::poisson::Poisson;
use super::session::Session;

/// What the end of a transfer means to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    /// Nothing.
    Unheeded,
    /// Another transfer may follow.
    Object,
    /// The page is complete.
    Page,
}

/// An open or a closed loop.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Open: transfers come whatever becomes of those before.
    Poisson(Poisson),
    /// Closed: one session.
    Session(Session),
}

impl Source {
    /// When the engine must ask for the next transfer.
    pub(crate) fn next_at(&self) -> Time {
        match self {
            Source::Poisson(poisson) => poisson.next_at(),
            Source::Session(session) => session.next_at(),
        }
    }

    /// The next transfer begins.
    pub(crate) fn next_transfer(&mut self) -> Birth {
        match self {
            Source::Poisson(poisson) => poisson.next_transfer(),
            Source::Session(session) => session.next_transfer(),
        }
    }

    /// A transfer is complete at `now` in its flow's clock.
    pub(crate) fn on_completed(&mut self, now: Time) -> Completion {
        match self {
            Source::Poisson(_) => Completion::Unheeded,
            Source::Session(session) => {
                if session.on_completed(now) {
                    Completion::Page
                } else {
                    Completion::Object
                }
            }
        }
    }
}
