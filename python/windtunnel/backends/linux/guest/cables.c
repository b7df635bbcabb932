#define _GNU_SOURCE
#include "cables.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "netlink.h"

#define NEAR_ROUTER ADDRESS(10, 0, 0, 1)
#define FAR_ROUTER ADDRESS(10, 0, 0, 2)
#define RECEIVERS_BITS 16	/* of the prefix that those at one router have in common */

void write_file(const char *path, const char *text)
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

void configure(const struct plan *plan, int flow)
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

unsigned device_named(const char *name)
{
	unsigned device = if_nametoindex(name);

	if (!device)
		fail("%s", name);
	return device;
}

int namespace_new(const struct plan *plan, int flow)
{
	if (unshare(CLONE_NEWNET) < 0)
		fail("unshare");
	configure(plan, flow);
	return namespace_here();
}

uint32_t address_before(int hop)
{
	return NEAR_ROUTER + 2 * hop;
}

uint32_t address_behind(int hop)
{
	return FAR_ROUTER + 2 * hop;
}

void route(const struct router *router, uint32_t destination, unsigned prefix, unsigned device)
{
	netlink_add_route(router->netlink, &(struct route){ .destination = destination, .prefix = prefix, .device = device });
}

uint32_t receivers_before(int hop)
{
	return ADDRESS(10, 130 + hop, 0, 0);
}

uint32_t receivers_behind(int hop)
{
	return ADDRESS(10, 64 + hop, 0, 0);
}

void route_before(const struct router *router, int hop, unsigned device)
{
	route(router, address_before(hop), 32, device);
	route(router, receivers_before(hop), RECEIVERS_BITS, device);
}

void route_behind(const struct router *router, int hop, unsigned device)
{
	route(router, address_behind(hop), 32, device);
	route(router, receivers_behind(hop), RECEIVERS_BITS, device);
}

void become_router(struct router *router, bool is_new, const struct plan *plan)
{
	if (is_new)
		router->namespace = namespace_new(plan, -1);
	else
		router->namespace = namespace_here();
	write_file("/proc/sys/net/ipv4/ip_forward", "1");
	router->netlink = netlink_open();
}

unsigned cable(const struct router *from, const char *name, const struct router *to, const char *peer, uint32_t mtu)
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
