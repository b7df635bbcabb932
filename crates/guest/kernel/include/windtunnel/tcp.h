/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A TCP connection as a congestion-control module of the kernel sees it. The fields have the kernel's names and units; those that the
 * simulator's transport does not keep are not there, so that a file which needs one does not compile, instead of reading nothing.
 */
#ifndef WINDTUNNEL_KERNEL_TCP_H
#define WINDTUNNEL_KERNEL_TCP_H

#include <windtunnel/base.h>
#include <windtunnel/math.h>
#include <windtunnel/module.h>

/* Time: ticks of 1/HZ, microseconds, nanoseconds. */
#define USEC_PER_MSEC 1000L
#define USEC_PER_SEC 1000000L
#define MSEC_PER_SEC 1000L
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
extern unsigned long wt_kernel_jiffies __attribute__((visibility("hidden")));
#define jiffies wt_kernel_jiffies
#define jiffies_64 ((u64)wt_kernel_jiffies)
#define get_jiffies_64() ((u64)wt_kernel_jiffies)
#define tcp_jiffies32 ((u32)jiffies)
#define WT_TICK_US (USEC_PER_SEC / HZ)
static inline unsigned long usecs_to_jiffies(unsigned int us) { return ((u64)us + WT_TICK_US - 1) / WT_TICK_US; }
static inline unsigned long msecs_to_jiffies(unsigned int ms) { return ((u64)ms * HZ + MSEC_PER_SEC - 1) / MSEC_PER_SEC; }
static inline u64 nsecs_to_jiffies64(u64 ns) { return ns / (NSEC_PER_SEC / HZ); }
static inline unsigned long nsecs_to_jiffies(u64 ns) { return nsecs_to_jiffies64(ns); }
static inline unsigned int jiffies_to_usecs(unsigned long ticks) { return ticks * WT_TICK_US; }
static inline unsigned int jiffies_to_msecs(unsigned long ticks) { return ticks * (MSEC_PER_SEC / HZ); }
static inline u64 jiffies_to_nsecs(unsigned long ticks) { return (u64)ticks * (NSEC_PER_SEC / HZ); }
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)
#define time_after32(a, b) ((s32)((u32)(b) - (u32)(a)) < 0)
#define time_before32(a, b) time_after32(b, a)
#define time_between32(t, low, high) ((u32)(high) - (u32)(low) >= (u32)(t) - (u32)(low))
#define ktime_get_ns() wt_kernel_now_ns()
#define ktime_get() ((ktime_t)wt_kernel_now_ns())
#define ktime_get_real() ktime_get()
#define ktime_get_boottime_ns() wt_kernel_now_ns()
#define ktime_to_us(t) ((s64)(t) / NSEC_PER_USEC)
#define ktime_to_ms(t) ((s64)(t) / NSEC_PER_MSEC)
#define ktime_to_ns(t) ((s64)(t))
#define ktime_us_delta(a, b) ktime_to_us((a) - (b))
#define ktime_sub(a, b) ((a) - (b))
#define ns_to_ktime(ns) ((ktime_t)(ns))
#define local_clock() wt_kernel_now_ns()
#define sched_clock() wt_kernel_now_ns()
#define div_u64_us(ns) ((ns) / NSEC_PER_USEC)

/* Sequence numbers are of bytes, and wrap. */
static inline bool before(u32 a, u32 b) { return (s32)(a - b) < 0; }
#define after(a, b) before(b, a)
static inline bool between(u32 x, u32 low, u32 high) { return high - low >= x - low; }

enum tcp_ca_state { TCP_CA_Open = 0, TCP_CA_Disorder = 1, TCP_CA_CWR = 2, TCP_CA_Recovery = 3, TCP_CA_Loss = 4 };
#define TCPF_CA_Open (1 << TCP_CA_Open)
#define TCPF_CA_Disorder (1 << TCP_CA_Disorder)
#define TCPF_CA_CWR (1 << TCP_CA_CWR)
#define TCPF_CA_Recovery (1 << TCP_CA_Recovery)
#define TCPF_CA_Loss (1 << TCP_CA_Loss)

enum tcp_ca_event {
	CA_EVENT_TX_START, CA_EVENT_CWND_RESTART, CA_EVENT_COMPLETE_CWR, CA_EVENT_LOSS, CA_EVENT_ECN_NO_CE, CA_EVENT_ECN_IS_CE
};
enum tcp_ca_ack_event_flags { CA_ACK_SLOWPATH = 1 << 0, CA_ACK_WIN_UPDATE = 1 << 1, CA_ACK_ECE = 1 << 2 };
enum {
	TCP_ESTABLISHED = 1, TCP_SYN_SENT, TCP_SYN_RECV, TCP_FIN_WAIT1, TCP_FIN_WAIT2, TCP_TIME_WAIT, TCP_CLOSE, TCP_CLOSE_WAIT,
	TCP_LAST_ACK, TCP_LISTEN, TCP_CLOSING, TCP_NEW_SYN_RECV
};
enum sk_pacing { SK_PACING_NONE = 0, SK_PACING_NEEDED = 1, SK_PACING_FQ = 2 };
enum inet_csk_ack_state_t {
	ICSK_ACK_SCHED = 1, ICSK_ACK_TIMER = 2, ICSK_ACK_PUSHED = 4, ICSK_ACK_PUSHED2 = 8, ICSK_ACK_NOW = 16, ICSK_ACK_NOMEM = 32
};

#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define TCP_INIT_CWND 10
#define TCP_CA_NAME_MAX 16
#define TCP_CA_UNSPEC 0
#define TCP_CONG_NON_RESTRICTED (1 << 0)
#define TCP_CONG_NEEDS_ECN (1 << 1)
#define TCP_CONG_NEEDS_ACCECN (1 << 2)
#define TCP_CONG_ECT_1_NEGOTIATION (1 << 3)
#define TCP_CONG_NO_FALLBACK_RFC3168 (1 << 4)
#define TCP_CONG_WANTS_CE_EVENTS (1 << 5)
#define TCP_ECN_OK 1
#define TCP_ECN_QUEUE_CWR 2
#define TCP_ECN_DEMAND_CWR 4
#define TCP_ECN_SEEN 8
#define TCP_TS_HZ 1000
#define TCP_PLB_SCALE 8
#define TCP_RTO_MAX ((unsigned int)(120 * HZ))
#define TCP_RTO_MIN ((unsigned int)(HZ / 5))
#define MAX_TCP_HEADER 320
#define GSO_LEGACY_MAX_SIZE 65536u
#define GSO_MAX_SIZE 65536u
#define FLAG_DATA_ACKED 0x04
#define FLAG_ECE 0x40
#define FLAG_SLOWPATH 0x100

#define ICSK_CA_PRIV_SIZE (13 * sizeof(u64))

struct sock;
struct sk_buff;
struct net;
struct dst_entry;

struct ack_sample { u32 pkts_acked; s32 rtt_us; u32 in_flight; };

struct rate_sample {
	u64 prior_mstamp;
	u32 prior_delivered;
	u32 prior_delivered_ce;
	s32 delivered;
	s32 delivered_ce;
	long interval_us;
	u32 snd_interval_us;
	u32 rcv_interval_us;
	long rtt_us;
	int losses;
	u32 acked_sacked;
	u32 prior_in_flight;
	u32 last_end_seq;
	/* Of trees with BBRv3. */
	u32 prior_lost;
	u32 tx_in_flight;
	s32 lost;
	bool is_ece;
	bool is_app_limited;
	bool is_retrans;
	bool is_ack_delayed;
};

enum {
	INET_DIAG_NONE, INET_DIAG_MEMINFO, INET_DIAG_INFO, INET_DIAG_VEGASINFO, INET_DIAG_CONG, INET_DIAG_TOS, INET_DIAG_TCLASS,
	INET_DIAG_SKMEMINFO, INET_DIAG_SHUTDOWN, INET_DIAG_DCTCPINFO, INET_DIAG_PROTOCOL, INET_DIAG_SKV6ONLY, INET_DIAG_LOCALS,
	INET_DIAG_PEERS, INET_DIAG_PAD, INET_DIAG_MARK, INET_DIAG_BBRINFO
};
struct tcpvegas_info { u32 tcpv_enabled; u32 tcpv_rttcnt; u32 tcpv_rtt; u32 tcpv_minrtt; };
struct tcp_dctcp_info { u16 dctcp_enabled; u16 dctcp_ce_state; u32 dctcp_alpha; u32 dctcp_ab_ecn; u32 dctcp_ab_tot; };
struct tcp_bbr_info { u32 bbr_bw_lo; u32 bbr_bw_hi; u32 bbr_min_rtt; u32 bbr_pacing_gain; u32 bbr_cwnd_gain; };
union tcp_cc_info { struct tcpvegas_info vegas; struct tcp_dctcp_info dctcp; struct tcp_bbr_info bbr; };

#ifndef WT_KERNEL_CONG_CONTROL
#define WT_KERNEL_CONG_CONTROL 4
#endif

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*cwnd_event_tx_start)(struct sock *sk); /* 7.1: then `cwnd_event` is not told of it */
	void (*in_ack_event)(struct sock *sk, u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*min_tso_segs)(struct sock *sk);
	u32 (*tso_segs)(struct sock *sk, unsigned int mss_now);
#if WT_KERNEL_CONG_CONTROL == 2
	void (*cong_control)(struct sock *sk, const struct rate_sample *rs);
#else
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs); /* 6.10 */
#endif
	u32 (*undo_cwnd)(struct sock *sk);
	u32 (*sndbuf_expand)(struct sock *sk);
	size_t (*get_info)(struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info);
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	char name[TCP_CA_NAME_MAX];
	struct module *owner;
	struct list_head list;
	u32 key;
	u32 flags;
};

struct sock {
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	u32 sk_pacing_status;
	u8 sk_pacing_shift;
	u8 sk_state;
	unsigned int sk_gso_max_size;
	u16 sk_gso_max_segs;
};
struct inet_sock { struct sock sk; };
#define WT_GUARD_WORDS 128
struct inet_connection_sock {
	struct inet_sock icsk_inet;
	const struct tcp_congestion_ops *icsk_ca_ops;
	unsigned long icsk_rto;
	u32 icsk_rto_min;
	u8 icsk_ca_state;
	u8 icsk_ca_initialized;
	u8 icsk_ca_setsockopt;
	u8 icsk_retransmits;
	struct { u8 pending; u8 quick; u8 pingpong; u8 retry; u32 ato; unsigned long timeout; u16 rcv_mss; } icsk_ack;
	u64 icsk_ca_priv[ICSK_CA_PRIV_SIZE / sizeof(u64)];
	u64 wt_guard[WT_GUARD_WORDS]; /* whoever writes here wrote past the end */
};
struct tcp_options_received { u32 rcv_tsval; u32 rcv_tsecr; u8 saw_tstamp : 1, tstamp_ok : 1, sack_ok : 4; u16 mss_clamp; };
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u64 tcp_clock_cache;  /* ns */
	u64 tcp_mstamp;       /* us */
	u64 tcp_wstamp_ns;    /* departure of the next segment: now, as far as is known */
	u64 delivered_mstamp; /* us */
	u64 first_tx_mstamp;
	u64 bytes_acked;
	u32 snd_una;
	u32 snd_nxt;
	u32 snd_sml;
	u32 write_seq;
	u32 high_seq;
	u32 rcv_nxt;
	u32 lsndtime;         /* ticks */
	u32 snd_cwnd;
	u32 snd_ssthresh;
	u32 snd_cwnd_cnt;
	u32 snd_cwnd_clamp;
	u32 snd_cwnd_used;
	u32 snd_cwnd_stamp;
	u32 prior_cwnd;
	u32 prior_ssthresh;
	u32 srtt_us;          /* eight times */
	u32 mdev_us;
	u32 rttvar_us;
	u32 packets_out;
	u32 retrans_out;
	u32 sacked_out;
	u32 lost_out;
	u32 max_packets_out;
	u32 delivered;        /* the handshake counts as one */
	u32 delivered_ce;
	u32 lost;
	u32 app_limited;
	u32 mss_cache;
	u32 advmss;
	u32 snd_wnd;
	u32 undo_marker;
	struct minmax rtt_min;
	struct tcp_options_received rx_opt;
	u8 ecn_flags;
	u8 is_cwnd_limited;
	u8 is_sack_reneg : 1, tlp_retrans : 1, fast_ack_mode : 2;
	u8 tlp_orig_data_app_limited;
};

#define inet_csk(sk) ((struct inet_connection_sock *)(sk))
#define tcp_sk(sk) ((struct tcp_sock *)(sk))
#define inet_sk(sk) ((struct inet_sock *)(sk))
#define inet_csk_ca(sk) ((void *)inet_csk(sk)->icsk_ca_priv)
#define sock_net(sk) ((struct net *)0)
#define sock_owned_by_user(sk) 0

#define NET_INC_STATS(net, field) ((void)(net))
#define __NET_INC_STATS(net, field) ((void)(net))
#define NET_ADD_STATS(net, field, n) ((void)(net), (void)(n))

static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp) { return tp->snd_cwnd; }
static inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 segments) { tp->snd_cwnd = segments; }
static inline bool tcp_in_slow_start(const struct tcp_sock *tp) { return tp->snd_cwnd < tp->snd_ssthresh; }
static inline bool tcp_in_initial_slowstart(const struct tcp_sock *tp) { return tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH; }
/* The transport has judged slow start's rule of twice what was acknowledged already. */
static inline bool tcp_is_cwnd_limited(const struct sock *sk) { return tcp_sk(sk)->is_cwnd_limited; }
static inline unsigned int tcp_left_out(const struct tcp_sock *tp) { return tp->sacked_out + tp->lost_out; }
static inline unsigned int tcp_packets_in_flight(const struct tcp_sock *tp) { return tp->packets_out - tcp_left_out(tp) + tp->retrans_out; }
static inline bool tcp_in_cwnd_reduction(const struct sock *sk)
{
	u8 state = inet_csk(sk)->icsk_ca_state;

	return state == TCP_CA_CWR || state == TCP_CA_Recovery;
}
static inline u32 tcp_current_ssthresh(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 kept = (tp->snd_cwnd >> 1) + (tp->snd_cwnd >> 2);

	return tcp_in_cwnd_reduction(sk) || tp->snd_ssthresh > kept ? tp->snd_ssthresh : kept;
}
static inline u32 tcp_min_rtt(const struct tcp_sock *tp) { return minmax_get(&tp->rtt_min); }
static inline u32 tcp_stamp_us_delta(u64 later, u64 earlier) { return (s64)(later - earlier) > 0 ? (u32)(later - earlier) : 0; }
static inline u32 tcp_time_stamp_ms(const struct tcp_sock *tp) { return (u32)(tp->tcp_mstamp / USEC_PER_MSEC); }
#define tcp_time_stamp(tp) tcp_time_stamp_ms(tp)
#define tcp_time_stamp_ts(tp) tcp_time_stamp_ms(tp)
#define tcp_clock_ns() wt_kernel_now_ns()
#define tcp_clock_us() (wt_kernel_now_ns() / NSEC_PER_USEC)
static inline bool tcp_ca_needs_ecn(const struct sock *sk) { return inet_csk(sk)->icsk_ca_ops->flags & TCP_CONG_NEEDS_ECN; }
static inline void INET_ECN_dontxmit(struct sock *sk) { (void)sk; }
static inline void INET_ECN_xmit(struct sock *sk) { (void)sk; }
static inline void tcp_send_ack(struct sock *sk) { (void)sk; }
static inline void __tcp_send_ack(struct sock *sk, u32 rcv_nxt, ...) { (void)sk; (void)rcv_nxt; }

/* The kernel's own laws, which a module may use; a reduction that the module itself begins. */
u32 tcp_slow_start(struct tcp_sock *tp, u32 acked) __attribute__((visibility("hidden")));
void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked) __attribute__((visibility("hidden")));
void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) __attribute__((visibility("hidden")));
u32 tcp_reno_ssthresh(struct sock *sk) __attribute__((visibility("hidden")));
u32 tcp_reno_undo_cwnd(struct sock *sk) __attribute__((visibility("hidden")));
void tcp_enter_cwr(struct sock *sk) __attribute__((visibility("hidden")));

int tcp_register_congestion_control(struct tcp_congestion_ops *ops);
void tcp_unregister_congestion_control(struct tcp_congestion_ops *ops);
int tcp_update_congestion_control(struct tcp_congestion_ops *ops, struct tcp_congestion_ops *old);

/* No BPF program sits on a socket here: that is what the answer says. */
enum { BPF_SOCK_OPS_BASE_RTT = 7 };
static inline int tcp_call_bpf(struct sock *sk, int op, u32 count, u32 *args) { (void)sk; (void)op; (void)count; (void)args; return -EPERM; }

/* Other paths when a path is congested (PLB): there is one path. */
struct tcp_plb_state { u8 consec_cong_rounds : 5, unused : 3; u32 pause_until; };
static inline void tcp_plb_init(const struct sock *sk, struct tcp_plb_state *plb) { (void)sk; plb->consec_cong_rounds = 0; plb->pause_until = 0; }
static inline void tcp_plb_update_state(const struct sock *sk, struct tcp_plb_state *plb, int ratio) { (void)sk; (void)plb; (void)ratio; }
static inline void tcp_plb_check_rehash(struct sock *sk, struct tcp_plb_state *plb) { (void)sk; (void)plb; }
static inline void tcp_plb_update_state_upon_rto(struct sock *sk, struct tcp_plb_state *plb) { (void)sk; (void)plb; }

#endif
