//! System calls: which bytes are written, and when the connection ends.

use crate::outcome::Stop;
use crate::script::Call;

/// Bytes of a write: no buffer takes more.
const WRITE_MAX: u64 = 1 << 30;
/// Fragments of a segment whose bytes are not copied (Linux `MAX_SKB_FRAGS`): more of them need more segments, which is not ours to know.
const FRAGMENTS_MAX: usize = 17;

/// What a call means for the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing.
    Nothing,
    /// Nothing, though what it returns tells of the stack: it is not judged.
    Answer,
    /// A socket of its own: the next connection is another.
    Socket,
    /// This many bytes are written, and end a record or do not.
    Write { bytes: u64, ends_record: bool, blocks: bool },
    /// The algorithm is this one from now on.
    Algorithm(String),
    /// No segment has more bytes (`TCP_MAXSEG`).
    Mss(u32),
    /// The stack says that segments have so many bytes (`TCP_MAXSEG`).
    MssTold(u32),
    /// A socket listens.
    Listen,
    /// A socket is closed, or shut down.
    Close,
}

/// What `call` means. `blocks`: it takes time to return.
pub(super) fn meaning(call: &Call, blocks: bool) -> Result<Meaning, Stop> {
    let refused = |what: String| Err(Stop::NotDrivable(what));
    let arg = |index: usize| call.args.get(index).map_or("", String::as_str);
    match call.name.as_str() {
        "socket" if !arg(1).contains("SOCK_STREAM") => refused("a socket that is no stream".into()),
        "socket" => Ok(Meaning::Socket),
        "bind" | "accept" | "connect" | "fcntl" | "read" | "recv" | "recvfrom" | "open" | "epoll_create" | "epoll_ctl" => {
            Ok(Meaning::Nothing)
        }
        "recvmsg" | "poll" | "epoll_wait" | "ioctl" => Ok(Meaning::Answer),
        "listen" => Ok(Meaning::Listen),
        "getsockopt" if matches!(arg(2), "SO_ERROR" | "SO_SNDBUF" | "SO_RCVBUF" | "TCP_NOTSENT_LOWAT") => Ok(Meaning::Nothing),
        "getsockopt" if arg(2) == "TCP_MAXSEG" => size(arg(2), arg(3), Meaning::MssTold),
        "getsockopt" if arg(2).starts_with("TCP_FASTOPEN") => Ok(Meaning::Nothing),
        "setsockopt" => option(arg(2), arg(3)),
        "write" | "writev" | "sendfile" => written(call, "0", blocks),
        "send" | "sendto" => written(call, arg(3), blocks),
        "sendmsg" => {
            let fragments = arg(1).matches("...,").count();
            if arg(2).contains("MSG_ZEROCOPY") && fragments > FRAGMENTS_MAX {
                return refused(format!("{fragments} fragments that are not copied"));
            }
            written(call, arg(2), blocks)
        }
        "shutdown" if arg(1) == "SHUT_RD" => Ok(Meaning::Nothing),
        "close" | "shutdown" => Ok(Meaning::Close),
        name => refused(format!("call {name}")),
    }
}

fn option(name: &str, value: &str) -> Result<Meaning, Stop> {
    match name {
        // A segment shorter than others leaves at once here with or without Nagle's rule.
        "SO_REUSEADDR" | "SO_SNDBUF" | "TCP_NODELAY" | "IP_TOS" | "IP_MTU_DISCOVER" | "SO_MARK" | "SO_LINGER" => Ok(Meaning::Nothing),
        // What an application is told, and how bytes come to the stack, not when they leave it.
        "SO_ZEROCOPY" | "SO_TIMESTAMPING" | "TCP_INQ" | "TCP_NOTSENT_LOWAT" => Ok(Meaning::Nothing),
        // Which data a SYN carries is in the script's own handshake.
        "TCP_FASTOPEN" | "TCP_FASTOPEN_CONNECT" | "TCP_FASTOPEN_KEY" | "TCP_FASTOPEN_NO_COOKIE" => Ok(Meaning::Nothing),
        // A number of another kernel's: no stack of ours has it, and it is not said whether the call succeeds.
        "24" => Ok(Meaning::Answer),
        "TCP_MAXSEG" => size(name, value, Meaning::Mss),
        "TCP_CONGESTION" => Ok(Meaning::Algorithm(value.trim_matches(['"', '[', ']']).to_owned())),
        _ => Err(Stop::NotDrivable(format!("setsockopt {name}"))),
    }
}

/// The bytes of a segment that an option says, `[1460]`.
fn size(name: &str, value: &str, meaning: fn(u32) -> Meaning) -> Result<Meaning, Stop> {
    let mss = value.trim_matches(['[', ']']).parse();
    mss.map_or_else(|_| Err(Stop::NotDrivable(format!("option {name} of {value}"))), |mss| Ok(meaning(mss)))
}

fn written(call: &Call, flags: &str, blocks: bool) -> Result<Meaning, Stop> {
    let mut ends_record = false;
    for flag in flags.split('|').map(str::trim) {
        match flag {
            "0" | "0x0" | "MSG_NOSIGNAL" | "MSG_DONTWAIT" | "MSG_ZEROCOPY" | "MSG_FASTOPEN" | "0x20000000" => {}
            "MSG_EOR" => ends_record = true,
            _ => return Err(Stop::NotDrivable(format!("{} with {flag}", call.name))),
        }
    }
    match call.result.parse::<i64>() {
        Ok(bytes) if bytes > WRITE_MAX as i64 => Err(Stop::NotDrivable(format!("{} of {bytes} bytes", call.name))),
        Ok(bytes) if bytes > 0 => Ok(Meaning::Write { bytes: bytes as u64, ends_record, blocks }),
        Ok(_) => Ok(Meaning::Nothing),
        Err(_) => Err(Stop::NotDrivable(format!("{} that returns {}", call.name, call.result))),
    }
}
