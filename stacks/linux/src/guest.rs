//! One guest: its process, and the socket on which it waits.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::io::{Error, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use endpoint::{Config, Fault, Role};

use crate::place::Place;
use crate::wire::{Order, Said, Segment, What, SEGMENTS};

/// The guest's number of its socket, the same in each: its command line goes into its entropy.
const CHANNEL: RawFd = 100;
/// Its wall clock at its start, seconds since 1970.
const EPOCH_S: u64 = 1_700_000_000;
const MEMORY_BYTES: u64 = 192 << 20;
const MEMORY_GRAIN_BYTES: u64 = 64 << 20;

/// A running guest; it ends with this.
pub struct Guest {
    child: Child,
    console: Option<ChildStdout>,
    channel: OwnedFd,
    buffer: Box<Message>,
}

/// Room for the longest message.
#[repr(C)]
struct Message {
    head: Said,
    segments: [Segment; SEGMENTS],
}

fn failed(what: &str) -> Fault {
    format!("{what}: {}", Error::last_os_error())
}

impl Guest {
    /// Starts the kernel of this place for one end of a connection.
    pub fn start(place: &Place, given: &Config) -> Result<Guest, Fault> {
        let mut pair: [RawFd; 2] = [-1; 2];
        // SAFETY: two numbers are written where there is room for them; then they are owned here.
        let (channel, its) = unsafe {
            if libc::socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0, pair.as_mut_ptr()) < 0 {
                return Err(failed("a socket for a guest"));
            }
            (OwnedFd::from_raw_fd(pair[0]), OwnedFd::from_raw_fd(pair[1]))
        };
        let seed = given.seed ^ if given.role == Role::Server { 0x9e37_79b9_7f4a_7c15 } else { 0 };
        let memory = (MEMORY_BYTES + 2 * given.window_bytes).next_multiple_of(MEMORY_GRAIN_BYTES) >> 20;
        let mut command = Command::new(&place.kernel);
        command
            .arg0("linux")
            .args([&format!("mem={memory}M"), "root=none", "con=null", "con0=null,fd:1", "ssl=null", "quiet", "panic=-1"])
            // It leaves no folder of its own: there is none under a file.
            .args(["uml_dir=/dev/null/", "time-travel=inf-cpu", &format!("time-travel-start={EPOCH_S}000000000")])
            .arg(format!("windtunnel={CHANNEL}"))
            .env_clear()
            .env("UML_SEED", seed.to_string())
            .env("TMPDIR", memory_folder())
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let number = its.as_raw_fd();
        // SAFETY: nothing but system calls between fork and exec.
        unsafe { command.pre_exec(move || contain(number)) };
        let mut child = command.spawn().map_err(|error| format!("cannot start {}: {error}", place.kernel.display()))?;
        let console = child.stdout.take();
        // SAFETY: all numbers, for which zero is a value.
        let buffer = unsafe { Box::<Message>::new_zeroed().assume_init() };
        Ok(Guest { child, console, channel, buffer })
    }

    fn send(&mut self, parts: &[&[u8]]) -> Result<(), Fault> {
        let vectors: Vec<libc::iovec> =
            parts.iter().map(|part| libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() }).collect();
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        (message.msg_iov, message.msg_iovlen) = (vectors.as_ptr().cast_mut(), vectors.len());
        // SAFETY: the parts are there during the call, which only reads them.
        while unsafe { libc::sendmsg(self.channel.as_raw_fd(), &message, libc::MSG_NOSIGNAL) } < 0 {
            if Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                return Err(self.ended());
            }
        }
        Ok(())
    }

    /// Tells it what it is.
    pub fn tell<T>(&mut self, given: &T) -> Result<(), Fault> {
        self.send(&[bytes_of(given)])
    }

    /// Lets it go on until `at`, where a segment may arrive.
    pub fn order(&mut self, at: u64, what: What, bytes: u64, arriving: Option<&Segment>) -> Result<(), Fault> {
        let order = Order { at, bytes, what: what as u32, segments: arriving.is_some().into() };
        match arriving {
            Some(segment) => self.send(&[bytes_of(&order), bytes_of(segment)]),
            None => self.send(&[bytes_of(&order)]),
        }
    }

    /// Waits until it is idle; puts what has left behind `leaving`.
    pub fn hear(&mut self, leaving: &mut VecDeque<Segment>) -> Result<Said, Fault> {
        loop {
            let room = (&raw mut *self.buffer).cast();
            // SAFETY: there is so much room.
            let got = unsafe { libc::recv(self.channel.as_raw_fd(), room, size_of::<Message>(), 0) };
            if got < 0 && Error::last_os_error().raw_os_error() == Some(libc::EINTR) {
                continue;
            }
            let count = self.buffer.head.segments as usize;
            if got <= 0 || got as usize != size_of::<Said>() + count * size_of::<Segment>() {
                return Err(self.ended());
            }
            leaving.extend(&self.buffer.segments[..count]);
            if self.buffer.head.has_more == 0 {
                return Ok(self.buffer.head);
            }
        }
    }

    /// How a guest that does not answer ended, with what it said last.
    fn ended(&mut self) -> Fault {
        let how = match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            _ => {
                let _ = self.child.kill();
                self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
            }
        };
        let mut said = Vec::new();
        if let Some(mut console) = self.console.take() {
            let _ = console.read_to_end(&mut said);
        }
        let said = String::from_utf8_lossy(&said);
        let panic = said.lines().find(|line| line.contains("Kernel panic"));
        let last = panic.or_else(|| said.lines().rev().find(|line| !line.trim().is_empty())).unwrap_or("it said nothing");
        format!("the guest ended ({how}): {}", last.trim())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bytes_of<T>(value: &T) -> &[u8] {
    // SAFETY: the structures of the wire have no holes.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Where its memory lies: shared memory, where programs may be run from it and there is room.
fn memory_folder() -> &'static str {
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: a name that ends with zero, and room for the answer.
    let is_known = unsafe { libc::statvfs(c"/dev/shm".as_ptr(), found.as_mut_ptr()) } == 0;
    // SAFETY: written, or zero.
    let found = unsafe { found.assume_init() };
    let is_roomy = found.f_bavail.saturating_mul(found.f_frsize) >= 1 << 30;
    if is_known && is_roomy && found.f_flag & libc::ST_NOEXEC == 0 {
        "/dev/shm"
    } else {
        "/tmp"
    }
}

/// Between fork and exec: a session of its own, an end with the thread that started it, fixed addresses, no powers.
fn contain(channel: RawFd) -> std::io::Result<()> {
    // SAFETY: system calls with numbers alone.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setrlimit(libc::RLIMIT_CORE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
        libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        for capability in 0..64 {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if libc::dup2(channel, CHANNEL) < 0 {
            return Err(Error::last_os_error());
        }
    }
    Ok(())
}
