#include "topology.h"

#include <linux/pkt_sched.h>
#include <stdio.h>

#include "discipline.h"
#include "message.h"

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

/* In the router's namespace: the link's queue, and before it the random loss. */
static void shape(struct link *link, const struct link_plan *plan)
{
	const uint32_t top = TC_H_MAKE(1 << 16, 0), below = TC_H_MAKE(2 << 16, 0);
	struct netem queue = { .parent = TC_H_ROOT, .handle = top, .limit = plan->limit, .rate_bytes = plan->rate_bytes };

	link->discipline = plan->discipline.kind[0] ? &plan->discipline : NULL;
	link->shaper = plan->loss || plan->burst.to_good ? below : top;
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

		link->queue = discipline_build(&place, plan->rate_bytes, link->discipline, plan->has_outages);
	} else if (plan->is_fifo) {
		netlink_add_fifo(link->netlink, link->device,
				 &(struct fifo){ .parent = queue.parent, .handle = queue.handle, .rate_bytes = plan->rate_bytes,
						 .limit_ns = plan->limit_ns, .limit_bytes = plan->limit_bytes });
	} else {
		link->netem = queue;
		netlink_add_netem(link->netlink, link->device, &queue);
	}
}

static struct netem stage_of(uint64_t rate_bytes, uint64_t extra_ns)
{
	/* With a rate, however high, whoever has a shorter way overtakes nobody. */
	return (struct netem){ .parent = TC_H_ROOT, .handle = TC_H_MAKE(1 << 16, 0), .limit = ROOM, .delay_ns = extra_ns,
			       .rate_bytes = rate_bytes ? rate_bytes : AT_ONCE };
}

/* Of a link from one router to another, at an address there. */
static void prepare_outages(const struct plan *whole, struct link *link, const struct link_plan *plan, const struct outage_place *ends)
{
	struct outage_place place = *ends;

	if (!plan->has_outages)
		return;
	place.first = discipline_first(&(struct place){ .handle = link->shaper });
	link->outages.rate_bytes = plan->rate_bytes;
	link->outages.largest_bytes = whole->largest_bytes;
	outages_prepare(&link->outages, &place);
}

static bool has_stage(const struct link_plan *link)
{
	return link && (link->changes_rate || link->changes_delay || link->late.by_ns || link->copies);
}

/*
 * From the end of a link to the router that is to be behind it: nothing, or a stage. Returns the router that the link leads to, `room` where
 * there is a stage.
 */
static struct router *add_stage(const struct plan *whole, struct link *link, const struct link_plan *plan, struct router *room, struct router *behind)
{
	struct netem stage = stage_of(plan && plan->changes_rate ? plan->rate_bytes : 0, 0);

	if (!has_stage(plan))
		return behind;
	if (plan->late.by_ns) {
		/* Who is late is overtaken. */
		stage.late = plan->late;
		stage.rate_bytes = 0;
	}
	stage.copies = plan->copies;
	become_router(room, true, whole);
	link->stage = room->netlink;
	link->stage_device = cable(room, "stage", behind, "staged", whole->largest_bytes);
	netlink_add_netem(room->netlink, link->stage_device, &stage);
	return room;
}

/* The router before a hop, the one behind it, and the link between them. */
static void add_hop(struct topology *topology, const struct plan *plan, int hop)
{
	struct router *before = &topology->before[hop], *behind = &topology->behind[hop], room, *end;
	struct link *link = &topology->link[hop];
	int i;

	become_router(before, hop > 0, plan);
	if (!hop)
		configure(plan, -1);
	become_router(behind, true, plan);
	end = add_stage(plan, link, &plan->link[hop], &room, behind);
	link->netlink = before->netlink;
	link->device = cable(before, "forward", end, "reverse", plan->largest_bytes);
	netlink_add_address(before->netlink, link->device, address_before(hop));
	for (i = hop; i < plan->hops; i++) {
		route_behind(before, i, link->device);
		if (end != behind)
			route_behind(end, i, link->stage_device);
	}
	route(before, FAR_HOSTS, 16, link->device);
	if (end != behind)
		route(end, FAR_HOSTS, 16, link->stage_device);
	namespace_enter(before->namespace);
	shape(link, &plan->link[hop]);
	namespace_enter(behind->namespace);
	netlink_add_address(behind->netlink, device_named(end == behind ? "reverse" : "staged"), address_behind(hop));
	prepare_outages(plan, link, &plan->link[hop], &(struct outage_place){ .from = before, .to = behind, .address = address_behind(hop) });
}

/* From behind the last hop to before the first: the cable of a single link, or one of its own. */
static void add_reverse(struct topology *topology, const struct plan *plan)
{
	const int last = plan->hops - 1;
	const struct link_plan *reverse = plan_reverse(plan);
	struct router *behind = &topology->behind[last], *before = &topology->before[0], room, *end;
	struct link *link = &topology->link[plan->hops];
	int i;

	end = add_stage(plan, link, reverse, &room, before);
	link->netlink = behind->netlink;
	if (last || has_stage(&plan->link[0]) || end != before) {
		link->device = cable(behind, "back", end, "back", plan->largest_bytes);
	} else {
		namespace_enter(behind->namespace);
		link->device = device_named("reverse");
	}
	for (i = 0; i <= last; i++) {
		route_before(behind, i, link->device);
		if (end != before)
			route_before(end, i, link->stage_device);
	}
	route(behind, NEAR_HOSTS, 16, link->device);
	if (end != before)
		route(end, NEAR_HOSTS, 16, link->stage_device);
	if (!reverse)
		return;
	shape(link, reverse);
	prepare_outages(plan, link, reverse, &(struct outage_place){ .from = behind, .to = before, .address = address_before(0) });
}

/*
 * From behind a hop to before the next one, on which a packet is under way for its propagation and, where a discipline let go of it when its
 * transmission began, for that: a rate that it has kept to already is felt as one transmission of each packet.
 */
static void add_way(struct topology *topology, const struct plan *plan, int hop)
{
	const struct link_plan *link = &plan->link[hop];
	const bool is_early = link->discipline.kind[0] && !link->changes_rate;
	const struct netem way = { .parent = TC_H_ROOT, .handle = TC_H_MAKE(1 << 16, 0), .limit = ROOM, .delay_ns = plan->link[hop + 1].delay_ns,
				   .rate_bytes = is_early ? link->rate_bytes : 0 };
	struct router *behind = &topology->behind[hop];
	const unsigned device = cable(behind, "onward", &topology->before[hop + 1], "from", plan->largest_bytes);
	int i;

	for (i = hop + 1; i < plan->hops; i++)
		route_behind(behind, i, device);
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
		route_before(&topology->before[0], hop, cable(&topology->before[0], name, &topology->before[hop], "short", plan->largest_bytes));
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

const struct router *topology_ends(const struct topology *topology, enum direction direction, const struct stretch *stretch)
{
	return direction == FORWARD ? &topology->behind[stretch->leave] : &topology->before[stretch->enter];
}

uint32_t topology_receiver(enum direction direction, const struct stretch *stretch)
{
	return direction == FORWARD ? address_behind(stretch->leave) : address_before(stretch->enter);
}

int topology_receiving(const struct topology *topology, enum direction direction, const struct stretch *stretch)
{
	return topology_ends(topology, direction, stretch)->namespace;
}

/* What stands in the queue stays, in netem's and in the fifo. */
static void change_limit(struct link *link, uint32_t limit)
{
	const struct place place = { .netlink = link->netlink, .device = link->device, .parent = link->queue };

	if (link->discipline) {
		discipline_change_limit(&place, link->discipline, limit);
		return;
	}
	link->netem.limit = limit;
	link->netem.changes = true;
	netlink_add_netem(link->netlink, link->device, &link->netem);
}

void link_step(struct link *link, const struct step_plan *step)
{
	const struct place place = { .netlink = link->netlink, .device = link->device, .handle = link->shaper };
	struct netem stage = stage_of(step->rate_bytes, step->extra_ns);

	if (step->outage_ns) {
		outage_begin(&link->outages, step->outage_ns);
		return;
	}
	if (step->limit) {
		change_limit(link, step->limit);
		return;
	}
	stage.changes = true;
	if (step->rate_bytes)
		discipline_change_rate(&place, step->rate_bytes);
	netlink_add_netem(link->stage, link->stage_device, &stage);
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
	/* All who wait, but for nobody's packets; the packet on the wire has left, and there is one if others wait. */
	if (link->outages.rate_bytes)
		link->all = link->counters;
	link->counters.queue_packets = link->all.queue_packets + !!link->all.queue_packets;
	link->counters.queue_ip_bytes = link->all.queue_ip_bytes + (link->all.queue_packets ? FULL_PACKET_BYTES : 0);
}
