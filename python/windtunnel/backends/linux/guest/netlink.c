#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if.h>
#include <linux/if_ether.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"
#include "message.h"

#define TABLE_MOST 16384

int netlink_open(void)
{
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (netlink < 0)
		fail("netlink");
	return netlink;
}

static void put_end(struct message *message, const char *name, const struct veth *veth)
{
	unsigned char address[ETH_ALEN] = { 2, 0, 0, 0, veth->station >> 8, veth->station & 0xff };

	message_put_text(message, IFLA_IFNAME, name);
	message_put(message, IFLA_ADDRESS, address, sizeof(address));
	/* One packet at a time, as it is on the wire: no bursts of segments that only later become packets. */
	message_put_u32(message, IFLA_GSO_MAX_SEGS, 1);
	if (veth->mtu)
		message_put_u32(message, IFLA_MTU, veth->mtu);
}

void netlink_add_veth(int netlink, const struct veth *veth)
{
	struct message message;
	struct rtattr *info, *data, *peer;
	const struct ifinfomsg silent = { .ifi_flags = IFF_NOARP, .ifi_change = IFF_NOARP };

	memcpy(message_begin(&message, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(silent)), &silent, sizeof(silent));
	put_end(&message, veth->name, veth);
	info = message_put(&message, IFLA_LINKINFO, NULL, 0);
	message_put_text(&message, IFLA_INFO_KIND, "veth");
	data = message_put(&message, IFLA_INFO_DATA, NULL, 0);
	peer = message_put(&message, VETH_INFO_PEER, &silent, sizeof(silent));
	put_end(&message, veth->peer, veth);
	message_put_u32(&message, IFLA_NET_NS_FD, veth->peer_namespace);
	message_nest(&message, peer);
	message_nest(&message, data);
	message_nest(&message, info);
	message_ask(netlink, &message, "veth");
}

void netlink_set_up(int netlink, unsigned device)
{
	struct message message;
	struct ifinfomsg *body = message_begin(&message, RTM_NEWLINK, 0, sizeof(*body));

	body->ifi_index = device;
	body->ifi_flags = body->ifi_change = IFF_UP;
	message_ask(netlink, &message, "up");
}

void netlink_add_address(int netlink, unsigned device, uint32_t address)
{
	struct message message;
	struct ifaddrmsg *body = message_begin(&message, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, sizeof(*body));

	body->ifa_family = AF_INET;
	body->ifa_prefixlen = 32;
	body->ifa_index = device;
	message_put_u32(&message, IFA_LOCAL, htonl(address));
	message_ask(netlink, &message, "address");
}

void netlink_add_route(int netlink, const struct route *route)
{
	struct message message;
	struct rtattr *metrics;
	struct rtmsg *body = message_begin(&message, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, sizeof(*body));

	body->rtm_family = AF_INET;
	body->rtm_dst_len = route->prefix;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_protocol = RTPROT_STATIC;
	body->rtm_scope = RT_SCOPE_LINK;
	body->rtm_type = RTN_UNICAST;
	if (route->prefix)
		message_put_u32(&message, RTA_DST, htonl(route->destination));
	message_put_u32(&message, RTA_OIF, route->device);
	if (route->initial_window) {
		metrics = message_put(&message, RTA_METRICS, NULL, 0);
		message_put_u32(&message, RTAX_INITCWND, route->initial_window);
		message_nest(&message, metrics);
	}
	message_ask(netlink, &message, "route");
}

/* A table of delays, in parts of the jitter: all of it, or none. */
static void put_late(struct message *message, const struct late *late)
{
	static int16_t table[TABLE_MOST];
	int i;

	for (i = 0; i < late->size && i < TABLE_MOST; i++)
		table[i] = i < late->count ? NETEM_DIST_SCALE : 0;
	message_put(message, TCA_NETEM_DELAY_DIST, table, i * sizeof(table[0]));
}

void netlink_add_netem(int netlink, unsigned device, const struct netem *netem)
{
	struct message message;
	struct rtattr *options;
	struct tc_netem_qopt basic = { .limit = netem->limit, .loss = netem->loss, .duplicate = netem->copies };
	struct tc_netem_rate rate = { .rate = netem->rate_bytes > UINT32_MAX ? UINT32_MAX : netem->rate_bytes,
				      .packet_overhead = -ETHERNET_BYTES };
	const int64_t jitter_ns = netem->late.by_ns ? (int64_t)netem->late.by_ns : netem->jitter_ns;
	struct tcmsg *body = message_begin(&message, RTM_NEWQDISC, netem->changes ? 0 : NLM_F_CREATE | NLM_F_EXCL, sizeof(*body));

	body->tcm_family = AF_UNSPEC;
	body->tcm_ifindex = device;
	body->tcm_parent = netem->parent;
	body->tcm_handle = netem->handle;
	message_put_text(&message, TCA_KIND, "netem");
	if (netem->counts_ip_bytes)
		message_put_ip_sizes(&message);
	options = message_put(&message, TCA_OPTIONS, &basic, sizeof(basic));
	message_put(&message, TCA_NETEM_LATENCY64, &netem->delay_ns, sizeof(netem->delay_ns));
	message_put(&message, TCA_NETEM_JITTER64, &jitter_ns, sizeof(jitter_ns));
	if (netem->rate_bytes) {
		message_put(&message, TCA_NETEM_RATE, &rate, sizeof(rate));
		if (netem->rate_bytes > UINT32_MAX)
			message_put(&message, TCA_NETEM_RATE64, &netem->rate_bytes, sizeof(netem->rate_bytes));
	}
	if (netem->burst.to_good) {
		/* Netem wants what the bad state lets pass, and what the good one loses. */
		struct tc_netem_gemodel model = { .p = netem->burst.to_bad, .r = netem->burst.to_good,
						  .h = UINT32_MAX - netem->burst.loss_bad, .k1 = netem->burst.loss_good };
		struct rtattr *loss = message_put(&message, TCA_NETEM_LOSS, NULL, 0);

		message_put(&message, NETEM_LOSS_GE, &model, sizeof(model));
		message_nest(&message, loss);
	}
	if (netem->late.by_ns)
		put_late(&message, &netem->late);
	message_nest(&message, options);
	message_ask(netlink, &message, "netem");
}

void netlink_add_fifo(int netlink, unsigned device, const struct fifo *fifo)
{
	/* As in queue/fifo.c. */
	const struct {
		uint64_t rate_bytes, limit_ns, limit_bytes;
		uint32_t header_bytes, unused;
	} parameters = { .rate_bytes = fifo->rate_bytes, .limit_ns = fifo->limit_ns, .limit_bytes = fifo->limit_bytes, .header_bytes = ETHERNET_BYTES };
	struct message message;
	struct tcmsg *body = message_begin(&message, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, sizeof(*body));

	body->tcm_family = AF_UNSPEC;
	body->tcm_ifindex = device;
	body->tcm_parent = fifo->parent;
	body->tcm_handle = fifo->handle;
	message_put_text(&message, TCA_KIND, "windtunnel_fifo");
	message_put(&message, TCA_OPTIONS, &parameters, sizeof(parameters));
	message_ask(netlink, &message, "windtunnel_fifo");
}

void netlink_add_fq(int netlink, unsigned device, uint32_t limit)
{
	struct message message;
	struct rtattr *options;
	struct tcmsg *body = message_begin(&message, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, sizeof(*body));

	body->tcm_family = AF_UNSPEC;
	body->tcm_ifindex = device;
	body->tcm_parent = TC_H_ROOT;
	message_put_text(&message, TCA_KIND, "fq");
	options = message_put(&message, TCA_OPTIONS, NULL, 0);
	message_put_u32(&message, TCA_FQ_PLIMIT, limit);
	message_put_u32(&message, TCA_FQ_FLOW_PLIMIT, limit);
	message_put_u32(&message, TCA_FQ_TIMER_SLACK, 0);
	message_nest(&message, options);
	message_ask(netlink, &message, "fq");
}

void netlink_qdisc_counters(int netlink, unsigned device, uint32_t parent, struct qdisc_counters *counters)
{
	struct message message;
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;
	const struct rtattr *stats, *part, *own;
	/* Without the echo flag the kernel does not answer, and a guest that waits does so for ever. */
	struct tcmsg *body = message_begin(&message, RTM_GETQDISC, NLM_F_ECHO, sizeof(*body));
	ssize_t size;

	body->tcm_family = AF_UNSPEC;
	body->tcm_ifindex = device;
	body->tcm_parent = parent;
	if (send(netlink, &message, message.header.nlmsg_len, 0) < 0)
		fail("netlink: qdisc");
	size = recv(netlink, &message, sizeof(message), 0);
	if (size < 0 || message.header.nlmsg_type != RTM_NEWQDISC)
		fail("netlink: qdisc: no answer");
	body = NLMSG_DATA(&message.header);
	stats = message_find((struct rtattr *)((char *)body + NLMSG_ALIGN(sizeof(*body))), NLMSG_PAYLOAD(&message.header, sizeof(*body)), TCA_STATS2);
	part = message_find(RTA_DATA(stats), RTA_PAYLOAD(stats), TCA_STATS_BASIC);
	memcpy(&basic, RTA_DATA(part), sizeof(basic));
	part = message_find(RTA_DATA(stats), RTA_PAYLOAD(stats), TCA_STATS_QUEUE);
	memcpy(&queue, RTA_DATA(part), sizeof(queue));
	/* The kernel's packet counter here has 32 bits. */
	counters->packets += (uint32_t)(basic.packets - (uint32_t)counters->packets);
	counters->ip_bytes = basic.bytes - counters->header_bytes * counters->packets;
	counters->queue_packets = queue.qlen;
	counters->queue_ip_bytes = queue.backlog - counters->header_bytes * queue.qlen;
	counters->drops = queue.drops;
	own = message_seek(RTA_DATA(stats), RTA_PAYLOAD(stats), TCA_STATS_APP);
	counters->own_bytes = own ? RTA_PAYLOAD(own) : 0;
	if (counters->own_bytes > sizeof(counters->own))
		counters->own_bytes = sizeof(counters->own);
	if (own)
		memcpy(counters->own, RTA_DATA(own), counters->own_bytes);
}
