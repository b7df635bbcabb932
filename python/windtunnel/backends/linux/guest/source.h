/*
 * A source of datagrams: packets by the clock, sent where its link begins and received where it ends.
 *
 * They are handed to the kernel some hundreds at a time, each with the time at which it leaves: to wake a program in a guest costs more than
 * many packets do.
 */
#ifndef WINDTUNNEL_SOURCE_H
#define WINDTUNNEL_SOURCE_H

#include <stdint.h>

#include "pace.h"
#include "plan.h"
#include "topology.h"

struct source {
	const struct source_plan *plan;
	uint32_t index;
	struct pace pace;
	int sender, receiver;	/* sockets */
	uint64_t zero_ns;	/* when the links' clock began, in the guest's */
	uint64_t sent;	/* with a time that has passed */
	uint64_t arrived;	/* as last counted */
	uint64_t arrived_in_time;	/* by the end of the run */
	/* In the guest's clock, NEVER when over; due_at is of the first packet that the kernel has not got yet. */
	uint64_t due_at, sample_at, warm_at, end_at;
};

/* Makes the sockets; the sender's in the host of sources. */
void source_open(struct source *source, const struct topology *topology, int clockwork);

/* Sets its times; `zero_ns` is when the links' clock begins. */
void source_schedule(struct source *source, const struct plan *plan, uint64_t zero_ns);

/* When it has something to do. */
uint64_t source_next(const struct source *source);

/* Does what is due. */
void source_run(struct source *source, const struct plan *plan, uint64_t at);

/* Writes what came of it, when nothing is under way any more. */
void source_close(struct source *source, const struct plan *plan);

#endif
