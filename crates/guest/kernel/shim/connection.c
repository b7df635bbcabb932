/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Between a congestion-control module of the kernel's and the controller interface: one per library. The module's globals are the
 * library's: every run and set of parameters has a copy of it.
 */
#include <stdarg.h>
#include <stddef.h>

#include <windtunnel/tcp.h>
#undef jiffies
#undef min
#undef max
#undef abs
#undef KERNEL_VERSION
#define WT_FIXED_TYPES
#include "windtunnel.h"

#include <stdio.h>
#include <stdlib.h>

unsigned long wt_kernel_jiffies;

/* The module, and what it registers. */
int wt_kernel_init(void) __attribute__((weak));
extern const struct kernel_param __start_wt_kernel_params[] __attribute__((weak, visibility("hidden")));
extern const struct kernel_param __stop_wt_kernel_params[] __attribute__((weak, visibility("hidden")));
extern const struct wt_kernel_doc __start_wt_kernel_docs[] __attribute__((weak, visibility("hidden")));
extern const struct wt_kernel_doc __stop_wt_kernel_docs[] __attribute__((weak, visibility("hidden")));

#define REGISTERED_MAX 4
static struct tcp_congestion_ops *registered[REGISTERED_MAX];
static int registered_count;
static char error[400];

/* A draw that replaces all others, for recordings that tell what was drawn. */
WT_EXPORT s64 wt_kernel_pinned_draw = -1;

#define GUARD 0x57696e6474756e6eULL
#define ALLOCATIONS_MAX 16

/* Two neighbours in `struct tcp_sock`, which are mostly as they were. */
struct wt_pair { u32 cwnd, ssthresh; };
_Static_assert(offsetof(struct tcp_sock, snd_ssthresh) == offsetof(struct tcp_sock, snd_cwnd) + sizeof(u32), "they are neighbours");

/* A connection: the socket comes first. */
struct flow {
	struct tcp_sock tp;
	struct rate_sample rs;
	u64 random;
	struct wt_pair shown; /* cwnd and ssthresh, as the module was shown them */
	u32 ack_flags;
	u32 peer_ahead_ms; /* by which the peer's timestamps are ahead of ours (RFC 7323 5.4) */
	u64 backward_ns;   /* the last ACK's way back */
	u32 cwr_until;    /* the end of a reduction that the module began */
	bool in_own_cwr;
	bool held_back;
	bool is_new;
	bool sets_pacing; /* the module does: it has cong_control */
	struct { void *at; size_t size; } allocations[ALLOCATIONS_MAX];
};

/* Whose hook runs. */
static struct flow *current;

static const struct tcp_congestion_ops *ops_of(const struct flow *f) { return f->tp.inet_conn.icsk_ca_ops; }
static struct sock *sock_of(struct flow *f) { return (struct sock *)&f->tp; }
