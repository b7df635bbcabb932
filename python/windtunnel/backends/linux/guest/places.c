/*
 * Where the data of flows end. Without a reverse link no ACK ever waits, it makes no difference where the delay lies, and receivers are in the
 * router behind their last link. With one they have hosts there, one for all whose ACKs are as long under way to that link.
 */
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cables.h"
#include "fail.h"
#include "topology.h"

/* A receivers' host, on whose device ACKs wait for their delay: a receiver's TCP never looks at an ACK that it has sent. */
static void build(struct topology *topology, const struct plan *plan, const struct flow_plan *flow, struct place_of_receivers *place)
{
	const struct router *router = topology_ends(topology, flow->direction, &flow->stretch);
	const int number = place - topology->receivers;
	const struct netem delay = { .parent = TC_H_ROOT, .handle = TC_H_MAKE(1 << 16, 0), .limit = ROOM, .delay_ns = place->delay_ns };
	struct router host;
	char name[16];
	unsigned device;

	place->router = router;
	place->address = 1 + number +
			 (flow->direction == FORWARD ? receivers_behind(flow->stretch.leave) : receivers_before(flow->stretch.enter));
	host.namespace = place->namespace = namespace_new(plan, -1);
	host.netlink = netlink_open();
	snprintf(name, sizeof(name), "ends%d", number);
	route(router, place->address, 32, cable(router, name, &host, "router", topology->largest_bytes));
	namespace_enter(host.namespace);
	device = device_named("router");
	netlink_add_address(host.netlink, device, place->address);
	netlink_add_route(host.netlink, &(struct route){ .device = device });
	netlink_add_netem(host.netlink, device, &delay);
	close(host.netlink);
}

static struct place_of_receivers *find(struct topology *topology, const struct router *router, uint64_t delay_ns)
{
	int i;

	for (i = 0; i < topology->places; i++)
		if (topology->receivers[i].router == router && topology->receivers[i].delay_ns == delay_ns)
			return &topology->receivers[i];
	return NULL;
}

void topology_find_receivers(struct topology *topology, const struct plan *plan, const struct flow_plan *flow, struct station *station)
{
	const uint64_t delay_ns = plan_receiver_ns(plan, flow);
	struct place_of_receivers *place;

	station->receiving = topology_receiving(topology, flow->direction, &flow->stretch);
	station->receiver = topology_receiver(flow->direction, &flow->stretch);
	if (!plan_reverse(plan))
		return;
	place = find(topology, topology_ends(topology, flow->direction, &flow->stretch), delay_ns);
	if (!place) {
		topology->receivers = realloc(topology->receivers, (topology->places + 1) * sizeof(*place));
		if (!topology->receivers)
			fail("no memory for %d places of receivers", topology->places + 1);
		place = &topology->receivers[topology->places++];
		place->delay_ns = delay_ns;
		build(topology, plan, flow, place);
	}
	station->receiving = place->namespace;
	station->receiver = place->address;
}
