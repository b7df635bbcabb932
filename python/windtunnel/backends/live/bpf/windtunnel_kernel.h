/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The kernel's dialect of C inside a BPF program: types and structures are those of the running kernel (vmlinux.h, made of its BTF), functions of
 * the kernel's that BPF may call are called, and the others that congestion controllers use are written here. A name that is missing here is
 * one that a BPF program cannot have, and the compiler says so with the file's line.
 */
#ifndef WINDTUNNEL_BPF_KERNEL_H
#define WINDTUNNEL_BPF_KERNEL_H

#define BPF_NO_PRESERVE_ACCESS_INDEX
#include "vmlinux.h"

#define NULL ((void *)0)
#define __always_inline inline __attribute__((always_inline))
#define __init
#define __exit
#define __read_mostly
#define __ro_after_init
#define ____cacheline_aligned
#define __used __attribute__((unused))
#define __maybe_unused __attribute__((unused))
#define noinline
#define noinline_for_stack
#define __bpf_kfunc
#define __bpf_kfunc_start_defs()
#define __bpf_kfunc_end_defs()
#define fallthrough __attribute__((fallthrough))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile typeof(x) *)&(x) = (value))
#define offsetof(type, member) __builtin_offsetof(type, member)
#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#define BUILD_BUG_ON(x) _Static_assert(!(x), "BUILD_BUG_ON")
#define WARN_ON_ONCE(x) (x)
#define WARN_ON(x) (x)
#define BUG_ON(x) ((void)(x))
#define pr_info(...) ((void)0)
#define pr_debug(...) ((void)0)
#define BIT(n) (1UL << (n))
#define TCP_TS_HZ 1000

#define MODULE_AUTHOR(text)
#define MODULE_LICENSE(text)
#define MODULE_VERSION(text)
#define MODULE_ALIAS(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_INFO(tag, text)
#define MODULE_PARM_DESC(name, text)
#define module_param(name, type, permissions)
#define module_param_named(shown, variable, type, permissions)
#define module_param_cb(shown, operations, at, permissions)
#define module_init(function)
#define module_exit(function)
#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define THIS_MODULE NULL
/* Tables of functions for BPF: the file's own stay its own. */
#define BTF_SET8_START(name) static struct btf_id_set8 name __maybe_unused;
#define BTF_SET8_END(name)
#define BTF_KFUNCS_START(name) BTF_SET8_START(name)
#define BTF_KFUNCS_END(name)
#define BTF_ID_FLAGS(kind, name, flags...)
#define register_btf_kfunc_id_set(type, set) 0
#define memset(at, value, size) __builtin_memset(at, value, size)
#define memcpy(to, from, size) __builtin_memcpy(to, from, size)

#define HZ WT_HZ
#define USEC_PER_SEC 1000000L
#define USEC_PER_MSEC 1000L
#define NSEC_PER_SEC 1000000000L
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define MSEC_PER_SEC 1000L
#define U32_MAX ((u32)~0U)
#define U16_MAX ((u16)~0U)
#define U8_MAX ((u8)~0U)
#define S32_MAX ((s32)(U32_MAX >> 1))
#define U64_MAX ((u64)~0ULL)
#define INT_MAX S32_MAX
#define UINT_MAX U32_MAX
#define LONG_MAX ((long)(~0UL >> 1))
#define BITS_PER_LONG 64
#define BITS_PER_U64 64
#define EINVAL 22
#define ENOMEM 12

#include <windtunnel/arithmetic.h>

/* Bits: BPF has no instruction that counts them. fls counts from 1 and is 0 of 0. */
static __always_inline int fls64(u64 x)
{
	int n = 0;

	if (!x)
		return 0;
	if (x >> 32) { n += 32; x >>= 32; }
	if (x >> 16) { n += 16; x >>= 16; }
	if (x >> 8) { n += 8; x >>= 8; }
	if (x >> 4) { n += 4; x >>= 4; }
	if (x >> 2) { n += 2; x >>= 2; }
	return n + (x >> 1 ? 2 : 1);
}
static __always_inline int fls(unsigned int x) { return fls64(x); }
#define __fls(x) ((unsigned long)fls64(x) - 1)
#define ilog2(n) (fls64(n) - 1)

/* Time, and randomness: helpers of BPF by their numbers (uapi/linux/bpf.h). */
static u64 (*const wt_jiffies64)(void) = (void *)118;
static u64 (*const wt_ktime_get_ns)(void) = (void *)5;
static u32 (*const wt_prandom_u32)(void) = (void *)7;
#define jiffies ((unsigned long)wt_jiffies64())
#define tcp_jiffies32 ((u32)wt_jiffies64())
#define ktime_get_ns() wt_ktime_get_ns()
#define ktime_get_real() ((ktime_t)wt_ktime_get_ns())
#define get_random_u32() wt_prandom_u32()
#define prandom_u32_max(most) ((u32)(((u64)wt_prandom_u32() * (most)) >> 32))
#define get_random_u32_below(most) prandom_u32_max(most)
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)
#define before(a, b) ((s32)((u32)(a) - (u32)(b)) < 0)
#define after(a, b) before(b, a)
#define between(a, low, high) ((u32)(high) - (u32)(low) >= (u32)(a) - (u32)(low))
#define msecs_to_jiffies(ms) ((unsigned long)(ms) * HZ / 1000)
#define usecs_to_jiffies(us) (((unsigned long)(us) * HZ + 999999) / 1000000)
#define jiffies_to_msecs(j) ((unsigned int)((unsigned long)(j) * 1000 / HZ))
#define jiffies_to_usecs(j) ((unsigned int)((unsigned long)(j) * 1000000 / HZ))
#define ktime_to_us(t) ((s64)(t) / 1000)
#define ktime_us_delta(a, b) (((s64)(a) - (s64)(b)) / 1000)

/* The connection. */
#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define TCP_INIT_CWND 10
#define TCP_CA_NAME_MAX 16
#define TCP_CONG_NON_RESTRICTED 1
#define TCP_CONG_NEEDS_ECN 2
#define TCPF_CA_Open (1 << TCP_CA_Open)
#define TCPF_CA_Disorder (1 << TCP_CA_Disorder)
#define TCPF_CA_CWR (1 << TCP_CA_CWR)
#define TCPF_CA_Recovery (1 << TCP_CA_Recovery)
#define TCPF_CA_Loss (1 << TCP_CA_Loss)
#define GSO_LEGACY_MAX_SIZE 65536U
#define ICSK_CA_PRIV_SIZE sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv)
#define TCP_ECN_OK 1
#define TCP_ECN_QUEUE_CWR 2
#define TCP_ECN_DEMAND_CWR 4
#define TCP_ECN_SEEN 8

static __always_inline struct tcp_sock *tcp_sk(const struct sock *sk) { return (struct tcp_sock *)sk; }
static __always_inline struct inet_connection_sock *inet_csk(const struct sock *sk) { return (struct inet_connection_sock *)sk; }
static __always_inline void *inet_csk_ca(const struct sock *sk) { return (void *)inet_csk(sk)->icsk_ca_priv; }
static __always_inline u32 tcp_snd_cwnd(const struct tcp_sock *tp) { return tp->snd_cwnd; }
static __always_inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 value) { tp->snd_cwnd = value; }
static __always_inline bool tcp_in_slow_start(const struct tcp_sock *tp) { return tp->snd_cwnd < tp->snd_ssthresh; }
static __always_inline unsigned int tcp_left_out(const struct tcp_sock *tp) { return tp->sacked_out + tp->lost_out; }
static __always_inline unsigned int tcp_packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tcp_left_out(tp) + tp->retrans_out;
}
static __always_inline bool tcp_is_cwnd_limited(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (tp->is_cwnd_limited)
		return true;
	/* While it grows in slow start, one that uses half of the window counts as limited by it. */
	return tcp_in_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out;
}
/* While the window is being reduced ssthresh stands; else it is three quarters of the window at least. */
static __always_inline u32 tcp_current_ssthresh(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 three_quarters = (tp->snd_cwnd >> 1) + (tp->snd_cwnd >> 2);

	if ((TCPF_CA_CWR | TCPF_CA_Recovery) & (1 << inet_csk(sk)->icsk_ca_state))
		return tp->snd_ssthresh;
	return max(tp->snd_ssthresh, three_quarters);
}
#define tcp_time_stamp(tp) ((u32)((tp)->tcp_mstamp / 1000))
#define tcp_clock_us() (wt_ktime_get_ns() / 1000)
#define NET_INC_STATS(net, field) ((void)0)
#define NET_ADD_STATS(net, field, by) ((void)0)
static __always_inline u32 tcp_stamp_us_delta(u64 a, u64 b) { return max_t(s64, a - b, 0); }
static __always_inline u32 tcp_min_rtt(const struct tcp_sock *tp) { return tp->rtt_min.s[0].v; }
static __always_inline u32 minmax_get(const struct minmax *m) { return m->s[0].v; }

#define __ksym __attribute__((section(".ksyms")))
extern u32 tcp_slow_start(struct tcp_sock *tp, u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked) __ksym;
extern u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) __ksym;
extern u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

/* What registers a controller is done by the loader. */
static __always_inline int tcp_register_congestion_control(const struct tcp_congestion_ops *ops) { return ops == NULL; }
static __always_inline void tcp_unregister_congestion_control(const struct tcp_congestion_ops *ops) { (void)ops; }

#endif
