//! A script of packetdrill's language, as far as it is understood here, as data.
//!
//! Source: the grammar that google/packetdrill describes in its `syntax.md`, read for facts. What is not understood does not fail the script:
//! it becomes [`What::Other`], and what runs the script decides what that means.

mod call;
mod cursor;
mod packet;
mod time;

pub use self::call::Call;
use self::cursor::Cursor;
pub use self::packet::{Direction, Packet, Stamp};
pub use self::time::When;

/// A script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Command-line options at its top: name and value, which may be empty.
    pub options: Vec<(String, String)>,
    /// What happens, in the order of the text.
    pub events: Vec<Event>,
}

/// Something that happens.
#[derive(Clone, Debug)]
pub struct Event {
    /// Line of the script, from 1.
    pub line: usize,
    /// When.
    pub when: When,
    /// What.
    pub what: What,
}

/// What happens.
#[derive(Clone, Debug)]
pub enum What {
    /// A segment of TCP, injected or expected.
    Packet(Packet),
    /// A system call.
    Call(Call),
    /// Commands of a shell.
    Shell(String),
    /// Statements in Python.
    Code(String),
    /// Not understood: why.
    Other(String),
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// The line from which on nothing is understood, and why.
    pub fn parse(text: &str) -> Result<Script, (usize, String)> {
        let mut cursor = Cursor::new(text);
        let mut script = Script::default();
        loop {
            cursor.skip_blank();
            if cursor.is_done() {
                return Ok(script);
            }
            let line = cursor.line();
            if script.events.is_empty() && cursor.rest().starts_with("--") {
                let (name, value) = option(cursor.take_line());
                script.options.push((name, value));
                continue;
            }
            let event = event(&mut cursor, line).map_err(|what| (line, what))?;
            script.events.push(event);
        }
    }
}

fn option(line: &str) -> (String, String) {
    let text = line.trim_start_matches("--").split("//").next().unwrap_or("").trim();
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.trim().to_owned(), value.trim().to_owned())
}

fn event(cursor: &mut Cursor<'_>, line: usize) -> Result<Event, String> {
    // The commands at the beginning have no time.
    let when = if cursor.rest().starts_with('`') { When::at_once() } else { time::take(cursor)? };
    cursor.skip_blank();
    let rest = cursor.rest();
    let what = if rest.starts_with('`') {
        cursor.advance(1);
        What::Shell(cursor.take_until("`").ok_or("a command without an end")?.to_owned())
    } else if rest.starts_with("%{") {
        cursor.advance(2);
        What::Code(cursor.take_until("}%").ok_or("statements without an end")?.to_owned())
    } else if rest.starts_with(['<', '>']) {
        let text = cursor.take_packet();
        packet::parse(&text).map_or_else(What::Other, What::Packet)
    } else {
        What::Call(call::take(cursor)?)
    };
    Ok(Event { line, when, what })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// A comment.
--tolerance_usecs=7000
`../common/defaults.sh
 sysctl -q net.ipv4.tcp_early_retrans=0`

    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0...0.010 connect(3, ..., ...) = 0 // blocks
   +0 > S 0:0(0) <...>
 +.01 < S. 0:0(0) ack 1 win 65535 <mss 1460,nop,wscale 2,nop,nop,sackOK>
+.1~+.105 > P. 1:2921(2920) ack 1
   +0 < . 1:1(0) ack 1 win 320 <sack 1461:2921,nop,nop>
/* over two
   lines */
   +0 %{
assert tcpi_sacked == 1 # one
}%
   +0 < icmp unreachable [1:1001(1000)]
   +0 setsockopt(3, SOL_SOCKET, SO_SNDBUF, [1, // two
     2], 4) = -1 EINVAL (Invalid argument)
";

    #[test]
    fn a_script_is_read_event_by_event_with_its_lines() {
        let script = Script::parse(TEXT).expect("a script");
        assert_eq!(script.options, [("tolerance_usecs".to_owned(), "7000".to_owned())]);
        let lines: Vec<usize> = script.events.iter().map(|event| event.line).collect();
        assert_eq!(lines, [3, 6, 7, 8, 9, 10, 11, 14, 17, 18]);
        let What::Shell(text) = &script.events[0].what else { panic!("a command") };
        assert!(text.contains("tcp_early_retrans=0"));
        let What::Code(code) = &script.events[7].what else { panic!("statements") };
        assert_eq!(code.trim(), "assert tcpi_sacked == 1 # one");
        assert!(matches!(&script.events[8].what, What::Other(why) if why.contains("icmp")));
        let What::Call(call) = &script.events[9].what else { panic!("a call") };
        assert_eq!((call.name.as_str(), call.args[3].as_str(), call.result.as_str()), ("setsockopt", "[1,       2]", "-1"));
    }

    #[test]
    fn what_has_no_time_is_refused_with_its_line() {
        assert_eq!(Script::parse("\n+0 < . 1:1(0) ack 1\nnonsense").err().map(|(line, _)| line), Some(3));
    }
}
