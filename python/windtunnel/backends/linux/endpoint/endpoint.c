// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel without processes as one end of a connection, under a clock that is kept outside.
 *
 * Time passes only while the machine is idle. Before it goes on to its next event then, it says when that is and which segments have left,
 * and reads how far it may go and what arrives there. Whoever keeps the clock waits meanwhile, and the guest does while that is busy.
 */
#include <linux/etherdevice.h>
#include <linux/inetdevice.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/time-internal.h>
#include <net/ip.h>
#include <net/tcp.h>
#include <os.h>

#include "windtunnel_endpoint.h"
#include "windtunnel_socket.h"

#define ZERO_NS 16384000000ull	/* of the run in the guest's clock: after its boot, and a multiple of what its timers are rounded to */
#define ADDRESS(host) htonl(0x0a000000 | (host))

static int channel = -1;
static bool is_open;
static u64 until;	/* in the guest's clock: how far it may go */
static struct net_device *device;
static struct time_travel_event event;

static struct {
	struct windtunnel_order head;
	struct windtunnel_segment segment[WINDTUNNEL_SEGMENTS];
} order;

static struct {
	struct windtunnel_said head;
	struct windtunnel_segment segment[WINDTUNNEL_SEGMENTS];
} said;

static int __init windtunnel_setup(char *text)
{
	return kstrtoint(text, 10, &channel) == 0;
}
__setup("windtunnel=", windtunnel_setup);

/* Who keeps the clock is gone: so is this. */
static void give_up(void)
{
	os_kill_process(os_getpid(), 0);
	for (;;)
		;
}

static void say(bool has_more)
{
	const int bytes = sizeof(said.head) + said.head.segments * sizeof(said.segment[0]);
	int written;

	said.head.has_more = has_more;
	do
		written = os_write_file(channel, &said, bytes);
	while (written == -EINTR);
	if (written != bytes)
		give_up();
	said.head.segments = 0;
}

static void hear(void *into, int room)
{
	int read;

	do
		read = os_read_file(channel, into, room);
	while (read == -EINTR);
	if (read <= 0)
		give_up();
}

static netdev_tx_t leave(struct sk_buff *skb, struct net_device *from)
{
	const struct iphdr *ip = ip_hdr(skb);
	const struct tcphdr *tcp = (const void *)ip + 4 * ip->ihl;
	const unsigned int header = 4 * tcp->doff;
	struct windtunnel_segment *segment;

	if (skb->protocol == htons(ETH_P_IP) && ip->protocol == IPPROTO_TCP) {
		if (said.head.segments == WINDTUNNEL_SEGMENTS)
			say(true);
		segment = &said.segment[said.head.segments++];
		segment->seq = ntohl(tcp->seq);
		segment->ack = ntohl(tcp->ack_seq);
		segment->flags = ntohs(((const __be16 *)tcp)[6]);
		segment->window = ntohs(tcp->window);
		segment->payload = ntohs(ip->tot_len) - 4 * ip->ihl - header;
		segment->ecn = ip->tos & INET_ECN_MASK;
		segment->option_bytes = header - sizeof(*tcp);
		memcpy(segment->options, tcp + 1, segment->option_bytes);
	}
	dev_consume_skb_any(skb);
	return NETDEV_TX_OK;
}

static void arrive(const struct windtunnel_segment *segment)
{
	const unsigned int header = sizeof(struct tcphdr) + segment->option_bytes;
	const unsigned int bytes = sizeof(struct iphdr) + header + segment->payload;
	struct sk_buff *skb = netdev_alloc_skb(device, bytes);
	struct iphdr *ip;
	struct tcphdr *tcp;

	if (!skb)
		panic("windtunnel: no memory for a segment that arrives");
	ip = skb_put_zero(skb, bytes);
	*ip = (struct iphdr){ .version = 4, .ihl = 5, .tos = segment->ecn, .tot_len = htons(bytes), .frag_off = htons(IP_DF), .ttl = 64,
			      .protocol = IPPROTO_TCP, .saddr = ADDRESS(windtunnel_is_server ? 1 : 2), .daddr = ADDRESS(windtunnel_is_server ? 2 : 1) };
	ip->check = ip_fast_csum(ip, ip->ihl);
	tcp = (struct tcphdr *)(ip + 1);
	tcp->source = htons(windtunnel_is_server ? WINDTUNNEL_CLIENT_PORT : WINDTUNNEL_SERVER_PORT);
	tcp->dest = htons(windtunnel_is_server ? WINDTUNNEL_SERVER_PORT : WINDTUNNEL_CLIENT_PORT);
	tcp->seq = htonl(segment->seq);
	tcp->ack_seq = htonl(segment->ack);
	((__be16 *)tcp)[6] = htons(segment->flags);
	tcp->window = htons(segment->window);
	memcpy(tcp + 1, segment->options, segment->option_bytes);
	skb->protocol = htons(ETH_P_IP);
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	netif_rx(skb);
}

/* An interrupt at the time that was ordered. */
static void happen(struct time_travel_event *unused)
{
	u32 i;

	for (i = 0; i < order.head.segments; i++)
		arrive(&order.segment[i]);
	if (order.head.what != WINDTUNNEL_GO_ON)
		windtunnel_command(order.head.what, order.head.bytes);
}

/*
 * The machine is idle at `now`, and its next event is at `next`: whether it goes on to that. Otherwise there is an earlier one now.
 */
bool windtunnel_goes_on(unsigned long long now, unsigned long long next)
{
	if (!is_open || next <= until)
		return true;
	said.head.now = now - ZERO_NS;
	said.head.next = next == S64_MAX ? WINDTUNNEL_NEVER : next - ZERO_NS;
	windtunnel_tell(&said.head);
	say(false);
	hear(&order, sizeof(order));
	until = max_t(u64, now, ZERO_NS + order.head.at);
	if (order.head.segments || order.head.what != WINDTUNNEL_GO_ON || until < next)
		time_travel_add_event_rel(&event, until - now);
	return next <= until;
}

static const struct net_device_ops operations = { .ndo_start_xmit = leave };

static void set_up_device(struct net_device *made)
{
	made->netdev_ops = &operations;
	made->type = ARPHRD_NONE;
	made->flags = IFF_POINTOPOINT | IFF_NOARP;
	made->priv_flags |= IFF_NO_QUEUE;
	made->features = made->hw_features = NETIF_F_HW_CSUM | NETIF_F_SG;
	made->max_mtu = 65535;
	/* A packet is one segment, as the network sees it. */
	made->gso_max_segs = 1;
}

static int ask_device(unsigned int what, __be32 address, short flags)
{
	struct ifreq request = { 0 };
	struct sockaddr_in *in = (struct sockaddr_in *)&request.ifr_addr;

	strcpy(request.ifr_name, device->name);
	if (what == SIOCSIFFLAGS)
		request.ifr_flags = flags;
	else
		*in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = address };
	return devinet_ioctl(&init_net, what, &request);
}

static int add_device(u32 mtu)
{
	device = alloc_netdev(0, "tunnel%d", NET_NAME_ENUM, set_up_device);
	if (!device)
		return -ENOMEM;
	device->mtu = mtu;
	return register_netdev(device) ?: ask_device(SIOCSIFADDR, ADDRESS(windtunnel_is_server ? 2 : 1), 0) ?:
	       ask_device(SIOCSIFNETMASK, htonl(0xffffff00), 0) ?: ask_device(SIOCSIFFLAGS, 0, IFF_UP);
}

/* In place of what a kernel does after its boot: it starts no process. */
static int __init windtunnel_endpoint(void)
{
	struct windtunnel_open open;
	int error;

	if (channel < 0)
		return 0;
	hear(&open, sizeof(open));
	windtunnel_is_server = open.is_server;
	time_travel_set_event_fn(&event, happen);
	error = add_device(open.mtu) ?: windtunnel_socket(&open, ADDRESS(1), ADDRESS(2));
	if (error)
		panic("windtunnel: no socket for %s: error %d", open.algorithm, error);
	is_open = true;
	windtunnel_serve();
	return 0;
}
late_initcall_sync(windtunnel_endpoint);
