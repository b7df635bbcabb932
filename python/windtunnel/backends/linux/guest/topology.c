#define _GNU_SOURCE
#include "topology.h"

#include <fcntl.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discipline.h"
#include "fail.h"
#include "message.h"

#define ADDRESS(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))
#define NEAR_ROUTER ADDRESS(10, 0, 0, 1)
#define FAR_ROUTER ADDRESS(10, 0, 0, 2)
#define NEAR_HOSTS ADDRESS(10, 1, 0, 0)
#define FAR_HOSTS ADDRESS(10, 2, 0, 0)
#define CLOCKWORK 0xfffe	/* of the host of all sources in a direction */
#define ROOM 10000000	/* packets; more than are ever under way */
#define AT_ONCE (1ull << 50)	/* bytes per second at which a packet takes no time */

static void write_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	if (file < 0 || write(file, text, strlen(text)) < 0)
		fail("%s = %s", path, text);
	close(file);
}

static int namespace_here(void)
{
	int namespace = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (namespace < 0)
		fail("/proc/self/ns/net");
	return namespace;
}

void namespace_enter(int namespace)
{
	if (setns(namespace, CLONE_NEWNET) < 0)
		fail("setns");
}

static void apply_sysctls(const struct plan *plan, int flow)
{
	int i;

	for (i = 0; i < plan->sysctls; i++)
		if (plan->sysctl[i].flow == flow || plan->sysctl[i].flow < 0)
			write_file(plan->sysctl[i].path, plan->sysctl[i].value);
}

/* Sets what holds in every namespace; the flow's own settings prevail. */
static void configure(const struct plan *plan, int flow)
{
	/* No history of earlier connections, and buffers that never limit a window. */
	write_file("/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
	write_file("/proc/sys/net/ipv4/tcp_moderate_rcvbuf", "0");
	write_file("/proc/sys/net/ipv4/tcp_rmem", "4096 1073741824 1073741824");
	write_file("/proc/sys/net/ipv4/tcp_wmem", "4096 67108864 1073741824");
	/* A row of hops has two routers each. */
	write_file("/proc/sys/net/ipv4/ip_default_ttl", "255");
	apply_sysctls(plan, flow);
}

/*
 * Limits of the whole guest. What many flows send at one instant reaches the router as one burst, and it is the link's
 * queue that drops; three neighbours per flow are known, and a full table of neighbours loses packets without a word.
 */
static void allow_many_flows(void)
{
	write_file("/proc/sys/net/ipv4/tcp_mem", "4000000 8000000 16000000");
	write_file("/proc/sys/net/core/netdev_max_backlog", "10000000");
	write_file("/proc/sys/net/ipv4/neigh/default/gc_thresh3", "1000000");
	write_file("/proc/sys/net/ipv4/neigh/default/gc_thresh2", "1000000");
	write_file("/proc/sys/net/ipv4/neigh/default/gc_thresh1", "1000000");
}

static unsigned device_named(const char *name)
{
	unsigned device = if_nametoindex(name);

	if (!device)
		fail("%s", name);
	return device;
}

static int namespace_new(const struct plan *plan, int flow)
{
	if (unshare(CLONE_NEWNET) < 0)
		fail("unshare");
	configure(plan, flow);
	return namespace_here();
}

/* In the router's namespace: the link's queue, and before it the random loss. */
static void shape(struct link *link, const struct link_plan *plan)
{
	const uint32_t top = TC_H_MAKE(1 << 16, 0), below = TC_H_MAKE(2 << 16, 0);
	struct netem queue = { .parent = TC_H_ROOT, .handle = top, .limit = plan->limit, .rate_bytes = plan->rate_bytes };

	link->discipline = plan->discipline.kind[0] ? &plan->discipline : NULL;
	link->counters.header_bytes = link->all.header_bytes = link->discipline ? 0 : ETHERNET_BYTES;
	link->queue = TC_H_ROOT;
	if (plan->loss || plan->burst.to_good) {
		netlink_add_netem(link->netlink, link->device,
				  &(struct netem){ .parent = TC_H_ROOT, .handle = top, .limit = ROOM, .loss = plan->loss,
						   .burst = plan->burst, .counts_ip_bytes = link->discipline != NULL });
		queue.parent = link->queue = TC_H_MAKE(1 << 16, 1);
		queue.handle = below;
	}
	if (link->discipline) {
		const struct place place = { .netlink = link->netlink, .device = link->device, .parent = queue.parent, .handle = queue.handle };

		link->queue = discipline_build(&place, plan->rate_bytes, link->discipline);
	} else {
		netlink_add_netem(link->netlink, link->device, &queue);
	}
}

static uint32_t address_before(int hop)
{
	return NEAR_ROUTER + 2 * hop;
}

static uint32_t address_behind(int hop)
{
	return FAR_ROUTER + 2 * hop;
}

static void route(const struct router *router, uint32_t destination, unsigned prefix, unsigned device)
{
	netlink_add_route(router->netlink, &(struct route){ .destination = destination, .prefix = prefix, .device = device });
}

/* Makes the caller's namespace, or a new one, a router. */
static void become_router(struct router *router, bool is_new, const struct plan *plan)
{
	if (is_new)
		router->namespace = namespace_new(plan, -1);
	else
		router->namespace = namespace_here();
	write_file("/proc/sys/net/ipv4/ip_forward", "1");
	router->netlink = netlink_open();
}

/* A cable from one router to another; both ends are up, the caller is in the first one's namespace. Returns its end. */
static unsigned cable(const struct router *from, const char *name, const struct router *to, const char *peer, uint32_t mtu)
{
	unsigned device;

	namespace_enter(from->namespace);
	netlink_add_veth(from->netlink, &(struct veth){ .name = name, .peer = peer, .peer_namespace = to->namespace, .mtu = mtu });
	namespace_enter(to->namespace);
	netlink_set_up(to->netlink, device_named(peer));
	namespace_enter(from->namespace);
	device = device_named(name);
	netlink_set_up(from->netlink, device);
	return device;
}

/* The router before a hop, the one behind it, and the link between them. */
static void add_hop(struct topology *topology, const struct plan *plan, int hop)
{
	struct router *before = &topology->before[hop], *behind = &topology->behind[hop];
	struct link *link = &topology->link[hop];
	int i;

	become_router(before, hop > 0, plan);
	if (!hop)
		configure(plan, -1);
	become_router(behind, true, plan);
	link->netlink = before->netlink;
	link->device = cable(before, "forward", behind, "reverse", plan->largest_bytes);
	netlink_add_address(before->netlink, link->device, address_before(hop));
	for (i = hop; i < plan->hops; i++)
		route(before, address_behind(i), 32, link->device);
	route(before, FAR_HOSTS, 16, link->device);
	shape(link, &plan->link[hop]);
	namespace_enter(behind->namespace);
	netlink_add_address(behind->netlink, device_named("reverse"), address_behind(hop));
}

/* From behind the last hop to before the first: the cable of a single link, or one of its own. */
static void add_reverse(struct topology *topology, const struct plan *plan)
{
	const int last = plan->hops - 1;
	struct router *behind = &topology->behind[last];
	struct link *link = &topology->link[plan->hops];
	int i;

	link->netlink = behind->netlink;
	if (last) {
		link->device = cable(behind, "back", &topology->before[0], "back", plan->largest_bytes);
	} else {
		namespace_enter(behind->namespace);
		link->device = device_named("reverse");
	}
	for (i = 0; i <= last; i++)
		route(behind, address_before(i), 32, link->device);
	route(behind, NEAR_HOSTS, 16, link->device);
	if (plan_reverse(plan))
		shape(link, plan_reverse(plan));
}

/*
 * From behind a hop to before the next one, on which a packet is under way for its propagation and, where a discipline let go of it when its
 * transmission began, for that: a rate that it has kept to already is felt as one transmission of each packet.
 */
static void add_way(struct topology *topology, const struct plan *plan, int hop)
{
	const struct link_plan *link = &plan->link[hop];
	const struct netem way = { .parent = TC_H_ROOT, .handle = TC_H_MAKE(1 << 16, 0), .limit = ROOM, .delay_ns = plan->link[hop + 1].delay_ns,
				   .rate_bytes = link->discipline.kind[0] ? link->rate_bytes : 0 };
	struct router *behind = &topology->behind[hop];
	const unsigned device = cable(behind, "onward", &topology->before[hop + 1], "from", plan->largest_bytes);
	int i;

	for (i = hop + 1; i < plan->hops; i++)
		route(behind, address_behind(i), 32, device);
	route(behind, FAR_HOSTS, 16, device);
	if (way.delay_ns || way.rate_bytes)
		netlink_add_netem(behind->netlink, device, &way);
}

/* Where ACKs leave the row before its end, and where reverse data has to get to: without any delay. */
static void add_shortcuts(struct topology *topology, const struct plan *plan, int hop)
{
	const int last = plan->hops - 1;
	char name[16];

	snprintf(name, sizeof(name), "short%d", hop);
	if (hop < last)
		route(&topology->behind[hop], NEAR_HOSTS, 16, cable(&topology->behind[hop], "short", &topology->behind[last], name, plan->largest_bytes));
	if (hop)
		route(&topology->before[0], address_before(hop), 32, cable(&topology->before[0], name, &topology->before[hop], "short", plan->largest_bytes));
}

void topology_build(struct topology *topology, const struct plan *plan)
{
	int i;

	allow_many_flows();
	topology->hops = plan->hops;
	topology->largest_bytes = plan->largest_bytes;
	for (i = 0; i < plan->hops; i++)
		add_hop(topology, plan, i);
	add_reverse(topology, plan);
	for (i = 0; i + 1 < plan->hops; i++)
		add_way(topology, plan, i);
	for (i = 0; i < plan->hops; i++)
		add_shortcuts(topology, plan, i);
}

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
	link->queue = discipline_build(&place, plan->rate_bytes, &queue);
}

/* The way on which a flow's ACKs come to its host: all of its delay but for the way between its hops. */
static void add_delay(const struct plan *plan, const struct flow_plan *flow, int netlink, unsigned device)
{
	struct netem delay = { .parent = TC_H_ROOT, .handle = TC_H_MAKE(1 << 16, 0), .limit = ROOM };

	delay.delay_ns = flow->rtt_ns - plan_between_ns(plan, &flow->stretch) + plan_wire_ns(plan, flow);
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
		route(&machine->access, flow->direction == FORWARD ? address_behind(i) : address_before(i), 32, device);
}

void topology_add_host(struct topology *topology, const struct plan *plan, int index, struct station *station)
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

uint32_t topology_receiver(enum direction direction, const struct stretch *stretch)
{
	return direction == FORWARD ? address_behind(stretch->leave) : address_before(stretch->enter);
}

int topology_receiving(const struct topology *topology, enum direction direction, const struct stretch *stretch)
{
	return direction == FORWARD ? topology->behind[stretch->leave].namespace : topology->before[stretch->enter].namespace;
}

void link_read(struct link *link)
{
	netlink_qdisc_counters(link->netlink, link->device, link->queue, &link->counters);
	link->all = link->counters;
	if (link->queue != TC_H_ROOT)
		netlink_qdisc_counters(link->netlink, link->device, TC_H_ROOT, &link->all);
	if (!link->discipline)
		return;
	link->marks = discipline_marks(link->discipline, link->counters.own, link->counters.own_bytes);
	/* All who wait; the packet on the wire has left, and there is one if others wait. */
	link->counters.queue_packets = link->all.queue_packets + !!link->all.queue_packets;
	link->counters.queue_ip_bytes = link->all.queue_ip_bytes + (link->all.queue_packets ? FULL_PACKET_BYTES : 0);
}
