/*
 * A link whose queue is one of the kernel's disciplines.
 *
 * The rate is HTB's, with one class that owes for the packet on the wire before it takes the next: a packet stays in the discipline until the
 * link is free, and leaves it when its transmission begins. TBF would take it out one transmission earlier (it looks at the head of its
 * child, and a discipline decides as it gives a packet away), and netem takes every packet at once.
 *
 * RED is the exception. It learns that it is idle when it is asked in vain, and HTB asks no empty child: with an average that only arrivals
 * lower it can shut senders out for good. TBF asks all the time, though only for the head, which is no question to RED; a netem without a
 * delay between the two makes it one. The packet that it then holds is missing in RED's count, and others reach RED when a transmission begins.
 */
#ifndef WINDTUNNEL_DISCIPLINE_H
#define WINDTUNNEL_DISCIPLINE_H

#include <stddef.h>
#include <stdint.h>

#include "plan.h"

struct place {
	int netlink;
	unsigned device;
	uint32_t parent;
	uint32_t handle;	/* of the first qdisc; the major number after it is free as well */
};

/*
 * Builds a link of a rate in bytes per second with a discipline before it; returns the parent of the discipline. One that has outages has a second
 * queue beside it, whose packets go first.
 */
uint32_t discipline_build(const struct place *place, uint64_t rate_bytes, const struct discipline_plan *discipline, bool has_outages);

/* The priority of packets that go first. */
uint32_t discipline_first(const struct place *place);

/* Gives a link that is HTB's another rate; the packet on the wire goes on at the old one. */
void discipline_change_rate(const struct place *place, uint64_t rate_bytes);

/* Gives a queue that drops what finds it full, the child of the place's parent, another limit; what stands in it stays. */
void discipline_change_limit(const struct place *place, const struct discipline_plan *discipline, uint32_t limit);

/* The congestion marks in the discipline's own statistics, 0 where it never marks. */
uint64_t discipline_marks(const struct discipline_plan *discipline, const void *statistics, size_t bytes);

#endif
