#include "session.h"

#include <errno.h>

#include "clock.h"
#include "fail.h"
#include "sampling.h"

static void think(struct session *session, uint64_t at)
{
	const struct session_plan *plan = session->plan;
	const uint64_t next_at = session->pages < plan->pages ? at + plan->page[session->pages].think_ns : NEVER;

	session->next_at = next_at < session->stop_at ? next_at : NEVER;
}

void session_schedule(struct session *session, const struct plan *plan, struct flow *flow)
{
	const uint64_t zero_ns = flow[session->plan->first].zero_ns, stop_ns = session->plan->stop_ns;
	int i;

	session->next_at = NEVER;
	if (!session->plan->objects)
		return;
	for (i = 0; i < session->plan->objects; i++)
		flow[session->plan->first + i].session = session;
	session->stop_at = zero_ns + (stop_ns < plan->duration_ns ? stop_ns : plan->duration_ns);
	think(session, zero_ns + session->plan->start_ns);
}

/* As many as may be under way at once. */
static void begin_objects(struct session *session, struct flow *flow, int epoll)
{
	while (session->left && session->under_way < session->plan->connections) {
		struct flow *object = &flow[session->plan->first + session->begun];

		if (session->begun == session->plan->objects) {
			errno = 0;
			fail("a session came further than the %d objects that were drawn for it", session->plan->objects);
		}
		session->begun++;
		session->left--;
		session->under_way++;
		sampling_on_begun(object, clock_now() - object->zero_ns);
		flow_connect(object, epoll);
	}
}

void session_run(struct session *session, struct flow *flow, int epoll)
{
	session->next_at = NEVER;
	session->left = session->plan->page[session->pages++].objects;
	begin_objects(session, flow, epoll);
}

void session_on_completed(struct session *session, struct flow *flow, int epoll)
{
	session->under_way--;
	if (session->left)
		begin_objects(session, flow, epoll);
	else if (!session->under_way)
		think(session, clock_now());
}
