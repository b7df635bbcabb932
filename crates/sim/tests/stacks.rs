//! Whole stacks as the engine sees them, with one whose every answer is known: a fixed window of equal datagrams, each acknowledged.

use std::time::Duration;

use endpoint::{Config, Ecn, Endpoint, Fault, Named, Opens, Role, Stacks, State, Supply};
use sim::{run_with, Beside, Place, Records, RunError, Seen, SeenDatagram, SharedTap, Silent, Spec, Tap, Tapped, TappedStack, Watched};

const PAYLOAD: usize = 1472;
const ACK: usize = 32;

/// What the client of a test does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Habit {
    /// It keeps this many datagrams in flight.
    Window(u64),
    /// Sends nothing, and waits for something after the run.
    Silent,
    /// Sends nothing, and waits for nothing.
    Mute,
    /// Sends so many datagrams, without an answer, and waits for nothing else.
    Unheard(u64),
    FailsAt(Duration),
    /// Asks to be woken now, for ever.
    Restless,
    /// Sends and sends.
    Endless,
    /// Sends more than the path carries.
    Large,
    /// Sends nothing, and says that it has reduced its window three times and had no timeout.
    Counts,
    /// Sends nothing, and was asked for this many streams.
    Streams(u32),
}

#[derive(Debug)]
struct Fixed(Habit, &'static str);

struct End {
    habit: Habit,
    role: Role,
    is_open: bool,
    in_flight: u64,
    owed: u64,
    got: u64,
    marks: u64,
    sent_at: std::collections::VecDeque<Duration>,
    rtt: Option<Duration>,
    min_rtt: Option<Duration>,
}

impl Opens for Fixed {
    fn name(&self) -> &'static str {
        self.1
    }

    fn known_as(&self) -> &'static str {
        "fixed-1"
    }

    fn algorithms(&self) -> &[Named] {
        &[Named { own: "window", shown: "window@fixed" }]
    }

    fn open(&self, config: &Config) -> Result<Box<dyn Endpoint>, Fault> {
        assert_eq!(usize::from(config.datagram_bytes), PAYLOAD);
        assert_eq!(config.streams, if let Habit::Streams(streams) = self.0 { streams } else { 1 });
        let end = End {
            habit: self.0,
            role: config.role,
            is_open: false,
            in_flight: 0,
            owed: 0,
            got: 0,
            marks: 0,
            sent_at: [].into(),
            rtt: None,
            min_rtt: None,
        };
        Ok(Box::new(end))
    }
}

impl Endpoint for End {
    fn connect(&mut self, _now: Duration) -> Result<(), Fault> {
        self.is_open = true;
        Ok(())
    }

    fn receive(&mut self, now: Duration, datagram: &[u8], ecn: Ecn) -> Result<(), Fault> {
        self.marks += u64::from(ecn == Ecn::Ce);
        self.got += datagram.len() as u64;
        if self.role == Role::Server {
            assert!(datagram.iter().all(|&byte| byte == 7) && datagram.len() == PAYLOAD);
            self.owed += u64::from(!matches!(self.habit, Habit::Unheard(_)));
            return Ok(());
        }
        for _ in 0..datagram[0] {
            self.in_flight -= 1;
            self.rtt = self.sent_at.pop_front().map(|sent| now - sent);
            self.min_rtt = self.rtt.min(self.min_rtt).or(self.rtt);
        }
        Ok(())
    }

    fn wake(&mut self, _now: Duration) -> Result<(), Fault> {
        match self.habit {
            Habit::FailsAt(_) => Err("has had enough".into()),
            _ => Ok(()),
        }
    }

    fn supply(&mut self, _now: Duration, supply: Supply) -> Result<(), Fault> {
        self.is_open &= supply != Supply::Stop;
        Ok(())
    }

    fn transmit(&mut self, now: Duration, datagram: &mut Vec<u8>) -> Result<Option<Ecn>, Fault> {
        if self.role == Role::Server {
            if self.owed == 0 {
                return Ok(None);
            }
            // One answer for all that it has read.
            datagram.resize(ACK, 1);
            datagram[0] = std::mem::take(&mut self.owed) as u8;
            return Ok(Some(Ecn::NotEct));
        }
        let window = match self.habit {
            Habit::Window(window) | Habit::Unheard(window) => window,
            Habit::Endless | Habit::Large => u64::MAX,
            _ => 0,
        };
        if !self.is_open || self.in_flight >= window {
            return Ok(None);
        }
        self.in_flight += 1;
        self.sent_at.push_back(now);
        datagram.resize(PAYLOAD + usize::from(self.habit == Habit::Large), 7);
        Ok(Some(Ecn::Ect0))
    }

    fn wake_at(&mut self) -> Option<Duration> {
        match self.habit {
            Habit::FailsAt(at) if self.role == Role::Client && self.is_open => Some(at),
            Habit::Restless if self.is_open => Some(Duration::ZERO),
            Habit::Silent | Habit::Counts | Habit::Streams(_) => Some(Duration::from_secs(1000)),
            _ => None,
        }
    }

    fn state(&mut self) -> State {
        let window = if let Habit::Window(window) = self.habit { Some(window * PAYLOAD as u64) } else { None };
        State {
            window_bytes: window,
            srtt: self.rtt,
            min_rtt: self.min_rtt,
            datagram_bytes: Some(PAYLOAD as u64),
            read_bytes: if self.role == Role::Server { self.got } else { 0 },
            is_connected: self.rtt.is_some(),
            reductions: (self.habit == Habit::Counts).then_some(3),
            timeouts: (self.habit == Habit::Counts).then_some(0),
            congestion: (self.habit == Habit::Window(30)).then_some(2),
            ..State::default()
        }
    }
}

fn ran(habit: Habit, change: impl FnOnce(&mut serde_json::Value)) -> Result<Records, RunError> {
    tapped(habit, change, None)
}

fn tapped(habit: Habit, change: impl FnOnce(&mut serde_json::Value), tap: Option<SharedTap>) -> Result<Records, RunError> {
    let mut given = serde_json::json!({
        "seed": 1, "duration_ns": 10_000_000_000_u64, "warmup_ns": 2_000_000_000_u64, "sample_ns": 100_000_000,
        "forward": {"rate_bps": 12_000_000, "queue": {"unit": "packets", "limit": 100}},
        "flows": [{"algorithm": "window", "stack": "fixed", "rtt_ns": 40_000_000, "start_ns": 1_000_000_000_u64}],
    });
    change(&mut given);
    let spec = Spec::from_json(&given.to_string()).expect("a scenario");
    let mut stacks = Stacks::default();
    stacks.insert(Box::new(Fixed(habit, "fixed")));
    let beside = Beside { stacks: &stacks, ..Beside::default() };
    match tap {
        Some(_) => run_with(&spec, beside, &mut Watched { acks: None, tap }, || false),
        None => run_with(&spec, beside, &mut Silent, || false),
    }
}

/// Datagrams that were shown: when, nanoseconds, where, from the client, marked, bytes.
#[derive(Default)]
struct Shown(Vec<(u64, Place, bool, bool, usize)>);

impl Tap for Shown {
    fn on_connection(&mut self, _flow: u32, _tapped: &Tapped) {}

    fn on_seen(&mut self, _seen: &Seen) {}

    fn on_stack(&mut self, flow: u32, tapped: &TappedStack<'_>) {
        assert_eq!((flow, tapped.rtt.0, tapped.known_as), (0, 40_000_000, "fixed-1"));
    }

    fn on_datagram(&mut self, seen: &SeenDatagram<'_>) {
        self.0.push((seen.at.0, seen.place, seen.is_data, seen.ecn == 3, seen.bytes.len()));
    }
}

/// One that leaves at 1 s is at its link after a quarter of the RTT, leaves it after its transmission of 1 ms, and arrives a quarter later; its
/// answer is back after the other half. Behind a queue that decides late, and with a queue that marks and drops, it is counted where it is seen.
#[test]
fn datagrams_are_shown_where_and_when_they_are() {
    let change = |late: bool| {
        move |given: &mut serde_json::Value| {
            given["forward"]["queue"]["limit"] = 30.into();
            given["forward"]["mark"] = serde_json::json!({"unit": "packets", "limit": 20});
            if late {
                given["forward"]["discipline"] = serde_json::json!({"name": "fq"});
                given["forward"].as_object_mut().expect("a link").remove("mark");
            }
        }
    };
    for late in [false, true] {
        let shown = std::sync::Arc::new(std::sync::Mutex::new(Shown::default()));
        let records = tapped(Habit::Window(80), change(late), Some(SharedTap::new(shown.clone()))).unwrap();
        let plain = ran(Habit::Window(80), change(late)).unwrap();
        assert_eq!((records.flows[0].at_end, records.flows[0].lost_packets), (plain.flows[0].at_end, plain.flows[0].lost_packets));
        let shown = &shown.lock().expect("nothing panicked").0;
        let count = |place: Place, is_data: bool| shown.iter().filter(|seen| (seen.1, seen.2) == (place, is_data)).count() as u64;
        let (sent, lost, got) = (records.flows[0].at_end.sent, records.flows[0].lost_packets, records.flows[0].at_end.delivered);
        assert_eq!((count(Place::Sender, true), count(Place::Receiver, true)), (sent, got));
        assert!(lost > 10 && (sent - lost).abs_diff(count(Place::Bottleneck, true)) <= 80);
        let first = |place, is_data| shown.iter().find(|seen| (seen.1, seen.2) == (place, is_data)).map(|seen| seen.0 - 1_000_000_000);
        let places = [Place::Sender, Place::Bottleneck, Place::Receiver];
        assert_eq!(places.map(|place| first(place, true)), [Some(0), Some(11_000_000), Some(21_000_000)]);
        assert_eq!(places.map(|place| first(place, false)), [Some(41_000_000), Some(31_000_000), Some(21_000_000)]);
        assert_eq!(shown.iter().any(|seen| seen.1 == Place::Receiver && seen.3), !late);
        assert!(shown.iter().all(|seen| seen.4 == if seen.2 { PAYLOAD } else { ACK } && !(seen.1 == Place::Sender && seen.3)));
    }
}

/// A datagram takes 1 ms: 20 of them in flight over 40 ms and their own transmission. 20 leave in a train, of which the last waits 19 ms; from
/// then on each waits for its own ACK alone, so 20 of them pass in each 41 ms.
#[test]
fn a_fixed_window_passes_once_per_round_trip() {
    let records = ran(Habit::Window(20), |_| {}).unwrap();
    let row = &records.flows[0];
    let expected = 20.0 * PAYLOAD as f64 * 8.0 / 0.041;
    assert!((row.window_goodput_bytes() as f64 / expected - 1.0).abs() < 0.003, "{} of {expected}", row.window_goodput_bytes());
    assert_eq!((row.variant, row.lost_packets), ("fixed-1", 0));
    assert!(row.at_end.sent - row.at_end.delivered <= 20);
    let samples = records.flow_samples.columns();
    assert!(samples.rtt_min_s.iter().all(|&rtt| (rtt - 0.041).abs() < 1e-9));
    assert!(samples.cwnd.iter().all(|&cwnd| cwnd == 20.0) && samples.in_flight.iter().all(|packets| packets.is_nan()));
    assert_eq!(samples.variables[0].0, "datagram_bytes");
    assert!(samples.variables[0].1.iter().all(|&bytes| bytes == PAYLOAD as f64));
    assert!(samples.state.iter().all(|&state| state == sim::UNSAID_STATE));
}

/// 80 in flight where the path holds 41: the link is full, and 39 wait.
#[test]
fn a_large_window_fills_the_link_and_waits() {
    let records = ran(Habit::Window(80), |_| {}).unwrap();
    assert!(records.links[0].utilisation() > 0.9999);
    assert!((records.links[0].mean_queue_packets() - 40.0).abs() < 0.1, "{}", records.links[0].mean_queue_packets());
    assert_eq!(records.flows[0].window_goodput_bytes(), 8000 * PAYLOAD as u64);
}

/// The same behind a queue that decides late, behind a reverse link, and with both: the reverse link adds the 40 us of an ACK of 60 bytes.
#[test]
fn it_crosses_links_of_every_kind() {
    let plain = ran(Habit::Window(20), |_| {}).unwrap().flows[0].window_goodput_bytes();
    let late = ran(Habit::Window(20), |given| given["forward"]["discipline"] = serde_json::json!({"name": "fq"})).unwrap();
    assert_eq!(late.flows[0].window_goodput_bytes(), plain);
    for discipline in [None, Some("fq")] {
        let both = |given: &mut serde_json::Value| {
            given["reverse"] = serde_json::json!({"rate_bps": 12_000_000, "queue": {"unit": "packets", "limit": 100}});
            if let Some(name) = discipline {
                given["forward"]["discipline"] = serde_json::json!({ "name": name });
            }
        };
        let records = ran(Habit::Window(20), both).unwrap();
        let rtts = records.flow_samples.columns().rtt_min_s;
        assert!(rtts.iter().all(|&rtt| (rtt - 0.041_04).abs() < 1e-9), "{rtts:?}");
    }
}

/// Reno beside a stack that sends nothing is what it is alone.
#[test]
fn a_silent_stack_changes_nothing() {
    let reno = serde_json::json!({"algorithm": "reno", "rtt_ns": 30_000_000});
    for discipline in [serde_json::Value::Null, serde_json::json!({"name": "codel"})] {
        let beside = |given: &mut serde_json::Value| {
            given["flows"] = serde_json::json!([reno.clone(), given["flows"][0].clone()]);
            given["forward"]["discipline"] = discipline.clone();
        };
        let alone = |given: &mut serde_json::Value| {
            given["flows"] = serde_json::json!([reno.clone()]);
            given["forward"]["discipline"] = discipline.clone();
        };
        let (beside, alone) = (ran(Habit::Silent, beside).unwrap(), ran(Habit::Silent, alone).unwrap());
        assert_eq!(beside.flows[0].at_end, alone.flows[0].at_end);
        assert_eq!(format!("{:?}", beside.link_samples), format!("{:?}", alone.link_samples));
        assert_eq!(beside.flow_samples.columns().cwnd, alone.flow_samples.columns().cwnd);
    }
}

/// A step of marks at 5 packets with 80 in flight: nearly every datagram is marked, and the server sees each mark.
#[test]
fn marks_and_losses_are_counted() {
    let marked = |given: &mut serde_json::Value| given["forward"]["mark"] = serde_json::json!({"unit": "packets", "limit": 5});
    let records = ran(Habit::Window(80), marked).unwrap();
    assert!(records.flows[0].marked_packets > 8900, "{}", records.flows[0].marked_packets);
    let short = ran(Habit::Window(80), |given| given["forward"]["queue"]["limit"] = serde_json::json!(30)).unwrap();
    assert_eq!(short.flows[0].lost_packets, short.links[0].totals.dropped);
    assert!(short.flows[0].lost_packets > 0);
}

/// Missing is not zero.
#[test]
fn what_a_stack_does_not_count_is_absent() {
    let counts = |habit| {
        let row = ran(habit, |_| {}).unwrap().flows.remove(0);
        (row.loss_episodes(), row.timeouts(), row.undos())
    };
    assert_eq!(counts(Habit::Window(20)), (None, None, None));
    assert_eq!(counts(Habit::Counts), (Some(3), Some(0), None));
    let samples = ran(Habit::Window(30), |_| {}).unwrap().flow_samples.columns();
    assert!(!samples.state.is_empty() && samples.state.iter().all(|&state| state == 2));
    let reno = |given: &mut serde_json::Value| given["flows"][0] = serde_json::json!({"algorithm": "reno", "rtt_ns": 40_000_000});
    let row = ran(Habit::Silent, reno).unwrap().flows.remove(0);
    assert_eq!((row.loss_episodes(), row.timeouts(), row.undos()), (Some(row.at_end.loss_episodes), Some(0), Some(0)));
    assert!(row.at_end.loss_episodes > 0);
}

/// How many streams there are is the endpoint's business; TCP has one.
#[test]
fn streams_are_told_to_a_stack_and_refused_of_tcp() {
    let refused = |change: fn(&mut serde_json::Value)| ran(Habit::Silent, change).unwrap_err().to_string();
    assert!(
        refused(|given| given["flows"][0]["streams"] = 0.into()).starts_with("flows[0].streams: 0 is not allowed; give 1 to 100 streams")
    );
    assert!(refused(|given| given["flows"][0] = serde_json::json!({"algorithm": "reno", "rtt_ns": 40_000_000, "streams": 4}))
        .starts_with("flows[0].streams: 4 is not allowed; leave it out: TCP has one stream"));
    assert_eq!(ran(Habit::Streams(7), |given| given["flows"][0]["streams"] = 7.into()).unwrap().flows[0].at_end.sent, 0);
}

/// Each end reads so long after the first datagram that waits: alone, one waits for two turns on its way and back. A timer is as punctual as without.
#[test]
fn a_turn_delays_what_arrives_at_each_end_and_no_timer() {
    for turn_ns in [1, 5_000_000, 100_000_000] {
        let turned = |given: &mut serde_json::Value| given["flows"][0]["turn_ns"] = turn_ns.into();
        let rtt = 0.041 + 2.0 * turn_ns as f64 / 1e9;
        let records = ran(Habit::Window(1), turned).unwrap();
        assert!(records.flow_samples.columns().rtt_min_s.iter().all(|&own| (own - rtt).abs() < 1e-9));
        let passed = 8.0 / rtt * PAYLOAD as f64;
        assert!((records.flows[0].window_goodput_bytes() as f64 - passed).abs() <= PAYLOAD as f64);
        let fault = ran(Habit::FailsAt(Duration::from_millis(2500)), turned).unwrap_err().to_string();
        assert_eq!(fault, "fixed-1: has had enough (flow 1, 2.500000 s)");
    }
}

/// One arrives each millisecond. A turn of 10.5 ms holds the first and ten more, which get one answer, every 11 ms: at the end of the turn, so that the first waits for all of it
/// and the last for half a millisecond, 5.5 ms in the mean.
#[test]
fn what_arrives_within_a_turn_is_read_together_and_answered_once() {
    let turned = |given: &mut serde_json::Value| given["flows"][0]["turn_ns"] = 10_500_000.into();
    let shown = std::sync::Arc::new(std::sync::Mutex::new(Shown::default()));
    let records = tapped(Habit::Window(100), turned, Some(SharedTap::new(shown.clone()))).unwrap();
    assert_eq!((records.flows[0].lost_packets, records.links[0].utilisation() > 0.9999), (0, true));
    let shown = &shown.lock().expect("nothing panicked").0;
    let at =
        |is_data: bool| shown.iter().filter(|seen| (seen.1, seen.2) == (Place::Receiver, is_data)).map(|seen| seen.0).collect::<Vec<_>>();
    let (arrivals, answers) = (at(true), at(false));
    assert!(answers.windows(2).all(|two| two[1] - two[0] == 11_000_000));
    let waits: Vec<u64> =
        arrivals.chunks_exact(11).zip(&answers).flat_map(|(read, &answer)| read.iter().map(move |at| answer - at)).collect();
    let expected: Vec<u64> = (0..11).map(|later| 10_500_000 - later * 1_000_000).collect();
    assert!(waits.len() > 8000 && waits.chunks_exact(11).all(|turn| turn == expected));
    // What arrives is counted when it has been read.
    assert!(arrivals.len() as u64 - records.flows[0].at_end.delivered < 11);
    let again = ran(Habit::Window(100), turned).unwrap();
    assert_eq!(format!("{:?}", again.flow_samples), format!("{:?}", records.flow_samples));
}

#[test]
fn turns_are_refused_out_of_range_of_tcp_and_of_a_kernel() {
    let refused = |turn_ns: u64| ran(Habit::Silent, |given| given["flows"][0]["turn_ns"] = turn_ns.into()).unwrap_err().to_string();
    assert!(
        refused(100_000_001).starts_with("flows[0].turn: 0.100000001 s is not allowed; give at most 100 ms"),
        "{}",
        refused(100_000_001)
    );
    let of_tcp = |given: &mut serde_json::Value| {
        given["flows"][0] = serde_json::json!({"algorithm": "reno", "rtt_ns": 40_000_000, "turn_ns": 1_000_000});
    };
    assert!(ran(Habit::Silent, of_tcp).unwrap_err().to_string().starts_with("flows[0].turn: 0.001 s is not allowed; leave it out"));
    let mut stacks = Stacks::default();
    stacks.insert(Box::new(Fixed(Habit::Silent, "linux:0123456789abcdef")));
    let given = serde_json::json!({
        "seed": 1, "duration_ns": 1_000_000_000, "sample_ns": 0,
        "forward": {"rate_bps": 12_000_000, "queue": {"unit": "packets", "limit": 100}},
        "flows": [{"algorithm": "window", "stack": "linux:0123456789abcdef", "rtt_ns": 40_000_000, "turn_ns": 1_000_000}],
    });
    let spec = Spec::from_json(&given.to_string()).expect("a scenario");
    let fault = run_with(&spec, Beside { stacks: &stacks, ..Beside::default() }, &mut Silent, || false).unwrap_err().to_string();
    assert!(fault.starts_with("flows[0].turn: 0.001 s is not allowed; leave it out: linux is a kernel"), "{fault}");
}

#[test]
fn a_stop_and_an_end_are_kept() {
    let records = ran(Habit::Window(20), |given| given["flows"][0]["stop_ns"] = serde_json::json!(3_000_000_000_u64)).unwrap();
    let sent = records.flows[0].at_end.sent;
    assert!((sent as i64 - 2 * 20 * 1000 / 41).abs() <= 20, "{sent}");
}

/// Each fault ends the run in one line with stack, flow and simulated time.
#[test]
fn faults_end_the_run_and_say_where() {
    let fault = |habit| ran(habit, |_| {}).unwrap_err().to_string();
    assert_eq!(fault(Habit::FailsAt(Duration::from_millis(2500))), "fixed-1: has had enough (flow 1, 2.500000 s)");
    assert!(fault(Habit::Restless).starts_with("fixed-1: keeps one instant busy"), "{}", fault(Habit::Restless));
    assert!(fault(Habit::Endless).ends_with("(flow 1, 1.000000 s)"));
    assert_eq!(fault(Habit::Large), "fixed-1: sends a datagram of 1473 bytes where the path carries 1472 (flow 1, 1.000000 s)");
    assert_eq!(fault(Habit::Mute), "fixed-1: sends nothing and asks for no wake-up (flow 1, 1.000000 s)");
    // Three in a row, 1 ms each, and half a path.
    let unheard = "fixed-1: has no answer to any of 3 datagrams and asks for no wake-up (flow 1, 1.023000 s)";
    assert_eq!(fault(Habit::Unheard(3)), unheard);
    let refused = |change: fn(&mut serde_json::Value)| ran(Habit::Silent, change).unwrap_err().to_string();
    assert!(refused(|given| given["flows"][0]["stack"] = "quonn".into()).contains("these are built: fixed"));
    assert!(refused(|given| given["flows"][0]["algorithm"] = "cubic".into()).contains("fixed has window"));
    assert!(refused(|given| given["flows"][0]["window_packets"] = 5.into()).contains("window"));
    let endless = |given: &mut serde_json::Value| {
        given["flows"][0]["bytes"] = 1000.into();
        given["flows"][0]["writes"] = serde_json::json!({"kind": "on-off", "on_ns": 1_000_000_000, "off_ns": 1_000_000_000});
    };
    assert!(ran(Habit::Silent, endless).unwrap_err().to_string().contains("flows[0].bytes"));
}
