/*
 * A session of somebody who looks at pages: some objects at once, each a connection of its own, until the page is there; then a thought, and
 * the next page. Its clock is that of its flows.
 */
#ifndef WINDTUNNEL_SESSION_H
#define WINDTUNNEL_SESSION_H

#include <stdint.h>

#include "flows.h"
#include "plan.h"

struct session {
	const struct session_plan *plan;
	int pages;		/* that have begun */
	int begun;		/* objects of all pages */
	uint64_t left;		/* objects of the page that have not begun */
	uint64_t under_way;	/* that have begun and are not complete */
	uint64_t next_at;	/* when a page begins, in the guest's clock; NEVER while one is under way */
	uint64_t stop_at;	/* no page begins from then on */
};

/* Sets its times by the clock of its flows, and makes its flows known as its own. */
void session_schedule(struct session *session, const struct plan *plan, struct flow *flow);

/* A page begins. */
void session_run(struct session *session, struct flow *flow, int epoll);

/* One of its objects is complete. */
void session_on_completed(struct session *session, struct flow *flow, int epoll);

#endif
