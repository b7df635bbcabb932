/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The controller interface of Windtunnel, version 1.
 *
 * A shared library that exports `windtunnel_controller` is a congestion controller: it stands wherever the name of a built-in one may
 * stand. The function answers with a table: what the controller is called, which parameters it has, and its hooks. The hooks are those
 * of the built-in laws, in the same order; their names follow the Linux kernel's (docs/guides/controllers.md has both beside each other).
 *
 * Units: segments for windows and counts, nanoseconds for times, bytes per second for rates. Segments are numbered from 0.
 *
 * State: the library is loaded once per run and set of parameters, each time as a private copy: what it keeps in globals and statics
 * is its own there. One thread calls at a time, not always the same one. A hook must answer, must not throw, and keeps no pointer that
 * it was given.
 *
 * Growth: the number below changes when something that is here changes its meaning or its place. New hooks go to the end of the table;
 * `size` tells which of them a library knows, and what it does not know is as if it were NULL. A library with a hook that the simulator
 * does not know is refused. No structure but the table grows.
 */
#ifndef WINDTUNNEL_H
#define WINDTUNNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WT_ABI 1u

/* A time that is not known, or a number of a segment that is not. */
#define WT_NONE UINT64_MAX

/* `wt_window.ssthresh` before the first loss. */
#define WT_SSTHRESH_INFINITE 2147483647.0

/* `wt_connection.ca_state`. */
enum wt_ca_state { WT_OPEN = 0, WT_DISORDER = 1, WT_CWR = 2, WT_RECOVERY = 3, WT_LOSS = 4 };

/* What `on_event` tells. */
enum wt_event {
	WT_TX_STARTED = 0,         /* data is sent while nothing was in flight; `last_sent_ns` is still the time before */
	WT_WINDOW_RESTARTED = 1,   /* the window was cut after an idle period */
	WT_REDUCTION_COMPLETED = 2,/* the reduction of a Recovery or CWR episode is complete */
	WT_TIMED_OUT = 3           /* the retransmission timer expired */
};

/* `wt_needs.control`: who moves the window, and what decides when segments leave. */
enum wt_control {
	WT_WINDOW = 0,       /* the controller lets the window grow, the transport brings it down to `ssthresh`; segments leave as ACKs come */
	WT_PACED_WINDOW = 1, /* the same, and segments are paced at `pacing_rate` */
	WT_FULL = 2,         /* the controller sets the window on every ACK, also in recovery; segments are paced */
	WT_FULL_BY_RATE = 3, /* the same from delivery-rate samples: `on_rate_sampled` in place of `on_acked` */
	WT_FULL_UNPACED = 4  /* as WT_FULL, and segments leave as ACKs come unless the stack paces */
};

/* `wt_needs.rtt_samples`. */
enum wt_rtt_samples { WT_RTT_UNUSED = 0, WT_RTT_BY_STACK = 1, WT_RTT_EXACT = 2 };

/* `wt_needs.ecn`. */
enum wt_ecn {
	WT_ECN_BY_STACK = 0, /* as the stack is set */
	WT_ECN_DCTCP = 1,    /* ECN, and every ACK says whether what it answers was marked (RFC 8257) */
	WT_ECN_L4S = 2       /* ECN with a count of marks (RFC 9768), as a scalable sender (RFC 9331) */
};

/* `wt_controller.flags`: the library keeps nothing outside the states that `create` makes, so that one copy serves all runs. */
#define WT_STATELESS 1u

/* A parameter that the user may set. Its value is always given as a double. */
struct wt_parameter {
	const char *name;
	const char *unit;    /* "1" for a plain number, "switch" for 0 or 1 */
	const char *doc;     /* one line */
	double value;        /* the default */
	double min;
	double max;
	uint32_t is_integer; /* 1 when only whole numbers are allowed */
	uint32_t reserved;
};

/* What a controller asks of the transport. Asked once per connection; zero is what needs nothing. */
struct wt_needs {
	uint32_t control;        /* enum wt_control */
	uint32_t rtt_samples;    /* enum wt_rtt_samples: calls of `on_rtt_sampled` */
	uint32_t ack_arrivals;   /* 1: calls of `on_ack_arrived` */
	uint32_t transport_rate; /* 1: `wt_connection.pacing_rate_bytes_per_s` is kept in slow start although nothing is paced */
	uint32_t ecn;            /* enum wt_ecn */
	uint32_t ahead;          /* WT_PACED_WINDOW: segments by which the sender may run ahead of the rate */
};

/* The window: what a controller writes. */
struct wt_window {
	double cwnd;       /* segments, 1 at least; the sender sends while fewer are in flight */
	double ssthresh;   /* segments */
	uint32_t cnt;      /* credit towards the next segment (Linux `snd_cwnd_cnt`); the transport zeroes it when a reduction begins */
	uint32_t reserved;
	const char *fault; /* NULL; a text here ends the run with it. It must stay valid until the state is destroyed. */
};

/* The connection, as the transport keeps it. */
struct wt_connection {
	uint64_t now_ns;                  /* time of what is being handled */
	uint64_t una;                     /* first segment not cumulatively acknowledged */
	uint64_t nxt;                     /* next segment to be sent for the first time */
	uint64_t delivered;               /* segments delivered so far, cumulatively or selectively acknowledged */
	uint64_t delivered_ce;            /* of those, echoed as ECN-marked */
	uint64_t lost;                    /* segments ever held to be lost (WT_FULL, WT_FULL_UNPACED, WT_FULL_BY_RATE, or with packets) */
	uint64_t app_limited_until;       /* the application limits what is delivered until this count, the handshake as one; 0: it does not (as `lost`) */
	uint64_t rtt_min_ns;              /* smallest RTT of the last 300 s, or WT_NONE */
	uint64_t pacing_rate_bytes_per_s; /* at which the transport would pace */
	uint64_t last_sent_ns;            /* when the last data segment left */
	double prior_cwnd;                /* the window when the current reduction began */
	uint32_t in_flight;               /* segments: the pipe */
	uint32_t mss_bytes;               /* payload of a full segment */
	uint32_t srtt8_us;                /* eight times the smoothed RTT, microseconds; 0 before the first sample */
	uint8_t ca_state;                 /* enum wt_ca_state; during `on_state_changed` the one that is left */
	uint8_t is_cwnd_limited;          /* the window limited the sender */
	uint8_t is_paced;                 /* segments leave spread over the round trip */
	uint8_t has_selective_acks;
};

/* What an ACK says of the RTT. */
struct wt_rtt_sample {
	uint64_t rtt_ns;     /* of the latest-sent segment newly acknowledged; WT_NONE if ambiguous */
	uint64_t forward_ns; /* of that, to the receiver, up to a constant; WT_NONE unless the ACK moved `una` */
	uint64_t sent_ns;    /* when the segment left whose timestamp this ACK echoes; WT_NONE as `forward_ns` */
	uint32_t acked;      /* segments cumulatively acknowledged by this ACK */
	uint32_t in_flight;  /* the pipe before this ACK */
};

/* What an ACK looks like. */
struct wt_ack {
	uint32_t is_slow_path; /* more than a plain advance: SACK blocks, ECE, or a duplicate */
	uint32_t has_ece;      /* it carries ECN-Echo */
};

/* A delivery-rate sample, made of the newest delivered segment and the connection when that was sent. */
struct wt_rate_sample {
	uint64_t interval_ns;        /* the sampling interval; WT_NONE when it is shorter than the smallest RTT */
	uint64_t rtt_ns;             /* WT_NONE if ambiguous */
	uint64_t sent_ns;            /* when the newest delivered segment left; WT_NONE without an RTT */
	uint64_t delivered_ns;       /* when something was last delivered */
	uint64_t prior_delivered_ns; /* the same clock when the segment was sent */
	uint64_t prior_delivered;    /* `wt_connection.delivered` when the segment was sent */
	int64_t delivered;           /* segments delivered over the interval; -1 if the ACK delivered nothing new */
	uint32_t lost;               /* segments newly found lost by this ACK */
	uint32_t acked;              /* segments newly delivered by this ACK */
	uint32_t prior_in_flight;    /* the pipe before this ACK */
	uint32_t tx_in_flight;       /* the pipe when the segment was sent, itself included */
	uint32_t lost_since_sent;    /* segments held to be lost since the segment was sent */
	uint32_t is_app_limited;
};

/* A segment that is held to be lost, and the connection when it was sent. */
struct wt_lost_segment {
	uint64_t seq;             /* its number */
	uint32_t tx_in_flight;    /* the pipe when it was sent, itself included */
	uint32_t lost_since_sent; /* segments held to be lost since then, itself included */
	uint32_t is_app_limited;
	uint32_t reserved;
};

/* A packet: one transmission of a segment, and the connection when it left. */
struct wt_packet {
	uint64_t number;         /* the transmissions of a connection are counted from 0, repeated ones among them */
	uint64_t seq;            /* the segment that it carries */
	uint64_t sent_ns;        /* when it left */
	uint64_t delivered;      /* `wt_connection.delivered` when it left */
	uint64_t lost;           /* segments ever held to be lost when it left */
	uint32_t bytes;          /* its payload */
	uint32_t in_flight;      /* the pipe when it left, itself included */
	uint32_t is_app_limited; /* the application, not the window, limited what was sent */
	uint32_t is_repeated;    /* the segment had been sent before */
};

/* A controller. What may be NULL says so. */
struct wt_controller {
	uint32_t abi;  /* WT_ABI */
	uint32_t size; /* sizeof(struct wt_controller) */
	uint32_t flags;
	uint32_t parameter_count;
	uint32_t variable_count;
	uint32_t reserved;
	const char *name;    /* lowercase letters, digits, '-' and '_' */
	const char *summary; /* one line, may be NULL */
	const struct wt_parameter *parameters;
	const char *const *variables; /* names of what `variables_now` tells */

	/* Once in each copy of the library, before any state is created; `values` are in the order of `parameters`. What the table says
	 * besides `parameters` is read after it. Answers NULL, or why not in one line. May be NULL. */
	const char *(*load)(const double *values);

	/* The state of a new connection; NULL ends the run. */
	void *(*create)(const double *values);
	void (*destroy)(void *state);
	/* An equal state that shares nothing with the first. */
	void *(*clone)(const void *state);
	void (*needs)(const void *state, struct wt_needs *needs); /* may be NULL */

	/* Before the connection is established: for whatever is drawn at random. May be NULL. */
	void (*on_seeded)(void *state, uint64_t seed);
	/* Linux `init`. May be NULL. */
	void (*on_established)(void *state, struct wt_window *w, const struct wt_connection *c);

	/* On an ACK, in this order. Each may be NULL, but of `on_acked` and `on_rate_sampled` the one that `needs.control` asks for.
	 * Linux: `pkts_acked`, `in_ack_event`, `set_state`, `cong_avoid` or `cong_control`. */
	void (*on_rtt_sampled)(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_rtt_sample *s);
	void (*on_ack_arrived)(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_ack *a);
	void (*on_segment_lost)(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_lost_segment *s);
	void (*on_state_changed)(void *state, struct wt_window *w, const struct wt_connection *c, uint32_t to);
	void (*on_acked)(void *state, struct wt_window *w, const struct wt_connection *c, uint32_t acked);
	void (*on_rate_sampled)(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_rate_sample *s);

	/* After `on_rate_sampled`: 1 when the controller itself keeps the flow below what the path carries. May be NULL. */
	uint32_t (*holds_back)(const void *state);

	/* A congestion episode begins: the new slow-start threshold, segments. */
	double (*ssthresh)(void *state, struct wt_window *w, const struct wt_connection *c);
	/* The episode proved spurious: the window to return to, segments. NULL for the larger of now and before. */
	double (*undo)(void *state, struct wt_window *w, const struct wt_connection *c);
	/* Linux `cwnd_event`. May be NULL. */
	void (*on_event)(void *state, struct wt_window *w, const struct wt_connection *c, uint32_t event);

	/* The rate to pace at, bytes per second; 0 for the transport's own rule. May be NULL. */
	uint64_t (*pacing_rate)(const void *state, const struct wt_window *w, const struct wt_connection *c);
	/* The values of `variables`, NaN where not yet known. May be NULL when there are none. */
	void (*variables_now)(const void *state, double *values);

	/* One call in place of `on_rtt_sampled` and `on_acked`, for ACKs without trouble outside slow start: most of them. It does what the
	 * one would do, and, unless `cwnd` is below `ssthresh` then, what the other would do with `s->acked` segments when
	 * `is_cwnd_limited` of the connection is what is given here. Answers 1 when it did both, 0 when `on_acked` is to follow. May be NULL;
	 * unused by a controller that needs no RTT samples. */
	uint32_t (*on_plain_ack)(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_rtt_sample *s,
				 uint32_t is_cwnd_limited);

	/* Each packet, for controllers that are written for stacks which number them; the three hooks below. Asked once per connection: 0 for
	 * none of them, whatever is in the table. NULL: the table tells, and a controller without any of the three pays nothing. */
	uint32_t (*wants_packets)(const void *state);
	/* A packet is about to leave, new or again; `c` is still the connection without it. A window that is set here counts from the next event
	 * on. May be NULL. */
	void (*on_packet_sent)(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_packet *p);
	/* A packet has arrived, as far as ACKs tell: of a segment that was sent more than once the latest. Those of one ACK come one by one in
	 * the order of their numbers, after `on_rtt_sampled` and before `on_ack_arrived`; `c` is already the connection after all of them. A
	 * number that a repeated packet replaced before it was held to be lost is never heard of again. May be NULL. */
	void (*on_packet_acked)(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_packet *p);
	/* A packet is held to be lost: before `on_state_changed` and `ssthresh` of the episode that this begins, if it does. If it arrives all the
	 * same, `on_packet_acked` says so later. May be NULL. */
	void (*on_packet_lost)(void *state, struct wt_window *w, const struct wt_connection *c, const struct wt_packet *p);
};

#if defined(_WIN32)
#define WT_EXPORT __declspec(dllexport)
#else
#define WT_EXPORT __attribute__((visibility("default")))
#endif

/* The controller for a simulator that speaks version `abi`; NULL if there is none. */
WT_EXPORT const struct wt_controller *windtunnel_controller(uint32_t abi);

/* Why there is none, in one line. Need not be exported. */
WT_EXPORT const char *windtunnel_error(void);

#ifdef __cplusplus
}
#endif

#endif
