/* What the host asks for: the file "plan", one setting a line, everything in integers. */
#ifndef WINDTUNNEL_PLAN_H
#define WINDTUNNEL_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "burst.h"
#include "late.h"

#define PLAN_VERSION 1
#define FULL_PACKET_BYTES 1500	/* of IP */
#define HEADER_BYTES 52	/* of a segment, with its timestamps */
#define NEVER UINT64_MAX

enum direction { FORWARD, REVERSE };

/* A queue that one of the kernel's disciplines governs: its name and its numbers, see discipline.c. */
#define DISCIPLINE_VALUES 8
struct discipline_plan {
	char kind[16];	/* empty: netem queues */
	int values;
	uint64_t value[DISCIPLINE_VALUES];
};

#define HOPS_MOST 65	/* forward links in a row */

/* From a moment on a link has another rate, or a longer way behind it, or another queue, or transmits nothing for a while. */
struct step_plan {
	uint64_t at_ns;
	uint64_t rate_bytes;	/* 0 where it is something else that changes */
	uint64_t outage_ns;	/* likewise */
	uint32_t limit;		/* likewise; what the qdisc that queues is given: packets */
	uint64_t extra_ns;
};

struct link_plan {
	char name[16];	/* "forward", "forward2" and so on, "reverse" */
	uint64_t delay_ns;	/* from the end of the link before it */
	uint64_t rate_bytes;	/* per second */
	uint32_t limit;		/* packets, the one in service among them */
	uint32_t loss;		/* probability, of 2^32 */
	struct burst burst;
	struct discipline_plan discipline;
	struct late late;
	uint32_t copies;	/* probability that a packet arrives twice, of 2^32 */
	bool is_fifo;		/* its queue is ours, in place of netem's: limited in time or in bytes, NEVER where it is not */
	uint64_t limit_ns, limit_bytes;
	bool changes_rate, changes_delay, has_outages;
	int steps;
	struct step_plan *step;
};

/* What an application hands to its flow, and when. */
enum writing {
	WRITES_ALWAYS,
	WRITES_ON_OFF,	/* as fast as the flow takes it, then nothing, in turns */
	WRITES_CHUNKS,	/* what a rate makes of the time from one chunk to the next */
	WRITES_ASKED,	/* what its client asks for */
};

struct writes_plan {
	enum writing writing;
	uint64_t on_ns, off_ns;
	uint64_t rate_bps, every_ns;
};

/* When a receiver's application reads what has arrived. */
enum reading_kind {
	READS_AT_ONCE,
	READS_ON_OFF,	/* as it arrives, then nothing, in turns */
	READS_CHUNKS,	/* what a rate makes of the time from one read to the next */
};

/* A receiver whose buffer may be full: its memory, what it grows to, and who reads. */
struct receiver_plan {
	uint64_t buffer_bytes;	/* 0 for one that is never full */
	uint64_t most_bytes;	/* 0 for one that does not grow */
	enum reading_kind reading;
	uint64_t on_ns, off_ns;
	uint64_t rate_bps, every_ns;
};

/* What a client thinks before it asks, what its request takes, and what it is sent: payload, whole segments. */
struct exchange_plan {
	uint64_t think_ns;
	uint64_t request_bytes, response_bytes;
};

/* A client at the receiver: how often it asks, and all that it may come to before the end. */
struct asks_plan {
	uint64_t count;		/* NEVER for no end */
	int exchanges;
	struct exchange_plan *exchange;
};

/* The first and the last of the forward links that a party's packets cross, counted from 0. */
struct stretch {
	int enter, leave;
};

/* A sender's network device: its rate, and how many packets wait for it. */
struct device_plan {
	uint64_t rate_bytes;	/* per second; 0 for one that is never felt */
	uint32_t limit;
	int machine;		/* number of the host that has it, for all flows on that; -1 for a host of the flow's own */
};

struct flow_plan {
	enum direction direction;
	uint32_t packet_bytes;	/* of IP, full */
	struct stretch stretch;
	char algorithm[16];
	uint64_t rtt_ns;
	uint64_t jitter_ns;
	uint64_t start_ns;	/* NEVER for an object, which its session begins */
	uint64_t stop_ns;	/* NEVER for none */
	uint64_t bytes;		/* NEVER for no end */
	uint32_t window_bytes;	/* the receiver's largest window */
	uint32_t initial_window;	/* packets, 0 for the kernel's */
	bool paced;
	bool opens;	/* it connects at its start; if not, so early that it is established then */
	bool is_transfer;	/* of a source of transfers: only its totals and its end are written down */
	int host;		/* the flow whose host it uses; -1 for one of its own */
	struct device_plan device;
	struct writes_plan writes;
	struct receiver_plan receiver;
	struct asks_plan asks;
};

/* A thought, and a page of so many objects. */
struct page_plan {
	uint64_t think_ns;
	uint64_t objects;
};

/* Somebody who looks at pages. Objects are flows, one behind the other, that begin when it is their turn. */
struct session_plan {
	int first;		/* object's flow */
	int objects;
	uint64_t connections;	/* objects at once */
	uint64_t start_ns;
	uint64_t stop_ns;	/* NEVER for none */
	int pages;
	struct page_plan *page;
};

/* Datagrams by the clock, sent where their link begins. */
struct source_plan {
	enum direction direction;
	struct stretch stretch;
	uint32_t packet_bytes;	/* of IP */
	uint64_t start_ns;
	uint64_t stop_ns;	/* NEVER for none */
	uint64_t period_ns;	/* in which the rates take their turns, 0 for a single rate */
	int rates;
	uint64_t *rate_bps;
};

/* A file below /proc/sys written in one flow's own network namespace, or in everybody's (flow -1). */
struct sysctl_plan {
	int flow;
	char path[96];
	char value[64];
};

/* A kernel module in the root folder, which is loaded first: NAME.ko. It is also what its congestion control is called. */
struct module_plan {
	char name[16];
	char file[80];		/* what the user calls the source */
	char *parameters;	/* as the kernel reads them; NULL for none */
};

struct plan {
	uint64_t duration_ns;
	uint64_t warmup_ns;
	uint64_t sample_ns;	/* 0 for no samples */
	uint64_t captures;	/* where packets are kept: a bit per enum place_of_capture */
	uint64_t watch_ns;	/* how often a flow is looked at for events; divides sample_ns */
	uint32_t largest_bytes;	/* of IP, of any packet */
	int hops;		/* forward links */
	int links;		/* these, and behind them the reverse link if there is one */
	struct link_plan link[HOPS_MOST + 1];
	int flows;
	struct flow_plan *flow;
	int sources;
	struct source_plan *source;
	int sessions;
	struct session_plan *session;
	int modules;
	struct module_plan *module;
	int sysctls;
	struct sysctl_plan *sysctl;
};

/* The reverse link, NULL where there is none. */
const struct link_plan *plan_reverse(const struct plan *plan);

/*
 * What the last forward link of a flow, the reverse link and its device add to its round trip that is no wait: from where a discipline lets
 * go of a packet to its last bit. Behind other links the way to the next one takes that time, behind a link of several rates its stage.
 */
uint64_t plan_wire_ns(const struct plan *plan, const struct flow_plan *flow);

/* The transmission of a full packet by the sender's device. */
uint64_t plan_device_ns(const struct flow_plan *flow);

/*
 * What of a flow's delay lies between the end of its data's last link and the first link of its ACKs: half of its base RTT, as in the simulator, less
 * the way between its hops, and what its last link adds that is no wait. Without a reverse link nothing does, for no ACK meets anything.
 */
uint64_t plan_receiver_ns(const struct plan *plan, const struct flow_plan *flow);

/* Propagation from the first forward link of a flow to its last. */
uint64_t plan_between_ns(const struct plan *plan, const struct stretch *stretch);

/*
 * From connect() to a flow's start: none where it opens then. The first data of others leave at their start, and a client asks at that time: it must
 * have its connection by then. Its end of it lags by three quarters of the delay less than the sender's, and an ACK has to come to it, for which the
 * handshake's transmissions both ways are time enough.
 */
uint64_t plan_ahead_ns(const struct plan *plan, const struct flow_plan *flow);

/* Reads the plan; fails on anything it does not understand. */
void plan_read(const char *path, struct plan *plan);

#endif
