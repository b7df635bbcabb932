//! A stack that sends to a wrong address ends its run as one error: stack, version, flow, simulated time.

use std::net::{Ipv6Addr, SocketAddr};
use std::time::Duration;

use endpoint::{to_nobody, Config, Ecn, Endpoint, Fault, Named, Opens, Role, Stacks, State, Supply};
use sim::{run_with, Beside, Silent, Spec};

/// Sends a datagram each half second, which its server answers; from the third on to a port where nobody is.
#[derive(Debug)]
struct Astray;

struct End {
    role: Role,
    /// How many it has sent, and how many it still has to send now.
    sent: u64,
    waiting: u64,
}

fn at(port: u16) -> SocketAddr {
    (Ipv6Addr::LOCALHOST, port).into()
}

impl Opens for Astray {
    fn name(&self) -> &'static str {
        "astray"
    }

    fn known_as(&self) -> &'static str {
        "astray-7"
    }

    fn algorithms(&self) -> &[Named] {
        &[Named { own: "none", shown: "none@astray" }]
    }

    fn open(&self, config: &Config) -> Result<Box<dyn Endpoint>, Fault> {
        Ok(Box::new(End { role: config.role, sent: 0, waiting: 0 }))
    }
}

impl Endpoint for End {
    fn connect(&mut self, _now: Duration) -> Result<(), Fault> {
        self.waiting = 1;
        Ok(())
    }

    fn receive(&mut self, _now: Duration, _datagram: &[u8], _ecn: Ecn) -> Result<(), Fault> {
        self.waiting += u64::from(self.role == Role::Server);
        Ok(())
    }

    fn wake(&mut self, _now: Duration) -> Result<(), Fault> {
        self.waiting = 1;
        Ok(())
    }

    fn supply(&mut self, _now: Duration, _supply: Supply) -> Result<(), Fault> {
        Ok(())
    }

    fn transmit(&mut self, _now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        if self.waiting == 0 {
            return Ok(None);
        }
        (self.waiting, self.sent) = (self.waiting - 1, self.sent + 1);
        let to = at(if self.sent > 2 && self.role == Role::Client { 4435 } else { 4433 });
        if to != at(4433) {
            return Err(to_nobody(to));
        }
        datagram.resize(1000, 0);
        Ok(Some(Ecn::NotEct))
    }

    fn wake_at(&mut self) -> Option<Duration> {
        (self.role == Role::Client && self.sent > 0).then(|| Duration::from_millis(500) * self.sent as u32)
    }

    fn state(&mut self) -> State {
        State::default()
    }
}

#[test]
fn a_datagram_to_a_wrong_address_ends_the_run_with_stack_version_flow_and_time() {
    let spec = Spec::from_json(
        &serde_json::json!({
            "seed": 1, "duration_ns": 6_000_000_000_u64, "warmup_ns": 0, "sample_ns": 100_000_000,
            "forward": {"rate_bps": 10_000_000, "queue": {"unit": "packets", "limit": 50}},
            "flows": [{"algorithm": "cubic", "rtt_ns": 20_000_000}, {"algorithm": "none", "stack": "astray", "rtt_ns": 20_000_000}],
        })
        .to_string(),
    )
    .expect("a scenario");
    let mut stacks = Stacks::default();
    stacks.insert(Box::new(Astray));
    let error = run_with(&spec, Beside { stacks: &stacks, ..Beside::default() }, &mut Silent, || false).expect_err("a fault");
    assert_eq!(error.to_string(), "astray-7: sends to nobody: no end of its connection is at [::1]:4435 (flow 2, 1.000000 s)");
}
