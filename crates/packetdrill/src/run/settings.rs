//! What the shell commands of a script set: sysctls and the queue of the device.

use cc::Guests;
use tcp::{IdleRestart, LossDetection, Options, Pacing};

use crate::outcome::Stop;

/// The stack that a script runs on.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The algorithm's name, which a script may replace.
    pub algorithm: String,
    /// Its variant; that of the profile if none.
    pub variant: Option<String>,
    /// The profile.
    pub profile: String,
    /// Its options, which a script changes by sysctls.
    pub options: Options,
    /// The end of the peer's data is acknowledged at once, whether or not the application may answer to it.
    pub is_prompt_at_end: bool,
    /// Controllers from outside, by the names under which `algorithm` may be one of them.
    pub guests: Guests,
}

impl Stack {
    /// `algorithm` on the stack of Linux 6.1, with that kernel's defaults: among them an idle restart.
    pub fn linux(algorithm: &str) -> Stack {
        let profile = "linux-6.1";
        Stack {
            algorithm: algorithm.into(),
            variant: None,
            profile: profile.into(),
            options: Options::of_profile(profile).expect("a profile"),
            is_prompt_at_end: false,
            guests: Guests::default(),
        }
    }

    /// CUBIC with a receiver as FreeBSD's, whose first ACKs are as late as all others, but for that of the end.
    pub fn freebsd() -> Stack {
        let mut stack = Stack { is_prompt_at_end: true, ..Stack::linux("cubic") };
        stack.options = Options { quickack: 0, opening_acks: false, ack_compression: false, ..stack.options };
        stack
    }
}

/// What is set.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) stack: Stack,
    /// Timestamps are offered.
    pub(super) timestamps: bool,
    /// `tcp_ecn`.
    pub(super) ecn: u64,
    /// The device takes no segment.
    pub(super) is_full: bool,
    /// No segment on the route has more bytes, in either direction.
    pub(super) route_mss: u32,
}

/// Sysctls of `net.ipv4` without any effect here: sizes of buffers, retries of handshakes, what is cached, and what the kernel of the
/// profile ignores.
const WITHOUT_EFFECT: [&str; 30] = [
    "tcp_rmem",
    "tcp_wmem",
    "tcp_mem",
    "tcp_syn_retries",
    "tcp_synack_retries",
    "tcp_fack",
    "tcp_dsack",
    "tcp_ecn_option",
    "tcp_ecn_option_beacon",
    "tcp_ecn_fallback",
    "tcp_fastopen",
    "tcp_fastopen_cookies",
    "tcp_notsent_lowat",
    "tcp_fastopen_key",
    "tcp_fastopen_blackhole_timeout_sec",
    "tcp_no_metrics_save",
    "tcp_moderate_rcvbuf",
    "tcp_tso_win_divisor",
    "tcp_min_tso_segs",
    "tcp_limit_output_bytes",
    "tcp_fin_timeout",
    "tcp_max_syn_backlog",
    "tcp_challenge_ack_limit",
    "tcp_invalid_ratelimit",
    "tcp_thin_dupack",
    "tcp_cwnd_moderation",
    "tcp_abc",
    "tcp_min_rtt_wlen",
    "tcp_adv_win_scale",
    "ip_local_port_range",
];

/// Headers of IPv4 and TCP without options.
const IP_TCP_BYTES: u32 = 40;

/// Sysctls that only one value of can be driven.
const ONE_VALUE: [(&str, &str); 6] = [
    ("tcp_reordering", "3"),
    ("tcp_pacing_ss_ratio", "200"),
    ("tcp_pacing_ca_ratio", "120"),
    ("tcp_syncookies", "1"),
    ("tcp_window_scaling", "1"),
    ("tcp_workaround_signed_windows", "0"),
];

impl Settings {
    pub(super) fn new(stack: Stack) -> Settings {
        Settings { stack, timestamps: true, ecn: 2, is_full: false, route_mss: u32::MAX }
    }

    /// Commands of a shell.
    pub(super) fn apply(&mut self, text: &str) -> Result<(), Stop> {
        let joined = text.replace("\\\n", " ");
        let commands = joined.split(['\n', ';']).flat_map(|line| line.split("&&")).flat_map(|line| line.split("||"));
        for command in commands {
            let command = command.split('#').next().unwrap_or("");
            // What commands say goes elsewhere, but for a value that is written into a file.
            let is_noise = |word: &&str| !word.starts_with("&>") && !word.starts_with("1>") && !word.starts_with("2>");
            let is_value = command.trim_start().starts_with("echo ");
            let words: Vec<&str> =
                command.split_whitespace().take_while(|word| is_noise(word) && (is_value || !word.starts_with('>'))).collect();
            self.apply_command(&words)?;
        }
        Ok(())
    }

    fn apply_command(&mut self, words: &[&str]) -> Result<(), Stop> {
        match words {
            [] => Ok(()),
            [file, ..] if file.ends_with("defaults.sh") => {
                self.use_defaults();
                Ok(())
            }
            [file, ..] if file.starts_with("/tmp/sysctl_restore") => Ok(()),
            ["ip", "tcp_metrics", ..] | ["nstat", ..] => Ok(()),
            // Segments leave one by one here, whatever cuts them.
            ["ethtool", "-K", "tun0", "tso" | "gso", "off"] | ["ethtool", "-K", "tun0", "tso", "off", "gso", "off"] => Ok(()),
            // A file of the script's own, which it sends.
            ["/bin/rm" | "rm", "-f", "/tmp/testfile"] | ["/bin/dd" | "dd", ..] => Ok(()),
            // Both ways to end slow start: the module's own default.
            ["echo", "3", ">", file] if file.ends_with("/tcp_cubic/parameters/hystart_detect") => Ok(()),
            ["sysctl", assignments @ ..] => self.set_all(assignments),
            [file, assignments @ ..] if file.ends_with("set_sysctls.py") => self.set_all(assignments),
            ["ip", "route", "change", _, "via", _, "dev", "tun0", "advmss", advmss, "mtu", "lock", mtu] => self.route(advmss, mtu),
            ["tc", "qdisc", _, "dev", "tun0", "root", discipline @ ..] => self.queue(discipline),
            _ => Err(Stop::NotDrivable(format!("command {}", words.join(" ")))),
        }
    }

    /// What the `defaults.sh` of the collections sets, where it is not the kernel's own default.
    fn use_defaults(&mut self) {
        self.stack.options.idle_restart = IdleRestart::None;
        self.ecn = 0;
    }

    fn queue(&mut self, discipline: &[&str]) -> Result<(), Stop> {
        match discipline {
            ["pfifo"] => self.is_full = false,
            ["pfifo", "limit", "0"] => self.is_full = true,
            ["fq"] => self.stack.options.pacing = Pacing::Linux,
            _ => return Err(Stop::NotDrivable(format!("queue {}", discipline.join(" ")))),
        }
        Ok(())
    }

    /// What the route allows the segments of both sides.
    fn route(&mut self, advmss: &str, mtu: &str) -> Result<(), Stop> {
        let number = |text: &str| text.parse::<u32>().map_err(|_| Stop::NotDrivable(format!("a route with {text}")));
        self.route_mss = number(advmss)?.min(number(mtu)?.saturating_sub(IP_TCP_BYTES));
        Ok(())
    }

    fn set_all(&mut self, assignments: &[&str]) -> Result<(), Stop> {
        for assignment in assignments.iter().filter(|word| !word.starts_with('-')) {
            // A value between quotes was split at its blanks.
            let Some((name, value)) = assignment.split_once('=') else { continue };
            let name = name.trim_start_matches("/proc/sys/").replace('/', ".");
            match name.strip_prefix("net.ipv4.") {
                Some(name) => self.set(name, value)?,
                // FreeBSD's, all with their defaults.
                None if name.starts_with("net.inet.tcp.") => {}
                None => return Err(Stop::NotDrivable(format!("sysctl {name}"))),
            }
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), Stop> {
        let options = &mut self.stack.options;
        let fail = || Err(Stop::NotDrivable(format!("sysctl {name}={value}")));
        match (name, value) {
            ("tcp_congestion_control", _) => value.clone_into(&mut self.stack.algorithm),
            ("tcp_timestamps", "0" | "1") => self.timestamps = value == "1",
            // Which ECN is asked for, and answered with, is in the script's own handshake.
            ("tcp_ecn", "0" | "1" | "2" | "3" | "4" | "5") => self.ecn = value.parse().expect("a digit"),
            ("tcp_slow_start_after_idle", "0") => options.idle_restart = IdleRestart::None,
            ("tcp_slow_start_after_idle", "1") => options.idle_restart = IdleRestart::Linux,
            // 1 and 2 asked for early retransmit, which is gone.
            ("tcp_early_retrans", "0" | "1" | "2") => options.tlp = false,
            ("tcp_early_retrans", "3" | "4") => options.tlp = true,
            ("tcp_recovery", "0") => options.loss_detection = LossDetection::Rfc6675,
            ("tcp_recovery", "1") => options.loss_detection = LossDetection::Rack,
            ("tcp_frto", "0" | "1" | "2") => options.frto = value != "0",
            ("tcp_sack", "0" | "1") => options.sack = value == "1",
            _ if WITHOUT_EFFECT.contains(&name) => {}
            _ if ONE_VALUE.contains(&(name, value)) => {}
            _ => return fail(),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<Settings, Stop> {
        let mut settings = Settings::new(Stack::linux("cubic"));
        settings.apply(text).map(|()| settings)
    }

    #[test]
    fn commands_set_options() {
        let text = "../../common/defaults.sh\ntc qdisc replace dev tun0 root fq\n# Why.\nsysctl -q net.ipv4.tcp_congestion_control=reno\n\
                    sysctl -q net/ipv4/tcp_early_retrans=0 net.ipv4.tcp_sack=0 > /dev/null 2>&1 || true";
        // `true` is not known.
        assert_eq!(settings(text).err(), Some(Stop::NotDrivable("command true".into())));
        let set = settings(text.trim_end_matches(" || true")).expect("settings");
        let options = set.stack.options;
        assert_eq!((set.stack.algorithm.as_str(), options.tlp, options.sack, options.pacing), ("reno", false, false, Pacing::Linux));
        assert_eq!((options.idle_restart, set.ecn), (IdleRestart::None, 0));
        assert!(settings("tc qdisc replace dev tun0 root pfifo limit 0").expect("settings").is_full);
        assert!(settings("sysctl -q net.ipv4.tcp_rmem=\"4096 540000 1000\"").is_ok());
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (text, named) in [
            ("sysctl -q net.ipv4.tcp_reordering=5", "sysctl tcp_reordering=5"),
            ("sysctl net.core.wmem_max=5", "sysctl net.core.wmem_max"),
            ("ip route change 192.0.2.0/24 dev tun0", "command ip route change 192.0.2.0/24 dev tun0"),
            ("tc qdisc add dev tun0 root netem", "queue netem"),
        ] {
            let why = settings(text).err();
            let Some(Stop::NotDrivable(why)) = why else { panic!("{text}: {why:?}") };
            assert!(why.starts_with(named.split(" 1").next().expect("a part")), "{why}");
        }
    }
}
