//! s2n-quic as an endpoint: its own packets, recovery, pacing and controllers, the simulator's clock and network.
//!
//! s2n-quic hands its endpoint to a provider of input and output, which is `io` here; the application uses its usual interface, polled after everything that
//! happens.

mod application;
#[path = "../../common/rustls.rs"]
mod identity;
mod io;
mod listener;

use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use endpoint::{export_stack, Config, Ecn, Endpoint, Fault, Role, Stack, State, Supply};
use s2n_quic::provider::congestion_controller::{self, Bbr, Cubic};
use s2n_quic::provider::limits::Limits;
use s2n_quic::provider::tls;
use takeover::Taken;

use application::Application;
use io::{Driven, Incoming, Io, Outgoing};
use listener::Listener;

export_stack!(Taken<S2n>);

/// One end of a connection of s2n-quic's.
pub struct S2n {
    driven: Box<dyn Driven>,
    application: Application,
    outgoing: Outgoing,
    said: Arc<Mutex<State>>,
}

fn text(error: impl std::fmt::Display) -> Fault {
    error.to_string()
}

fn limits(config: &Config) -> Result<Limits, Fault> {
    let window = config.window_bytes.max(4 << 20);
    Limits::new()
        .with_data_window(window)
        .and_then(|limits| limits.with_unidirectional_data_window(window))
        .and_then(|limits| limits.with_max_send_buffer_size(u32::try_from(config.window_bytes).unwrap_or(u32::MAX)))
        .map_err(text)
}

/// The endpoint's two halves: what the network drives, and what the application holds.
fn opened<C: congestion_controller::Provider>(
    config: &Config,
    controller: C,
    said: &Arc<Mutex<State>>,
) -> Result<(Box<dyn Driven>, Application), Fault> {
    let (io, place) = Io::new(config)?;
    let listener = Listener::new(said);
    let protocols = vec![b"tunnel".to_vec()];
    let application = match config.role {
        Role::Client => {
            let mut tls = identity::client()?;
            tls.alpn_protocols = protocols;
            let builder = s2n_quic::Client::builder().with_tls(tls::rustls::Client::from(tls)).map_err(text)?;
            let builder = builder.with_io(io).map_err(text)?.with_limits(limits(config)?).map_err(text)?;
            let builder = builder.with_congestion_controller(controller).map_err(text)?.with_event(listener).map_err(text)?;
            Application::client(builder.start().map_err(text)?, config.streams)
        }
        Role::Server => {
            let mut tls = identity::server()?;
            tls.alpn_protocols = protocols;
            let builder = s2n_quic::Server::builder().with_tls(tls::rustls::Server::from(tls)).map_err(text)?;
            let builder = builder.with_io(io).map_err(text)?.with_limits(limits(config)?).map_err(text)?;
            let builder = builder.with_congestion_controller(controller).map_err(text)?.with_event(listener).map_err(text)?;
            Application::server(builder.start().map_err(text)?)
        }
    };
    let driven = place.lock().map_err(text)?.take().ok_or("was not started")?;
    Ok((driven, application))
}

impl Stack for S2n {
    const NAME: &'static str = "s2n-quic";
    const VERSION: &'static str = "1.91.0";
    const ALGORITHMS: &'static [&'static str] = &["cubic", "bbr"];

    fn open(config: &Config) -> Result<S2n, Fault> {
        let said = Arc::new(Mutex::new(State::default()));
        let (driven, application) = match config.algorithm.as_str() {
            "cubic" => opened(config, Cubic::default(), &said),
            "bbr" => opened(config, Bbr::default(), &said),
            other => Err(format!("has no controller {other:?}; choose one of {}", S2n::ALGORITHMS.join(", "))),
        }?;
        Ok(S2n { driven, application, outgoing: Outgoing::new(config.datagram_bytes, config.role), said })
    }
}

impl S2n {
    /// The application and the connection take turns until neither has anything for the other.
    fn settle(&mut self, now: Duration) -> Result<(), Fault> {
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let moved = self.application.poll(&mut context)?;
            let woken = self.driven.wakeups(&mut context, now);
            if !moved && !woken {
                return Ok(());
            }
        }
    }
}

impl Endpoint for S2n {
    fn connect(&mut self, now: Duration) -> Result<(), Fault> {
        self.application.connect()?;
        self.settle(now)
    }

    fn receive(&mut self, now: Duration, datagram: &[u8], ecn: Ecn) -> Result<(), Fault> {
        self.driven.receive(&mut Incoming::new(datagram, ecn, self.application.role()), now);
        self.settle(now)
    }

    fn wake(&mut self, now: Duration) -> Result<(), Fault> {
        self.settle(now)
    }

    fn supply(&mut self, now: Duration, supply: Supply) -> Result<(), Fault> {
        self.application.supply(supply);
        self.settle(now)
    }

    fn transmit(&mut self, now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        // Timers expire in here, too, and what they do may be the application's business.
        self.driven.transmit(&mut self.outgoing, now);
        let sent = self.outgoing.take(datagram)?;
        if sent.is_none() {
            self.settle(now)?;
            self.driven.transmit(&mut self.outgoing, now);
            return self.outgoing.take(datagram);
        }
        Ok(sent)
    }

    fn wake_at(&mut self) -> Option<Duration> {
        self.driven.timeout()
    }

    fn state(&mut self) -> State {
        let said = self.said.lock().map_or_else(|_| State::default(), |said| *said);
        self.application.state(said)
    }
}
