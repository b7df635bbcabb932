/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0 */
/*
 * What a kernel that is an endpoint and whoever keeps its clock tell each other, over one socket: `open` first, then in turns `said` and
 * `order`. Whole numbers of this machine, times in nanoseconds since the run's beginning.
 */
#ifndef WINDTUNNEL_ENDPOINT_H
#define WINDTUNNEL_ENDPOINT_H

#include <linux/types.h>

#define WINDTUNNEL_OPTIONS 40	/* bytes at most (RFC 9293 3.1) */
#define WINDTUNNEL_SEGMENTS 1024	/* in one message */
#define WINDTUNNEL_NEVER (~(__u64)0)

/* What the kernel is to be. */
struct windtunnel_open {
	__u32 is_server;
	__u32 mtu;
	__u64 window_bytes;	/* that a receiver offers */
	char algorithm[16];
};

enum windtunnel_what {
	WINDTUNNEL_GO_ON,
	WINDTUNNEL_CONNECT,
	WINDTUNNEL_ENDLESS,	/* to write, from now on */
	WINDTUNNEL_BYTES,	/* more to write */
	WINDTUNNEL_LAST,	/* more to write, then the end */
	WINDTUNNEL_STOP,
	WINDTUNNEL_PAUSE,
};

/* A TCP segment between two known ports: what of its header can differ, and how many zeros it carries. */
struct windtunnel_segment {
	__u32 seq, ack;
	__u16 flags;	/* data offset and flags, as in the header */
	__u16 window;
	__u16 payload;
	__u8 ecn;
	__u8 option_bytes;
	__u8 options[WINDTUNNEL_OPTIONS];
};

/* Go on until `at`; then these segments arrive, or this is done. */
struct windtunnel_order {
	__u64 at;
	__u64 bytes;
	__u32 what;
	__u32 segments;
	struct windtunnel_segment segment[];
};

/* Nothing more happens before `next`; these segments have left. */
struct windtunnel_said {
	__u64 now, next;
	__u32 segments;
	__u32 has_more;	/* another message follows before an order is read */
	__u64 cwnd, ssthresh;	/* segments; NEVER for no threshold */
	__u64 in_flight, retransmitted, loss_episodes, timeouts;	/* segments, and how often */
	__u64 srtt_us, min_rtt_us;	/* NEVER before the first sample */
	__u64 pacing;	/* bytes per second, NEVER for none */
	__u64 mss;
	__u64 received;	/* bytes, in order */
	__u32 state;	/* of congestion: open, disorder, cwr, recovery, loss */
	__u32 is_connected;
	__u32 is_finished;
	__u32 error;
	struct windtunnel_segment segment[];
};

#endif
