//! The router's socket: AF_PACKET, for all devices of its namespace, with the kernel's time of each arrival.
#![allow(unsafe_code)]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::RawFd;
use std::time::Duration;

use thiserror::Error;

/// Packets taken or given at once.
const BATCH: usize = 64;
/// Bytes of a packet that is taken whole: more than any device's MTU here.
const LARGEST: usize = 9216;
const CONTROL: usize = 64;
/// No packet waits longer in the socket: its memory holds two seconds of 250 Mbit/s, and a machine that stands so long has no valid run.
const LONGEST_WAIT_NS: u64 = 10_000_000_000;

/// A device of the router, and an end of a flow behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the device.
    pub device: i32,
    /// Hardware address of the host.
    pub mac: [u8; 6],
    /// IPv4 address of the end: another flow's may be behind the same device.
    pub address: [u8; 4],
}

/// A packet that came.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// Number of the device.
    pub device: i32,
    /// When, nanoseconds of the monotonic clock.
    pub at_ns: u64,
    /// The IP packet.
    pub bytes: Vec<u8>,
}

/// What became of packets that were given to the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Taken.
    pub taken: usize,
    /// Refused, for want of memory.
    pub refused: usize,
}

/// The socket no longer works.
#[derive(Debug, Error)]
#[error("the router's socket: {what} failed: {why}")]
pub struct PortError {
    what: &'static str,
    why: io::Error,
}

fn failed(what: &'static str) -> PortError {
    PortError { what, why: io::Error::last_os_error() }
}

fn is_one_of(codes: &[i32]) -> bool {
    io::Error::last_os_error().raw_os_error().is_some_and(|code| codes.contains(&code))
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    // SAFETY: zero is a value of this type, and the call writes to it alone.
    let now = unsafe {
        let mut now: libc::timespec = zeroed();
        libc::clock_gettime(clock, &mut now);
        now
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The monotonic clock, nanoseconds.
pub fn now_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// An open AF_PACKET socket of kind SOCK_DGRAM for IPv4, which belongs to the caller; `stop` becomes readable, or its other end is closed, when all
/// is to end.
#[derive(Debug)]
pub struct Socket {
    fd: RawFd,
    stop: RawFd,
    buffers: Vec<u8>,
}

impl Socket {
    /// Makes the socket report arrival times.
    ///
    /// # Errors
    /// When it is no socket that can.
    pub fn new(fd: RawFd, stop: RawFd) -> Result<Socket, PortError> {
        let on: libc::c_int = 1;
        for (level, option) in [(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS), (libc::SOL_PACKET, libc::PACKET_QDISC_BYPASS)] {
            // SAFETY: the option's value is an int that lives during the call.
            let set = unsafe { libc::setsockopt(fd, level, option, (&raw const on).cast(), size_of::<libc::c_int>() as u32) };
            if set != 0 {
                return Err(failed("setting an option"));
            }
        }
        // SAFETY: the call takes two numbers. Timers of this thread fire when they are set to and not up to 50 us later.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
        Ok(Socket { fd, stop, buffers: vec![0; BATCH * LARGEST] })
    }

    /// Takes what has come, a batch at most; returns how many there were, those that were cut off among them, which `into` lacks.
    ///
    /// # Errors
    /// When the socket is broken.
    pub fn receive(&mut self, into: &mut Vec<Arrived>) -> Result<usize, PortError> {
        // Both clocks at once: a step of the real one moves no packet but those that came before it and were not taken.
        let (real, monotonic) = (clock_ns(libc::CLOCK_REALTIME), now_ns());
        let mut control = [[0u64; CONTROL / 8]; BATCH];
        // SAFETY: zero is a value of these types. Every pointer in a message is to memory of this function or of `self` that lives until it ends, and
        // lengths are those of that memory. The kernel says how much of it it wrote, and that alone is read.
        unsafe {
            let mut from: [libc::sockaddr_ll; BATCH] = zeroed();
            let mut parts: [libc::iovec; BATCH] = zeroed();
            let mut messages: [libc::mmsghdr; BATCH] = zeroed();
            for index in 0..BATCH {
                let buffer = &mut self.buffers[index * LARGEST..(index + 1) * LARGEST];
                parts[index] = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: LARGEST };
                let header = &mut messages[index].msg_hdr;
                header.msg_name = (&raw mut from[index]).cast();
                header.msg_namelen = size_of::<libc::sockaddr_ll>() as u32;
                header.msg_iov = &raw mut parts[index];
                header.msg_iovlen = 1;
                header.msg_control = control[index].as_mut_ptr().cast();
                header.msg_controllen = CONTROL as _;
            }
            let taken = libc::recvmmsg(self.fd, messages.as_mut_ptr(), BATCH as u32, libc::MSG_DONTWAIT as _, std::ptr::null_mut());
            if taken < 0 {
                let nothing = is_one_of(&[libc::EAGAIN, libc::EINTR, libc::ENETDOWN]);
                return if nothing { Ok(0) } else { Err(failed("receiving")) };
            }
            for index in 0..taken as usize {
                let (message, address) = (&messages[index], &from[index]);
                let length = message.msg_len as usize;
                if message.msg_hdr.msg_flags & libc::MSG_TRUNC != 0 || length > LARGEST {
                    continue;
                }
                let at_ns = stamp(&message.msg_hdr).map_or(monotonic, |stamped| came_at(monotonic, real, stamped));
                let bytes = self.buffers[index * LARGEST..index * LARGEST + length].to_vec();
                into.push(Arrived { device: address.sll_ifindex, at_ns, bytes });
            }
            Ok(taken as usize)
        }
    }

    /// Gives packets to the kernel, for the places beside them.
    ///
    /// # Errors
    /// When a device is gone, or the socket is broken.
    pub fn send(&mut self, packets: &[(Place, Vec<u8>)]) -> Result<Sent, PortError> {
        let mut sent = Sent::default();
        for batch in packets.chunks(BATCH) {
            self.send_batch(batch, &mut sent)?;
        }
        Ok(sent)
    }

    fn send_batch(&mut self, batch: &[(Place, Vec<u8>)], sent: &mut Sent) -> Result<(), PortError> {
        // SAFETY: as in `receive`; what is sent is only read.
        unsafe {
            let mut to: [libc::sockaddr_ll; BATCH] = zeroed();
            let mut parts: [libc::iovec; BATCH] = zeroed();
            let mut messages: [libc::mmsghdr; BATCH] = zeroed();
            for (index, (place, bytes)) in batch.iter().enumerate() {
                to[index].sll_family = libc::AF_PACKET as u16;
                to[index].sll_protocol = (libc::ETH_P_IP as u16).to_be();
                to[index].sll_ifindex = place.device;
                to[index].sll_halen = 6;
                to[index].sll_addr[..6].copy_from_slice(&place.mac);
                parts[index] = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
                let header = &mut messages[index].msg_hdr;
                header.msg_name = (&raw mut to[index]).cast();
                header.msg_namelen = size_of::<libc::sockaddr_ll>() as u32;
                header.msg_iov = &raw mut parts[index];
                header.msg_iovlen = 1;
            }
            let mut done = 0;
            while done < batch.len() {
                let taken = libc::sendmmsg(self.fd, messages.as_mut_ptr().add(done), (batch.len() - done) as u32, libc::MSG_DONTWAIT as _);
                if taken > 0 {
                    done += taken as usize;
                    sent.taken += taken as usize;
                } else if is_one_of(&[libc::ENOBUFS, libc::EAGAIN, libc::EINTR]) {
                    done += 1;
                    sent.refused += 1;
                } else {
                    return Err(failed("sending"));
                }
            }
        }
        Ok(())
    }

    /// Waits until a packet has come, or for so long; true if all is to end.
    ///
    /// # Errors
    /// When the socket is broken.
    pub fn wait(&mut self, most: Duration) -> Result<bool, PortError> {
        let look = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut looked = [look(self.fd), look(self.stop)];
        let timeout = libc::timespec { tv_sec: most.as_secs() as _, tv_nsec: most.subsec_nanos() as _ };
        // SAFETY: two descriptions of descriptors and a time that live during the call.
        let ready = unsafe { libc::ppoll(looked.as_mut_ptr(), 2, &timeout, std::ptr::null()) };
        if ready < 0 && !is_one_of(&[libc::EINTR]) {
            return Err(failed("waiting"));
        }
        Ok(ready > 0 && looked[1].revents != 0)
    }

    /// Packets that found no room in the socket since it was asked last.
    pub fn overflowed(&mut self) -> u64 {
        // SAFETY: the option's value is of this type, of which zero is a value; the length is its own.
        unsafe {
            let mut counted: libc::tpacket_stats = zeroed();
            let mut length = size_of::<libc::tpacket_stats>() as u32;
            libc::getsockopt(self.fd, libc::SOL_PACKET, libc::PACKET_STATISTICS, (&raw mut counted).cast(), &mut length);
            u64::from(counted.tp_drops)
        }
    }
}

/// The monotonic clock when a packet came, of both clocks now and the real one then. A stamp that lies ahead, or further behind than a packet ever
/// waits, is one from before a step of the real clock: the packet came now, as far as anybody knows.
fn came_at(monotonic: u64, real: u64, stamped: u64) -> u64 {
    let waited = real.checked_sub(stamped).filter(|&waited| waited < LONGEST_WAIT_NS).unwrap_or(0);
    monotonic.saturating_sub(waited)
}

/// The kernel's time of an arrival, nanoseconds of the real-time clock.
///
/// # Safety
/// The kernel has filled the message.
unsafe fn stamp(message: &libc::msghdr) -> Option<u64> {
    // SAFETY: the caller's.
    unsafe {
        let mut control = libc::CMSG_FIRSTHDR(message);
        while let Some(header) = control.as_ref() {
            if header.cmsg_level == libc::SOL_SOCKET && header.cmsg_type == libc::SCM_TIMESTAMPNS {
                let at = libc::CMSG_DATA(control).cast::<libc::timespec>().read_unaligned();
                return Some(at.tv_sec as u64 * 1_000_000_000 + at.tv_nsec as u64);
            }
            control = libc::CMSG_NXTHDR(message, control);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_step_of_the_real_clock_moves_no_packet_far() {
        let (monotonic, real) = (500 * SECOND, 1_700_000_000 * SECOND);
        assert_eq!(came_at(monotonic, real, real - 3_000_000), monotonic - 3_000_000);
        // Set back by an hour, and by a millisecond, and on by an hour, while a packet that came 3 ms ago was not yet taken.
        for step in [-3600 * SECOND as i64, -3_500_000, 3600 * SECOND as i64] {
            assert_eq!(came_at(monotonic, real.wrapping_add_signed(step), real - 3_000_000), monotonic, "by {step}");
        }
        // On by 2 ms: it seems to have come 2 ms sooner, which the router takes for the time of its last turn at the earliest.
        assert_eq!(came_at(monotonic, real + 2_000_000, real - 3_000_000), monotonic - 5_000_000);
        assert_eq!(came_at(SECOND, real, real - 3 * SECOND), 0);
    }
}
