//! The application of one end: s2n-quic's usual interface, polled.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use endpoint::{Fault, Role, State, Supply};
use s2n_quic::client::{Connect, ConnectionAttempt};
use s2n_quic::stream::{ReceiveStream, SendStream};
use s2n_quic::{Client, Connection, Server};

use crate::io::address;

/// The name that the client asks for, that of the certificate.
const SERVER: &str = "tunnel.invalid";

/// What is sent: zeros, again and again, without a copy.
static PAYLOAD: [u8; 65_536] = [0; 65_536];

/// The application of one end.
pub(crate) enum Application {
    Client(Sending),
    Server(Receiving),
}

/// It opens a stream and sends.
pub(crate) struct Sending {
    client: Client,
    attempt: Option<ConnectionAttempt>,
    connection: Option<Connection>,
    stream: Option<SendStream>,
    /// Bytes that it still has, and whether the stream ends behind them.
    left: u64,
    ends: bool,
    is_ended: bool,
    is_stopped: bool,
    is_finished: bool,
}

/// It takes what comes.
pub(crate) struct Receiving {
    server: Server,
    connection: Option<Connection>,
    stream: Option<ReceiveStream>,
    read: u64,
}

impl Application {
    pub(crate) fn client(client: Client) -> Application {
        let (attempt, connection, stream) = (None, None, None);
        let (ends, is_ended, is_stopped, is_finished) = (false, false, false, false);
        Application::Client(Sending { client, attempt, connection, stream, left: 0, ends, is_ended, is_stopped, is_finished })
    }

    pub(crate) fn server(server: Server) -> Application {
        Application::Server(Receiving { server, connection: None, stream: None, read: 0 })
    }

    pub(crate) fn role(&self) -> Role {
        if matches!(self, Application::Client(_)) {
            Role::Client
        } else {
            Role::Server
        }
    }

    pub(crate) fn connect(&mut self) -> Result<(), Fault> {
        let Application::Client(sending) = self else { return Err("a server opens no connection".into()) };
        sending.attempt = Some(sending.client.connect(Connect::new(address(Role::Server)).with_server_name(SERVER)));
        Ok(())
    }

    pub(crate) fn supply(&mut self, supply: Supply) {
        let Application::Client(sending) = self else { return };
        match supply {
            Supply::Endless => sending.left = u64::MAX,
            Supply::Bytes(bytes) => sending.left = sending.left.saturating_add(bytes),
            Supply::Last(bytes) => (sending.left, sending.ends) = (sending.left.saturating_add(bytes), true),
            Supply::Pause => sending.left = 0,
            Supply::Stop => {
                sending.is_stopped = true;
                if let Some(stream) = &mut sending.stream {
                    // What was finished and acknowledged before is closed.
                    let _ = stream.reset(0_u8.into());
                }
            }
        }
    }

    /// Does what it can; whether that was anything.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Result<bool, Fault> {
        match self {
            Application::Client(sending) => sending.poll(context),
            Application::Server(receiving) => receiving.poll(context),
        }
    }

    /// What it knows, beside what was said.
    pub(crate) fn state(&self, said: State) -> State {
        match self {
            Application::Client(sending) => State { is_connected: sending.connection.is_some(), is_finished: sending.is_finished, ..said },
            Application::Server(receiving) => State { is_connected: receiving.connection.is_some(), read_bytes: receiving.read, ..said },
        }
    }
}

impl Sending {
    fn poll(&mut self, context: &mut Context<'_>) -> Result<bool, Fault> {
        let mut moved = false;
        if let Some(attempt) = &mut self.attempt {
            let Poll::Ready(connected) = Pin::new(attempt).poll(context) else { return Ok(false) };
            self.connection = Some(connected.map_err(|error| error.to_string())?);
            self.attempt = None;
            moved = true;
        }
        if self.is_stopped {
            return Ok(moved);
        }
        let Some(connection) = &mut self.connection else { return Ok(moved) };
        if self.stream.is_none() {
            if self.left == 0 && !self.ends {
                return Ok(moved);
            }
            let Poll::Ready(stream) = connection.poll_open_send_stream(context) else { return Ok(moved) };
            self.stream = Some(stream.map_err(|error| error.to_string())?);
        }
        Ok(self.write(context)? | moved)
    }

    fn write(&mut self, context: &mut Context<'_>) -> Result<bool, Fault> {
        let Some(stream) = &mut self.stream else { return Ok(false) };
        let mut moved = false;
        while self.left > 0 {
            let Poll::Ready(room) = stream.poll_send_ready(context) else { return Ok(moved) };
            let most = (room.map_err(|error| error.to_string())? as u64).min(self.left).min(PAYLOAD.len() as u64) as usize;
            if most == 0 {
                return Ok(moved);
            }
            stream.send_data(Bytes::from_static(&PAYLOAD[..most])).map_err(|error| error.to_string())?;
            if self.left < u64::MAX {
                self.left -= most as u64;
            }
            moved = true;
        }
        if std::mem::take(&mut self.ends) {
            stream.finish().map_err(|error| error.to_string())?;
            (self.is_ended, moved) = (true, true);
        }
        if self.is_ended && !self.is_finished {
            if let Poll::Ready(closed) = stream.poll_close(context) {
                closed.map_err(|error| error.to_string())?;
                (self.is_finished, moved) = (true, true);
            }
        }
        Ok(moved)
    }
}

impl Receiving {
    fn poll(&mut self, context: &mut Context<'_>) -> Result<bool, Fault> {
        let mut moved = false;
        if self.connection.is_none() {
            let Poll::Ready(Some(connection)) = self.server.poll_accept(context) else { return Ok(false) };
            self.connection = Some(connection);
            moved = true;
        }
        let Some(connection) = &mut self.connection else { return Ok(moved) };
        if self.stream.is_none() {
            // A connection that its client has closed has no further streams.
            let Poll::Ready(Ok(Some(stream))) = connection.poll_accept_receive_stream(context) else { return Ok(moved) };
            self.stream = Some(stream);
            moved = true;
        }
        let Some(stream) = &mut self.stream else { return Ok(moved) };
        // Nothing follows a stream's end, or its reset.
        while let Poll::Ready(Ok(Some(bytes))) = stream.poll_receive(context) {
            self.read += bytes.len() as u64;
            moved = true;
        }
        Ok(moved)
    }
}
