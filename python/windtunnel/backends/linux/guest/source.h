/* A source of datagrams: packets by the clock, from the router where its link begins to the one where it ends. */
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
	uint64_t sent;
	uint64_t arrived;	/* as last counted */
	uint64_t arrived_in_time;	/* by the end of the run */
	uint64_t due_at, sample_at, warm_at, end_at;	/* in the guest's clock, NEVER when over */
};

/* Makes the sockets. */
void source_open(struct source *source, const struct topology *topology);

/* Sets its times; `zero_ns` is when the links' clock begins. */
void source_schedule(struct source *source, const struct plan *plan, uint64_t zero_ns);

/* When it has something to do. */
uint64_t source_next(const struct source *source);

/* Does what is due. */
void source_run(struct source *source, const struct plan *plan, uint64_t at);

/* Writes what came of it, when nothing is under way any more. */
void source_close(struct source *source, const struct plan *plan);

#endif
