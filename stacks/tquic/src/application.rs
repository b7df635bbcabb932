//! The application of one end, in the callbacks that tquic asks for, and where its datagrams wait.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;

use bytes::Bytes;
use endpoint::{Fault, Shares};
use tquic::{Connection, Error, PacketInfo, PacketSendHandler, Shutdown, TransportHandler};

/// What is sent: zeros, again and again, without a copy.
static PAYLOAD: [u8; 65_536] = [0; 65_536];

/// What an application is and knows.
pub(crate) struct Application {
    pub(crate) shares: Shares,
    streams: Vec<u64>,
    /// The first connection, by tquic's number.
    pub(crate) connection: Option<u64>,
    pub(crate) is_connected: bool,
    pub(crate) is_stopped: bool,
    pub(crate) read: u64,
    /// Streams of which all is acknowledged.
    finished: usize,
    pub(crate) fault: Option<Fault>,
}

impl Application {
    pub(crate) fn new(streams: u32) -> Application {
        Application {
            shares: Shares::of(streams),
            streams: Vec::new(),
            connection: None,
            is_connected: false,
            is_stopped: false,
            read: 0,
            finished: 0,
            fault: None,
        }
    }

    pub(crate) fn is_finished(&self) -> bool {
        !self.is_stopped && self.finished == self.shares.streams()
    }

    /// Gives the streams what they take, in turns, until none takes more.
    pub(crate) fn write(&mut self, connection: &mut Connection) {
        let mut idle = 0;
        while self.is_connected && !self.is_stopped && idle < self.shares.streams() {
            let number = self.shares.turn();
            match self.write_once(number, connection) {
                Ok(took) => idle = if took { 0 } else { idle + 1 },
                Err(error) => {
                    self.fault.get_or_insert(error.to_string());
                    return;
                }
            }
        }
    }

    /// Gives a stream a piece; whether it may take another.
    fn write_once(&mut self, number: usize, connection: &mut Connection) -> Result<bool, Error> {
        if !self.shares.wants(number) {
            return Ok(false);
        }
        while self.streams.len() <= number {
            // All of one urgency, and served in turns.
            self.streams.push(connection.stream_uni_new(0, true)?);
        }
        let (stream, left) = (self.streams[number], self.shares.left(number));
        let most = left.min(PAYLOAD.len() as u64) as usize;
        let is_last = self.shares.ends(number) && most as u64 == left;
        let written = match connection.stream_write(stream, Bytes::from_static(&PAYLOAD[..most]), is_last) {
            Ok(written) => written,
            Err(Error::Done) => 0,
            Err(error) => return Err(error),
        };
        self.shares.took(number, written as u64);
        if is_last && written == most {
            self.shares.ended(number);
        } else if written < most {
            connection.stream_want_write(stream, true)?;
        }
        Ok(written == most)
    }

    /// It writes no more, and what is not sent yet is not sent.
    pub(crate) fn stop(&mut self, connection: &mut Connection) {
        self.is_stopped = true;
        for &stream in &self.streams {
            // What was finished and acknowledged before is closed.
            let _ = connection.stream_shutdown(stream, Shutdown::Write, 0);
        }
    }
}

/// The callbacks.
pub(crate) struct Callbacks {
    application: Rc<RefCell<Application>>,
    /// Where the application reads to: it looks at nothing of it.
    read: Vec<u8>,
}

impl Callbacks {
    pub(crate) fn new(application: &Rc<RefCell<Application>>) -> Callbacks {
        Callbacks { application: Rc::clone(application), read: vec![0; 16_384] }
    }
}

impl TransportHandler for Callbacks {
    fn on_conn_created(&mut self, connection: &mut Connection) {
        self.application.borrow_mut().connection = connection.index();
    }

    fn on_conn_established(&mut self, connection: &mut Connection) {
        let mut application = self.application.borrow_mut();
        application.is_connected = true;
        if !connection.is_server() {
            application.write(connection);
        }
    }

    fn on_conn_closed(&mut self, connection: &mut Connection) {
        let mut application = self.application.borrow_mut();
        application.connection = None;
        if !application.is_stopped && !application.is_finished() {
            let why = connection.peer_error().or(connection.local_error()).map_or_else(
                || if connection.is_idle_timeout() { "idle".to_owned() } else { "no reason".to_owned() },
                |error| format!("error {:#x} {}", error.error_code, String::from_utf8_lossy(&error.reason)),
            );
            application.fault.get_or_insert(format!("connection lost: {why}"));
        }
    }

    fn on_stream_created(&mut self, _connection: &mut Connection, _stream: u64) {}

    fn on_stream_readable(&mut self, connection: &mut Connection, stream: u64) {
        // Until there is nothing now, it is read to its end, or was reset by the peer.
        while let Ok((bytes, is_last)) = connection.stream_read(stream, &mut self.read) {
            self.application.borrow_mut().read += bytes as u64;
            if is_last {
                return;
            }
        }
    }

    fn on_stream_writable(&mut self, connection: &mut Connection, stream: u64) {
        let _ = connection.stream_want_write(stream, false);
        self.application.borrow_mut().write(connection);
    }

    fn on_stream_closed(&mut self, connection: &mut Connection, _stream: u64) {
        if !connection.is_server() && !connection.is_closed() {
            self.application.borrow_mut().finished += 1;
        }
    }

    fn on_new_token(&mut self, _connection: &mut Connection, _token: Vec<u8>) {}
}

/// Where datagrams wait, with their destinations, until the engine takes them.
#[derive(Default)]
pub(crate) struct Outgoing {
    waiting: RefCell<VecDeque<(Vec<u8>, SocketAddr)>>,
    /// Memory of those that it has taken, for those that come.
    spare: RefCell<Vec<Vec<u8>>>,
}

impl Outgoing {
    /// The next datagram, put into `datagram`, and where it goes.
    pub(crate) fn take(&self, datagram: &mut Vec<u8>) -> Option<SocketAddr> {
        let (mut sent, to) = self.waiting.borrow_mut().pop_front()?;
        std::mem::swap(datagram, &mut sent);
        self.spare.borrow_mut().push(sent);
        Some(to)
    }
}

impl PacketSendHandler for Outgoing {
    fn on_packets_send(&self, packets: &[(Vec<u8>, PacketInfo)]) -> Result<usize, Error> {
        let mut waiting = self.waiting.borrow_mut();
        for (datagram, info) in packets {
            let mut own = self.spare.borrow_mut().pop().unwrap_or_default();
            own.clear();
            own.extend_from_slice(datagram);
            waiting.push_back((own, info.dst));
        }
        Ok(packets.len())
    }
}
