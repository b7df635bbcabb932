/*
 * The dumbbell: a near and a far router with the bottlenecks between them, and one host per flow.
 *
 *     forward senders -- near router ==(link forward)== far router -- reverse senders
 *                                    ==(link reverse)==
 *
 * Data of a forward flow ends in the far router, data of a reverse flow in the near one. Every sender has a network
 * namespace of its own, so that the kernel's per-namespace counters are those of one flow. A flow's whole propagation
 * delay lies between the router and its sender, where only its ACKs pass: a queueing discipline on a sender would take
 * its packets out of TCP's sight. The sources of datagrams share a host per direction, without any delay.
 *
 * Several hops in a row have a router before each and one behind it, with the propagation between it and the next:
 *
 *     before[0] ==(forward)== behind[0] --(delay)-- before[1] ==(forward2)== behind[1] -- ... == behind[last] ==(reverse)== before[0]
 *
 * A forward flow's host has a cable to the router before its first hop, for its data, and one to before[0], for its ACKs: from behind its
 * last hop they take a cable to behind[last], and the reverse link. A reverse flow's host has one to behind[last], for its data, which a
 * cable from before[0] takes to the router before its first hop, and one to the router behind its last hop, for its ACKs.
 *
 * A link that changes in time or makes packets late has a stage between its end and the router behind it: for the longer way, or for the transmissions of a link
 * that is HTB's, which lets a packet go when its own begins.
 */
#ifndef WINDTUNNEL_TOPOLOGY_H
#define WINDTUNNEL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "cables.h"
#include "netlink.h"
#include "plan.h"

struct link {
	int netlink;
	unsigned device;
	uint32_t queue;		/* parent of the qdisc that queues */
	const struct discipline_plan *discipline;	/* NULL where it is netem */
	uint32_t shaper;	/* handle of what gives it its rate */
	int stage;		/* netlink where what leaves it is kept, if it changes */
	unsigned stage_device;
	struct qdisc_counters counters, all;
	uint64_t marks;
};

/* A sender's place: its namespace, its own address where several are there (0 for any), and its device (0 where that is never felt). */
struct station {
	int namespace;
	uint32_t address;
	struct link device;
};

/* A host that several senders share, and the router that its device leads to. */
struct machine {
	struct router access;
	struct station station;
	int netlink;
	bool leads[2];	/* whether the access router has a cable to where data of a direction begin */
};

struct topology {
	uint32_t largest_bytes;	/* packet of any sender: what every cable takes */
	int machines;	/* one more than the largest number of a machine that is built, whether or not others are */
	struct machine *machine;
	int hops;
	struct router before[HOPS_MOST], behind[HOPS_MOST];	/* of each forward link: the near and the far router of a single one */
	struct link link[HOPS_MOST + 1];	/* as in the plan */
};

/* Builds the routers and the links. */
void topology_build(struct topology *topology, const struct plan *plan);

/* Builds the host of flow `index`, or finds the one that it shares. */
void topology_add_host(struct topology *topology, const struct plan *plan, int index, struct station *station);

/* Builds the host whose packets leave at the time written on them, and returns its namespace. */
int topology_add_clockwork(struct topology *topology, const struct plan *plan, const struct source_plan *source);

/* The address at which data of this direction ends. */
uint32_t topology_receiver(enum direction direction, const struct stretch *stretch);

/* The namespace in which it ends. */
int topology_receiving(const struct topology *topology, enum direction direction, const struct stretch *stretch);

/* Lets a step of a link happen. */
void link_step(struct link *link, const struct step_plan *step);

/* Brings a link's counters up to date. */
void link_read(struct link *link);

#endif
