#define _GNU_SOURCE
#include "topology.h"

#include <fcntl.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
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

static void join(struct topology *topology, const struct plan *plan, enum direction direction)
{
	const bool is_forward = direction == FORWARD;
	struct link *link = &topology->link[direction];

	namespace_enter(topology->router[direction]);
	write_file("/proc/sys/net/ipv4/ip_forward", "1");
	link->netlink = netlink_open();
	link->device = device_named(is_forward ? "forward" : "reverse");
	netlink_set_up(link->netlink, link->device);
	netlink_add_address(link->netlink, link->device, is_forward ? NEAR_ROUTER : FAR_ROUTER);
	netlink_add_route(link->netlink, &(struct route){ .destination = is_forward ? FAR_ROUTER : NEAR_ROUTER, .prefix = 32, .device = link->device });
	netlink_add_route(link->netlink, &(struct route){ .destination = is_forward ? FAR_HOSTS : NEAR_HOSTS, .prefix = 16, .device = link->device });
	if (plan->link[direction].exists)
		shape(link, &plan->link[direction]);
}

void topology_build(struct topology *topology, const struct plan *plan)
{
	int netlink;

	allow_many_flows();
	topology->router[FORWARD] = namespace_here();
	configure(plan, -1);
	topology->router[REVERSE] = namespace_new(plan, -1);
	namespace_enter(topology->router[FORWARD]);
	netlink = netlink_open();
	netlink_add_veth(netlink, &(struct veth){ .name = "forward", .peer = "reverse", .peer_namespace = topology->router[REVERSE] });
	close(netlink);
	join(topology, plan, FORWARD);
	join(topology, plan, REVERSE);
}

struct host {
	const char *name;	/* of the router's end of its cable */
	int namespace;
	uint32_t address;
	uint16_t station;
};

/* A cable from the router to a host; the caller is then in the router's namespace. Returns the router's end. */
static unsigned plug_router(const struct topology *topology, enum direction direction, const struct host *host)
{
	const int netlink = topology->link[direction].netlink;
	unsigned device;

	namespace_enter(topology->router[direction]);
	netlink_add_veth(netlink, &(struct veth){ .name = host->name, .peer = "router", .peer_namespace = host->namespace, .station = host->station });
	device = device_named(host->name);
	netlink_set_up(netlink, device);
	netlink_add_route(netlink, &(struct route){ .destination = host->address, .prefix = 32, .device = device });
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

int topology_add_host(struct topology *topology, const struct plan *plan, int index)
{
	const struct flow_plan *flow = &plan->flow[index];
	struct netem delay = { .parent = TC_H_ROOT, .handle = TC_H_MAKE(1 << 16, 0), .limit = ROOM };
	char name[16];
	const struct host host = { .name = name, .namespace = namespace_new(plan, index),
				   .address = hosts_of(flow->direction) + index + 1, .station = index + 1 };
	unsigned device;
	int netlink;

	snprintf(name, sizeof(name), "host%d", index);
	device = plug_router(topology, flow->direction, &host);
	delay.delay_ns = flow->rtt_ns + plan_wire_ns(plan, flow->direction);
	if (flow->jitter_ns >= 2) {
		/* With a rate, however high, netem starts each packet after the one before it: jitter keeps the order. */
		delay.jitter_ns = flow->jitter_ns / 2;
		delay.delay_ns += delay.jitter_ns;
		delay.rate_bytes = AT_ONCE;
	}
	netlink_add_netem(topology->link[flow->direction].netlink, device, &delay);

	namespace_enter(host.namespace);
	netlink = netlink_open();
	plug_host(&host, netlink, flow->initial_window);
	close(netlink);
	return host.namespace;
}

int topology_add_clockwork(struct topology *topology, const struct plan *plan, enum direction direction)
{
	const struct host host = { .name = "clockwork", .namespace = namespace_new(plan, -1),
				   .address = hosts_of(direction) + CLOCKWORK, .station = CLOCKWORK };
	int netlink;

	plug_router(topology, direction, &host);
	namespace_enter(host.namespace);
	netlink = netlink_open();
	netlink_add_fq(netlink, plug_host(&host, netlink, 0), ROOM);
	close(netlink);
	return host.namespace;
}

uint32_t topology_receiver(enum direction direction)
{
	return direction == FORWARD ? FAR_ROUTER : NEAR_ROUTER;
}

int topology_receiving(const struct topology *topology, enum direction direction)
{
	return topology->router[direction == FORWARD ? REVERSE : FORWARD];
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
