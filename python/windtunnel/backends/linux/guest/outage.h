/*
 * Outages of a link. No qdisc keeps its packets for a while, but one that transmits others meanwhile does: when an outage begins, a train of
 * packets that are nobody's, and take just as long, goes before all that wait. The packet on the wire still arrives.
 */
#ifndef WINDTUNNEL_OUTAGE_H
#define WINDTUNNEL_OUTAGE_H

#include <stdint.h>

#include "cables.h"

struct outages {
	int sender;	/* socket where the link begins */
	uint64_t rate_bytes;	/* of the link, per second */
	uint32_t largest_bytes;	/* of its packets */
};

/* The link's two ends, the address of the far one, and the priority of packets that go first. */
struct outage_place {
	const struct router *from, *to;
	uint32_t address, first;
};

void outages_prepare(struct outages *outages, const struct outage_place *place);

void outage_begin(const struct outages *outages, uint64_t length_ns);

#endif
