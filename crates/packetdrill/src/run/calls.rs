//! System calls: which bytes are written, and when the connection ends.

use crate::outcome::Stop;
use crate::script::Call;

/// Bytes of a write: no buffer takes more.
const WRITE_MAX: u64 = 1 << 30;

/// What a call means for the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing.
    Nothing,
    /// This many bytes are written.
    Write(u64),
    /// The algorithm is this one from now on.
    Algorithm(String),
    /// No segment has more bytes (`TCP_MAXSEG`).
    Mss(u32),
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
        "socket" | "bind" | "accept" | "connect" | "fcntl" | "read" | "recv" => Ok(Meaning::Nothing),
        "listen" => Ok(Meaning::Listen),
        "getsockopt" if matches!(arg(2), "SO_ERROR" | "SO_SNDBUF" | "SO_RCVBUF" | "TCP_MAXSEG") => Ok(Meaning::Nothing),
        "setsockopt" => option(arg(2), arg(3)),
        "write" => written(call, arg(2), "0", blocks),
        "send" | "sendto" => written(call, arg(2), arg(3), blocks),
        "close" | "shutdown" => Ok(Meaning::Close),
        name => refused(format!("call {name}")),
    }
}

fn option(name: &str, value: &str) -> Result<Meaning, Stop> {
    match name {
        // A segment shorter than others leaves at once here with or without Nagle's rule.
        "SO_REUSEADDR" | "SO_SNDBUF" | "TCP_NODELAY" | "IP_TOS" | "IP_MTU_DISCOVER" | "SO_MARK" => Ok(Meaning::Nothing),
        "TCP_MAXSEG" => value
            .trim_matches(['[', ']'])
            .parse()
            .map_or_else(|_| Err(Stop::NotDrivable(format!("setsockopt {name} {value}"))), |mss| Ok(Meaning::Mss(mss))),
        "TCP_CONGESTION" => Ok(Meaning::Algorithm(value.trim_matches(['"', '[', ']']).to_owned())),
        _ => Err(Stop::NotDrivable(format!("setsockopt {name}"))),
    }
}

fn written(call: &Call, length: &str, flags: &str, blocks: bool) -> Result<Meaning, Stop> {
    if flags.contains("MSG_FASTOPEN") {
        return Err(Stop::NotDrivable("TCP Fast Open".into()));
    }
    if !matches!(flags, "0" | "MSG_NOSIGNAL" | "MSG_DONTWAIT") {
        return Err(Stop::NotDrivable(format!("{} with {flags}", call.name)));
    }
    if blocks {
        return Err(Stop::NotDrivable(format!("{} that blocks", call.name)));
    }
    match (length.parse(), call.result.parse::<u64>()) {
        (Ok(bytes), Ok(taken)) if bytes == taken && bytes <= WRITE_MAX => Ok(Meaning::Write(bytes)),
        _ => Err(Stop::NotDrivable(format!("{} that is not taken whole", call.name))),
    }
}
