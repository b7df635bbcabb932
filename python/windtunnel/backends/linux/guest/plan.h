/* What the host asks for: the file "plan", one setting a line, everything in integers. */
#ifndef WINDTUNNEL_PLAN_H
#define WINDTUNNEL_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "burst.h"

#define PLAN_VERSION 1
#define FULL_PACKET_BYTES 1500	/* of IP */
#define SEGMENT_BYTES 1448	/* of payload in it */
#define NEVER UINT64_MAX

enum direction { FORWARD, REVERSE };

/* A queue that one of the kernel's disciplines governs: its name and its numbers, see discipline.c. */
#define DISCIPLINE_VALUES 8
struct discipline_plan {
	char kind[16];	/* empty: netem queues */
	int values;
	uint64_t value[DISCIPLINE_VALUES];
};

struct link_plan {
	bool exists;
	uint64_t rate_bytes;	/* per second */
	uint32_t limit;		/* packets, the one in service among them */
	uint32_t loss;		/* probability, of 2^32 */
	struct burst burst;
	struct discipline_plan discipline;
};

/* What an application hands to its flow, and when. */
enum writing {
	WRITES_ALWAYS,
	WRITES_ON_OFF,	/* as fast as the flow takes it, then nothing, in turns */
	WRITES_CHUNKS,	/* what a rate makes of the time from one chunk to the next */
};

struct writes_plan {
	enum writing writing;
	uint64_t on_ns, off_ns;
	uint64_t rate_bps, every_ns;
};

struct flow_plan {
	enum direction direction;
	char algorithm[16];
	uint64_t rtt_ns;
	uint64_t jitter_ns;
	uint64_t start_ns;
	uint64_t stop_ns;	/* NEVER for none */
	uint64_t bytes;		/* NEVER for no end */
	uint32_t window_bytes;	/* the receiver's largest window */
	uint32_t initial_window;	/* packets, 0 for the kernel's */
	bool paced;
	bool opens;	/* it connects at its start; if not, so early that it is established then */
	bool is_transfer;	/* of a source of transfers: only its totals and its end are written down */
	int host;		/* the flow whose host it uses; -1 for one of its own */
	struct writes_plan writes;
};

/* Datagrams by the clock, sent where their link begins. */
struct source_plan {
	enum direction direction;
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
	uint64_t watch_ns;	/* how often a flow is looked at for events; divides sample_ns */
	struct link_plan link[2];
	int flows;
	struct flow_plan *flow;
	int sources;
	struct source_plan *source;
	int modules;
	struct module_plan *module;
	int sysctls;
	struct sysctl_plan *sysctl;
};

/* What the links add to a flow's round trip that is no wait: from where a discipline lets go of a packet to its last bit. */
uint64_t plan_wire_ns(const struct plan *plan, enum direction direction);

/* Reads the plan; fails on anything it does not understand. */
void plan_read(const char *path, struct plan *plan);

#endif
