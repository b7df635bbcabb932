//! The application of one end: s2n-quic's usual interface, polled.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use endpoint::{Fault, Role, Shares, State, Supply};
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

/// It opens streams and sends.
pub(crate) struct Sending {
    client: Client,
    attempt: Option<ConnectionAttempt>,
    connection: Option<Connection>,
    /// One for each of its shares, as they are opened.
    streams: Vec<Writing>,
    shares: Shares,
    is_stopped: bool,
}

/// A stream that it sends on.
struct Writing {
    stream: SendStream,
    is_ended: bool,
    is_finished: bool,
}

/// It takes what comes.
pub(crate) struct Receiving {
    server: Server,
    connection: Option<Connection>,
    streams: Vec<ReceiveStream>,
    read: u64,
}

impl Application {
    /// That sends on so many streams.
    pub(crate) fn client(client: Client, streams: u32) -> Application {
        let shares = Shares::of(streams);
        Application::Client(Sending { client, attempt: None, connection: None, streams: Vec::new(), shares, is_stopped: false })
    }

    pub(crate) fn server(server: Server) -> Application {
        Application::Server(Receiving { server, connection: None, streams: Vec::new(), read: 0 })
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
        sending.shares.supply(supply);
        if supply == Supply::Stop {
            sending.is_stopped = true;
            for writing in &mut sending.streams {
                // What was finished and acknowledged before is closed.
                let _ = writing.stream.reset(0_u8.into());
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
            Application::Client(sending) => {
                State { is_connected: sending.connection.is_some(), is_finished: sending.is_finished(), ..said }
            }
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
        let mut idle = 0;
        while !self.is_stopped && idle < self.shares.streams() {
            let number = self.shares.turn();
            idle = if self.write_once(number, context)? { 0 } else { idle + 1 };
            moved |= idle == 0;
        }
        Ok(moved)
    }

    fn is_finished(&self) -> bool {
        self.streams.len() == self.shares.streams() && self.streams.iter().all(|writing| writing.is_finished)
    }

    /// Opens a stream, gives it a piece or its end, or learns that all of it is acknowledged; whether any of that happened.
    fn write_once(&mut self, number: usize, context: &mut Context<'_>) -> Result<bool, Fault> {
        let Some(connection) = &mut self.connection else { return Ok(false) };
        if self.shares.wants(number) && self.streams.len() <= number {
            // Their order is that of the shares: this one opens when all before it have.
            let Poll::Ready(stream) = connection.poll_open_send_stream(context) else { return Ok(false) };
            self.streams.push(Writing { stream: stream.map_err(|error| error.to_string())?, is_ended: false, is_finished: false });
            return Ok(true);
        }
        let Some(Writing { stream, is_ended, is_finished }) = self.streams.get_mut(number) else { return Ok(false) };
        if self.shares.left(number) > 0 {
            let Poll::Ready(room) = stream.poll_send_ready(context) else { return Ok(false) };
            let room = room.map_err(|error| error.to_string())? as u64;
            let most = room.min(self.shares.left(number)).min(PAYLOAD.len() as u64) as usize;
            if most == 0 {
                return Ok(false);
            }
            stream.send_data(Bytes::from_static(&PAYLOAD[..most])).map_err(|error| error.to_string())?;
            self.shares.took(number, most as u64);
            return Ok(true);
        }
        if self.shares.ends(number) {
            self.shares.ended(number);
            stream.finish().map_err(|error| error.to_string())?;
            *is_ended = true;
            return Ok(true);
        }
        if *is_ended && !*is_finished {
            if let Poll::Ready(closed) = stream.poll_close(context) {
                closed.map_err(|error| error.to_string())?;
                *is_finished = true;
                return Ok(true);
            }
        }
        Ok(false)
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
        // A connection that its client has closed has no further streams.
        while let Poll::Ready(Ok(Some(stream))) = connection.poll_accept_receive_stream(context) {
            self.streams.push(stream);
            moved = true;
        }
        for stream in &mut self.streams {
            // Nothing follows a stream's end, or its reset.
            while let Poll::Ready(Ok(Some(bytes))) = stream.poll_receive(context) {
                self.read += bytes.len() as u64;
                moved = true;
            }
        }
        Ok(moved)
    }
}
