/*
 * The dumbbell: a near and a far router with the bottlenecks between them, and one host per flow.
 *
 *     forward senders -- near router ==(link forward)== far router -- reverse senders
 *                                    ==(link reverse)==
 *
 * Data of a forward flow ends in the far router, data of a reverse flow in the near one. Every sender has a network
 * namespace of its own, so that the kernel's per-namespace counters are those of one flow. A flow's whole propagation
 * delay lies between the router and its sender, where only its ACKs pass: a queueing discipline on a sender would take
 * its packets out of TCP's sight. With a reverse link, in which ACKs meet others, half of it lies between the receiver, which then has a host at
 * its router, and that link. The sources of datagrams share a host per direction, without any delay.
 *
 * Several hops in a row have a router before each and one behind it, with the propagation between it and the next:
 *
 *     before[0] ==(forward)== behind[0] --(delay)-- before[1] ==(forward2)== behind[1] -- ... == behind[last] ==(reverse)== before[0]
 *
 * A forward flow's host has a cable to the router before its first hop, for its data, and one to before[0], for its ACKs: from behind its
 * last hop they take a cable to behind[last], and the reverse link. A reverse flow's host has one to behind[last], for its data, which a
 * cable from before[0] takes to the router before its first hop, and one to the router behind its last hop, for its ACKs.
 *
 * A link that changes in time, makes packets late or doubles them has a stage between its end and the router behind it: for the longer way, or for the transmissions of a link
 * that is HTB's, which lets a packet go when its own begins.
 */
#ifndef WINDTUNNEL_TOPOLOGY_H
#define WINDTUNNEL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "cables.h"
#include "netlink.h"
#include "outage.h"
#include "plan.h"

struct link {
	int netlink;
	unsigned device;
	uint32_t queue;		/* parent of the qdisc that queues */
	const struct discipline_plan *discipline;	/* NULL where it is netem */
	uint32_t shaper;	/* handle of what gives it its rate */
	struct netem netem;	/* that, and the queue, where there is no discipline */
	int stage;		/* netlink where what leaves it is kept, if it changes */
	unsigned stage_device;
	struct outages outages;
	struct qdisc_counters counters, all;
	uint64_t marks;
};

/*
 * A sender's place: its namespace, its own address where several are there (0 for any), and its device (0 where that is never felt). And its
 * receiver's: namespace and address.
 */
struct station {
	int namespace;
	uint32_t address;
	struct link device;
	int receiving;
	uint32_t receiver;
};

/* A host of receivers at a router, whose ACKs are under way for a time before they meet the link back. */
struct place_of_receivers {
	const struct router *router;
	uint64_t delay_ns;
	int namespace;
	uint32_t address;
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
	int places;
	struct place_of_receivers *receivers;
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

/* Builds the host of a flow's receiver, or finds it. */
void topology_find_receivers(struct topology *topology, const struct plan *plan, const struct flow_plan *flow, struct station *station);

/* Captures the data of flow `index` as they leave its first link, and its ACKs as they come back behind the links. */
void topology_listen(const struct topology *topology, int index, const struct flow_plan *flow);

/* The router at which data of this direction ends. */
const struct router *topology_ends(const struct topology *topology, enum direction direction, const struct stretch *stretch);

/* Its address. */
uint32_t topology_receiver(enum direction direction, const struct stretch *stretch);

/* Its namespace. */
int topology_receiving(const struct topology *topology, enum direction direction, const struct stretch *stretch);

/* Lets a step of a link happen. */
void link_step(struct link *link, const struct step_plan *step);

/* Brings a link's counters up to date. */
void link_read(struct link *link);

#endif
