/* An application that does not always have more to send. */
#ifndef WINDTUNNEL_APPLICATION_H
#define WINDTUNNEL_APPLICATION_H

#include <stdint.h>

#include "plan.h"

struct application {
	uint64_t offered;	/* bytes the socket has not taken yet, NEVER for as many as it takes */
	uint64_t turns;		/* how often it has written, or turned */
	uint64_t segments;	/* of chunks, so far */
};

/* Before its first turn it offers nothing, unless it always writes. */
void application_init(struct application *application, const struct flow_plan *flow);

/* Takes its turn; returns how long until the next one, NEVER when there is none. */
uint64_t application_turn(struct application *application, const struct flow_plan *flow);

#endif
