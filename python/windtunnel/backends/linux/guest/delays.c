/* What of a flow's round trip lies where, by its plan. */
#include <stddef.h>

#include "plan.h"

#define SECOND_NS 1000000000ull
#define SYN_BYTES 60
#define ACK_BYTES 52

const struct link_plan *plan_reverse(const struct plan *plan)
{
	return plan->links > plan->hops ? &plan->link[plan->hops] : NULL;
}

static uint64_t transmission_ns(const struct link_plan *link, uint64_t bytes)
{
	return bytes * SECOND_NS / link->rate_bytes;
}

static uint64_t wire_ns(const struct link_plan *link, uint64_t bytes)
{
	return link && link->discipline.kind[0] && !link->changes_rate ? transmission_ns(link, bytes) : 0;
}

uint64_t plan_device_ns(const struct flow_plan *flow)
{
	return flow->device.rate_bytes ? flow->packet_bytes * SECOND_NS / flow->device.rate_bytes : 0;
}

uint64_t plan_receiver_ns(const struct plan *plan, const struct flow_plan *flow)
{
	const struct link_plan *reverse = plan_reverse(plan);
	const uint64_t half_ns = 2 * (flow->rtt_ns / 4);

	if (!reverse)
		return 0;
	if (flow->direction == REVERSE)
		return half_ns + wire_ns(reverse, flow->packet_bytes);
	return half_ns - plan_between_ns(plan, &flow->stretch) + wire_ns(&plan->link[flow->stretch.leave], flow->packet_bytes);
}

uint64_t plan_wire_ns(const struct plan *plan, const struct flow_plan *flow)
{
	const bool is_forward = flow->direction == FORWARD;

	return wire_ns(&plan->link[flow->stretch.leave], is_forward ? flow->packet_bytes : ACK_BYTES) +
	       wire_ns(plan_reverse(plan), is_forward ? ACK_BYTES : flow->packet_bytes) + plan_device_ns(flow);
}

uint64_t plan_between_ns(const struct plan *plan, const struct stretch *stretch)
{
	uint64_t between_ns = 0;
	int i;

	for (i = stretch->enter + 1; i <= stretch->leave; i++)
		between_ns += plan->link[i].delay_ns;
	return between_ns;
}

/* From connect() to the first data packet, when nobody else is there; of a flow that opens before it starts. */
static uint64_t handshake_ns(const struct plan *plan, const struct flow_plan *flow)
{
	const struct link_plan *reverse = plan_reverse(plan);
	uint64_t all_ns = flow->rtt_ns + plan_wire_ns(plan, flow);
	int i;

	if (flow->opens)
		return 0;
	for (i = flow->stretch.enter; i <= flow->stretch.leave; i++)
		if (i < flow->stretch.leave || !plan->link[i].discipline.kind[0] || plan->link[i].changes_rate)
			all_ns += transmission_ns(&plan->link[i], SYN_BYTES);
	if (reverse && (!reverse->discipline.kind[0] || reverse->changes_rate))
		all_ns += transmission_ns(reverse, SYN_BYTES);
	return all_ns;
}

uint64_t plan_ahead_ns(const struct plan *plan, const struct flow_plan *flow)
{
	const uint64_t all_ns = handshake_ns(plan, flow);

	if (flow->opens || !flow->asks.exchanges)
		return all_ns;
	return all_ns + (all_ns - flow->rtt_ns) + flow->rtt_ns / 2 + flow->jitter_ns + plan_between_ns(plan, &flow->stretch) + plan_device_ns(flow);
}
