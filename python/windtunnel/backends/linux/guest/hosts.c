/* The hosts of a topology: a sender's own, one that several share, and the one from which datagrams come. */
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cables.h"
#include "capture.h"
#include "discipline.h"
#include "fail.h"
#include "topology.h"

#define CLOCKWORK 0xfffe	/* of the host of all sources in a direction */

struct host {
	uint32_t mtu;
	const char *name;	/* of the router's end of its cable */
	int namespace;
	uint32_t address;
	uint16_t station;
};

/* A cable from a router to a host; the caller is then in the router's namespace. Returns the router's end. */
static unsigned plug_router(const struct router *router, const struct host *host, const char *peer)
{
	unsigned device;

	namespace_enter(router->namespace);
	netlink_add_veth(router->netlink, &(struct veth){ .name = host->name, .peer = peer, .peer_namespace = host->namespace, .station = host->station,
							 .mtu = host->mtu });
	device = device_named(host->name);
	netlink_set_up(router->netlink, device);
	route(router, host->address, 32, device);
	return device;
}

/* The host's end; the caller is then in its namespace. */
static unsigned plug_host(const struct host *host, int netlink, uint32_t initial_window)
{
	const unsigned device = device_named("router");

	netlink_set_up(netlink, device);
	netlink_add_address(netlink, device, host->address);
	netlink_add_route(netlink, &(struct route){ .device = device, .initial_window = initial_window });
	return device;
}

static uint32_t hosts_of(enum direction direction)
{
	return direction == FORWARD ? NEAR_HOSTS : FAR_HOSTS;
}

/* Where a sender's data begin. */
static const struct router *begins(const struct topology *topology, enum direction direction, const struct stretch *stretch)
{
	return direction == FORWARD ? &topology->before[stretch->enter] : &topology->behind[topology->hops - 1];
}

/* Where its ACKs leave the links. */
static const struct router *returns(const struct topology *topology, enum direction direction, const struct stretch *stretch)
{
	return direction == FORWARD ? &topology->before[0] : &topology->behind[stretch->leave];
}

/* Both cables of a host, or the one that is both; returns the router's end of the one on which its ACKs come, in whose namespace the caller is. */
static unsigned plug_routers(const struct router *begin, const struct router *end, const struct host *host)
{
	unsigned device;

	if (begin == end)
		return plug_router(begin, host, "router");
	device = plug_router(end, host, "acks");
	namespace_enter(begin->namespace);
	netlink_add_veth(begin->netlink, &(struct veth){ .name = host->name, .peer = "router", .peer_namespace = host->namespace, .station = host->station,
							 .mtu = host->mtu });
	netlink_set_up(begin->netlink, device_named(host->name));
	namespace_enter(end->namespace);
	return device;
}

/* The queue of a sender's device, which lets a packet go when its transmission begins. The caller is in the host's namespace. */
static void add_device(struct link *link, int netlink, unsigned device, const struct device_plan *plan)
{
	const struct place place = { .netlink = netlink, .device = device, .parent = TC_H_ROOT, .handle = TC_H_MAKE(1 << 16, 0) };
	const struct discipline_plan queue = { .kind = "pfifo", .values = 1, .value = { plan->limit } };

	*link = (struct link){ .netlink = netlink, .device = device };
	link->queue = discipline_build(&place, plan->rate_bytes, &queue, false);
}

/* The way on which a flow's ACKs come to its host: all of its delay but for the way between its hops, and what lies before its receiver. */
static void add_delay(const struct plan *plan, const struct flow_plan *flow, int netlink, unsigned device)
{
	struct netem delay = { .parent = TC_H_ROOT, .handle = TC_H_MAKE(1 << 16, 0), .limit = ROOM };

	delay.delay_ns = flow->rtt_ns - plan_between_ns(plan, &flow->stretch) + plan_wire_ns(plan, flow) - plan_receiver_ns(plan, flow);
	if (flow->jitter_ns >= 2) {
		/* With a rate, however high, netem starts each packet after the one before it: jitter keeps the order. */
		delay.jitter_ns = flow->jitter_ns / 2;
		delay.delay_ns += delay.jitter_ns;
		delay.rate_bytes = AT_ONCE;
	}
	netlink_add_netem(netlink, device, &delay);
}

static void add_own_host(struct topology *topology, const struct plan *plan, int index, struct host *host, struct station *station)
{
	const struct flow_plan *flow = &plan->flow[index];
	const struct router *begin = begins(topology, flow->direction, &flow->stretch), *end = returns(topology, flow->direction, &flow->stretch);
	unsigned device;
	int netlink;

	host->namespace = station->namespace = namespace_new(plan, index);
	device = plug_routers(begin, end, host);
	add_delay(plan, flow, end->netlink, device);
	namespace_enter(host->namespace);
	netlink = netlink_open();
	device = plug_host(host, netlink, flow->initial_window);
	if (begin != end)
		netlink_set_up(netlink, device_named("acks"));
	if (flow->device.rate_bytes)
		add_device(&station->device, netlink, device, &flow->device);
	else
		close(netlink);
}

/* The host that flow `index` shares with others, built for the first of them: its device leads to a router of its own. */
static struct machine *machine_of(struct topology *topology, const struct plan *plan, int index)
{
	const struct flow_plan *flow = &plan->flow[index];
	const int number = flow->device.machine;
	struct router host = { 0 };
	struct machine *machine;

	if (number >= topology->machines) {
		topology->machine = realloc(topology->machine, (number + 1) * sizeof(*machine));
		if (!topology->machine)
			fail("no memory for %d hosts", number + 1);
		memset(topology->machine + topology->machines, 0, (number + 1 - topology->machines) * sizeof(*machine));
		topology->machines = number + 1;
	}
	machine = &topology->machine[number];
	if (machine->netlink)
		return machine;
	become_router(&machine->access, true, plan);
	host.namespace = machine->station.namespace = namespace_new(plan, index);
	host.netlink = machine->netlink = netlink_open();
	cable(&machine->access, "machine", &host, "router", flow->packet_bytes);
	namespace_enter(host.namespace);
	netlink_add_route(host.netlink, &(struct route){ .device = device_named("router"), .initial_window = flow->initial_window });
	add_device(&machine->station.device, host.netlink, device_named("router"), &flow->device);
	return machine;
}

/* From the router of a shared host to where data of a direction begin. */
static void lead(struct topology *topology, struct machine *machine, const struct flow_plan *flow)
{
	const struct router *begin = begins(topology, flow->direction, &flow->stretch);
	char name[16];
	unsigned device;
	int i;

	if (machine->leads[flow->direction])
		return;
	machine->leads[flow->direction] = true;
	snprintf(name, sizeof(name), "%s%d", flow->direction == FORWARD ? "near" : "far", (int)(machine - topology->machine));
	device = cable(&machine->access, flow->direction == FORWARD ? "near" : "far", begin, name, topology->largest_bytes);
	for (i = 0; i < topology->hops; i++)
		(flow->direction == FORWARD ? route_behind : route_before)(&machine->access, i, device);
}

static void add_host(struct topology *topology, const struct plan *plan, int index, struct station *station)
{
	const struct flow_plan *flow = &plan->flow[index];
	const struct router *end = returns(topology, flow->direction, &flow->stretch);
	char name[16], acks[16];
	struct host host = { .name = name, .address = hosts_of(flow->direction) + index + 1, .station = index + 1, .mtu = flow->packet_bytes };
	struct machine *machine;

	snprintf(name, sizeof(name), "host%d", index);
	if (flow->device.machine < 0) {
		add_own_host(topology, plan, index, &host, station);
		return;
	}
	/* One of several there: its ACKs have a cable and an address of their own. */
	machine = machine_of(topology, plan, index);
	lead(topology, machine, flow);
	*station = machine->station;
	station->address = host.address;
	host.namespace = station->namespace;
	snprintf(acks, sizeof(acks), "acks%d", index);
	add_delay(plan, flow, end->netlink, plug_router(end, &host, acks));
	namespace_enter(host.namespace);
	netlink_set_up(machine->netlink, device_named(acks));
	netlink_add_address(machine->netlink, device_named(acks), host.address);
}

void topology_add_host(struct topology *topology, const struct plan *plan, int index, struct station *station)
{
	add_host(topology, plan, index, station);
	topology_find_receivers(topology, plan, &plan->flow[index], station);
}

void topology_listen(const struct topology *topology, int index, const struct flow_plan *flow)
{
	const struct link *first = &topology->link[flow->direction == FORWARD ? flow->stretch.enter : topology->hops];
	const uint32_t sender = hosts_of(flow->direction) + index + 1;

	capture_listen(&(struct tap_plan){ .namespace = begins(topology, flow->direction, &flow->stretch)->namespace, .place = AT_BOTTLENECK,
					   .seen = LEAVING, .address = sender, .device = first->device });
	capture_listen(&(struct tap_plan){ .namespace = returns(topology, flow->direction, &flow->stretch)->namespace, .place = AT_BOTTLENECK,
					   .seen = COMING, .address = sender });
}

int topology_add_clockwork(struct topology *topology, const struct plan *plan, const struct source_plan *source)
{
	const struct host host = { .name = "clockwork", .namespace = namespace_new(plan, -1),
				   .address = hosts_of(source->direction) + CLOCKWORK, .station = CLOCKWORK, .mtu = plan->largest_bytes };
	int netlink;

	plug_router(begins(topology, source->direction, &source->stretch), &host, "router");
	namespace_enter(host.namespace);
	netlink = netlink_open();
	netlink_add_fq(netlink, plug_host(&host, netlink, 0), ROOM);
	close(netlink);
	return host.namespace;
}
