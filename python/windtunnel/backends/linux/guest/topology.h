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
 */
#ifndef WINDTUNNEL_TOPOLOGY_H
#define WINDTUNNEL_TOPOLOGY_H

#include <stdint.h>

#include "netlink.h"
#include "plan.h"

struct link {
	int netlink;
	unsigned device;
	uint32_t queue;		/* parent of the qdisc that queues */
	const struct discipline_plan *discipline;	/* NULL where it is netem */
	struct qdisc_counters counters, all;
	uint64_t marks;
};

struct topology {
	int router[2];		/* namespaces: near, far */
	struct link link[2];
};

/* Builds the routers and the links. */
void topology_build(struct topology *topology, const struct plan *plan);

/* Builds the host of flow `index` and returns its namespace. */
int topology_add_host(struct topology *topology, const struct plan *plan, int index);

/* Builds the host whose packets leave at the time written on them, and returns its namespace. */
int topology_add_clockwork(struct topology *topology, const struct plan *plan, enum direction direction);

/* The rest of the calling process happens in this namespace. */
void namespace_enter(int namespace);

/* The address at which data of this direction ends. */
uint32_t topology_receiver(enum direction direction);

/* The namespace in which it ends. */
int topology_receiving(const struct topology *topology, enum direction direction);

/* Brings a link's counters up to date. */
void link_read(struct link *link);

#endif
