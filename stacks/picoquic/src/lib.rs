//! picoquic as an endpoint: its own packets, recovery, pacing and controllers, the simulator's clock and network.
//!
//! It is compiled from a folder that the user names (`build.rs`), unmodified, and used by its C interface (`c/end.c`). Each call of it is given the time, in
//! microseconds, so that its clock need not be taken over; its randomness is the run's by its own table of providers.

mod application;
mod end;

use std::ffi::CString;
use std::time::Duration;

use application::{stream, Application};
use end::{End, Open, Said};
use endpoint::{export_stack, to_nobody, Config, Ecn, Endpoint, Fault, Role, Shares, Stack, State, Supply};

export_stack!(Picoquic);

static CERTIFICATE: &[u8] = include_bytes!("../../common/certificate.der");
static KEY: &[u8] = include_bytes!("../../common/key.der");

/// picoquic's largest datagram (`PICOQUIC_MAX_PACKET_SIZE`), bytes.
const MAX_BYTES: usize = 1536;

/// "Not said", "never".
const NONE: u64 = u64::MAX;

/// One end of a connection of picoquic's.
pub struct Picoquic {
    end: *mut End,
    /// What `end` points to as well.
    application: Box<Application>,
    ecn: Ecn,
    now: u64,
    is_connected: bool,
    is_stopped: bool,
    is_client: bool,
}

/// A file as OpenSSL reads it (RFC 7468).
fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = format!("-----BEGIN {label}-----\n").into_bytes();
    for line in der.chunks(48) {
        for three in line.chunks(3) {
            let word = three.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - three.len()));
            for at in 0..4 {
                text.push(if at <= three.len() { LETTERS[(word >> (18 - 6 * at) & 63) as usize] } else { b'=' });
            }
        }
        text.push(b'\n');
    }
    text.extend_from_slice(format!("-----END {label}-----\n").as_bytes());
    text
}

/// picoquic's own name of a controller.
fn own(algorithm: &str) -> &str {
    if algorithm == "reno" {
        "newreno"
    } else {
        algorithm
    }
}

fn micros(now: Duration) -> u64 {
    now.as_micros() as u64
}

impl Stack for Picoquic {
    const NAME: &'static str = "picoquic";
    const VERSION: &'static str = env!("PICOQUIC_VERSION");
    const ALGORITHMS: &'static [&'static str] = &["cubic", "reno", "bbr", "bbr1", "dcubic", "fast", "prague", "c4"];

    fn open(given: &Config) -> Result<Picoquic, Fault> {
        if !Picoquic::ALGORITHMS.contains(&given.algorithm.as_str()) {
            return Err(format!("has no controller {:?}; choose one of {}", given.algorithm, Picoquic::ALGORITHMS.join(", ")));
        }
        endpoint::draws::begin(given.seed);
        let mut application = Box::new(Application { shares: Shares::of(given.streams), read: 0, finished: 0 });
        let algorithm = CString::new(own(&given.algorithm)).map_err(|error| error.to_string())?;
        let (certificate, key) = (pem("CERTIFICATE", CERTIFICATE), pem("PRIVATE KEY", KEY));
        let open = Open {
            algorithm: algorithm.as_ptr(),
            certificate: certificate.as_ptr(),
            certificate_bytes: certificate.len(),
            key: key.as_ptr(),
            key_bytes: key.len(),
            seed: given.seed,
            window_bytes: given.window_bytes,
            datagram_bytes: given.datagram_bytes.min(MAX_BYTES as u16).into(),
            is_server: (given.role == Role::Server).into(),
            application: (&raw mut *application).cast(),
        };
        // SAFETY: what it points to lives during the call, the application as long as the end.
        let (end, ecn) = unsafe { (end::windtunnel_end_open(&open), end::windtunnel_end_ecn(algorithm.as_ptr())) };
        if end.is_null() {
            return Err("cannot be opened".into());
        }
        let is_client = given.role == Role::Client;
        Ok(Picoquic { end, application, ecn: Ecn::from_bits(ecn), now: 0, is_connected: false, is_stopped: false, is_client })
    }
}

impl Drop for Picoquic {
    fn drop(&mut self) {
        // SAFETY: it was opened, and is used no more.
        unsafe { end::windtunnel_end_close(self.end) }
    }
}

impl Picoquic {
    fn is_finished(&self) -> bool {
        self.is_client && self.application.finished == self.application.shares.streams()
    }

    fn said(&mut self) -> Said {
        let mut said = Said::default();
        // SAFETY: as all calls below: the end is this one's.
        unsafe { end::windtunnel_end_state(self.end, &mut said) };
        said
    }

    /// After anything that changes a connection: it may be complete, or gone.
    fn settle(&mut self) -> Result<(), Fault> {
        let said = self.said();
        if said.is_gone == 1 && !self.is_stopped && !self.is_finished() && self.is_client {
            return Err(format!("connection lost: error {:#x} here, {:#x} of the peer", said.local_error, said.remote_error));
        }
        if said.is_connected == 1 && !self.is_connected {
            self.is_connected = true;
            self.offer()?;
        }
        Ok(())
    }

    /// Says which streams have something to send.
    fn offer(&mut self) -> Result<(), Fault> {
        if !self.is_connected || self.is_stopped || !self.is_client {
            return Ok(());
        }
        for number in (0..self.application.shares.streams()).filter(|&number| self.application.shares.wants(number)) {
            // SAFETY: as above.
            let error = unsafe { end::windtunnel_end_wants(self.end, self.now, stream(number)) };
            if error != 0 {
                return Err(format!("gives no stream: error {error:#x}"));
            }
        }
        Ok(())
    }
}

impl Endpoint for Picoquic {
    fn connect(&mut self, now: Duration) -> Result<(), Fault> {
        self.now = micros(now);
        // SAFETY: as above.
        match unsafe { end::windtunnel_end_connect(self.end, self.now) } {
            0 => Ok(()),
            error => Err(format!("opens no connection: error {error:#x}")),
        }
    }

    fn receive(&mut self, now: Duration, datagram: &[u8], ecn: Ecn) -> Result<(), Fault> {
        self.now = micros(now);
        // SAFETY: the datagram lives during the call. What it makes of one that is none for it is its own affair: its event loop goes on, too.
        let _ = unsafe { end::windtunnel_end_receive(self.end, self.now, datagram.as_ptr(), datagram.len(), ecn as u8) };
        self.settle()
    }

    fn wake(&mut self, now: Duration) -> Result<(), Fault> {
        self.now = micros(now);
        self.settle()
    }

    fn supply(&mut self, now: Duration, supply: Supply) -> Result<(), Fault> {
        self.now = micros(now);
        self.application.shares.supply(supply);
        if supply == Supply::Stop {
            self.is_stopped = true;
            for number in 0..self.application.shares.streams() {
                // SAFETY: as above.
                unsafe { end::windtunnel_end_reset(self.end, self.now, stream(number)) };
            }
        }
        self.offer()
    }

    fn transmit(&mut self, now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        self.now = micros(now);
        datagram.resize(MAX_BYTES, 0);
        // SAFETY: it writes as many bytes as it is told at most.
        let length = unsafe { end::windtunnel_end_transmit(self.end, self.now, datagram.as_mut_ptr(), datagram.len()) };
        match length {
            0.. => {}
            end::NOBODY => return Err(to_nobody("another port")),
            _ => return Err("prepares no packet".into()),
        }
        datagram.truncate(length as usize);
        self.settle()?;
        Ok((length > 0).then_some(self.ecn))
    }

    fn wake_at(&mut self) -> Option<Duration> {
        // SAFETY: as above.
        let at = unsafe { end::windtunnel_end_wake_at(self.end, self.now) };
        (at != NONE).then(|| Duration::from_micros(at))
    }

    fn state(&mut self) -> State {
        let said = self.said();
        let known = |value: u64| (value != NONE).then_some(value);
        State {
            window_bytes: known(said.window_bytes),
            srtt: known(said.srtt_us).map(Duration::from_micros),
            min_rtt: known(said.min_rtt_us).map(Duration::from_micros),
            in_flight_bytes: known(said.in_flight_bytes),
            pacing_bps: known(said.pacing_bps),
            datagram_bytes: known(said.datagram_bytes),
            lost_packets: said.lost_packets,
            read_bytes: self.application.read,
            is_connected: self.is_connected,
            is_finished: self.is_finished(),
            ..State::default()
        }
    }
}
