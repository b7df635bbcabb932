/* The little of rtnetlink that a topology needs: links, addresses, routes, qdiscs, and a qdisc's counters. */
#ifndef WINDTUNNEL_NETLINK_H
#define WINDTUNNEL_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "burst.h"
#include "late.h"

struct veth {
	const char *name;
	const char *peer;
	int peer_namespace;	/* file descriptor */
	uint32_t mtu;		/* 0 for the usual one */
	uint16_t station;	/* both ends have the same hardware address, so that nobody has to be asked for it */
};

struct netem {
	uint32_t parent;	/* TC_H_ROOT, or the class it hangs from */
	uint32_t handle;
	uint32_t limit;		/* packets */
	uint32_t loss;		/* probability, of 2^32 */
	struct burst burst;	/* in place of it */
	uint64_t rate_bytes;	/* per second, 0 for none; counts IP bytes */
	int64_t delay_ns;
	int64_t jitter_ns;	/* either way of delay_ns */
	struct late late;	/* in place of jitter */
	uint32_t copies;	/* probability of a second one, of 2^32 */
	bool changes;		/* it is there already */
	bool counts_ip_bytes;	/* it and those below it; otherwise frames */
};

/* A queue that is limited in time or in bytes, of the module queue/fifo.c. */
struct fifo {
	uint32_t parent, handle;
	uint64_t rate_bytes;	/* per second; of IP, as the limit */
	uint64_t limit_ns, limit_bytes;	/* UINT64_MAX for none */
};

struct qdisc_counters {
	uint64_t ip_bytes;	/* that left */
	uint64_t packets;	/* that left */
	uint32_t queue_packets;
	uint32_t queue_ip_bytes;
	uint32_t drops;
	uint32_t header_bytes;	/* of a packet, that the qdisc counts in; given */
	unsigned char own[512];	/* the qdisc's own statistics; attributes, where they are */
	uint32_t own_bytes;
};

/* A socket that speaks to the network namespace the caller is in. */
int netlink_open(void);

void netlink_add_veth(int netlink, const struct veth *veth);
void netlink_set_up(int netlink, unsigned device);
void netlink_add_address(int netlink, unsigned device, uint32_t address);

/* A route of prefix bits over a device; initial_window in packets, 0 for the kernel's. */
struct route {
	uint32_t destination;
	unsigned prefix;
	unsigned device;
	uint32_t initial_window;
};
void netlink_add_route(int netlink, const struct route *route);

void netlink_add_netem(int netlink, unsigned device, const struct netem *netem);

void netlink_add_fifo(int netlink, unsigned device, const struct fifo *fifo);

/* At the root of a device: every packet leaves at the time its sender wrote on it. */
void netlink_add_fq(int netlink, unsigned device, uint32_t limit);
void netlink_qdisc_counters(int netlink, unsigned device, uint32_t parent, struct qdisc_counters *counters);

#endif
