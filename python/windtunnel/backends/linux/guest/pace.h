/*
 * When a source sends: packet k when the rates have made k packets' worth of bits, rounded down to the nanosecond. Rates
 * take turns, all for equally long, and begin again; a single one lasts. Integers throughout, as the simulator's.
 */
#ifndef WINDTUNNEL_PACE_H
#define WINDTUNNEL_PACE_H

#include <stdint.h>

#include "plan.h"

struct pace {
	const struct source_plan *plan;
	uint64_t step;	/* whose rate holds, counted from the start */
	uint64_t owed;	/* bits times 10^9 that had not accrued when the last packet was sent: less than a nanosecond's */
};

/* When the packet after the one sent at `t_ns` is sent, both from the source's start. */
uint64_t pace_next(struct pace *pace, uint64_t t_ns);

#endif
