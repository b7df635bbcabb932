/* Network namespaces, the routers among them, and the cables between two. */
#ifndef WINDTUNNEL_CABLES_H
#define WINDTUNNEL_CABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"

#define ADDRESS(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))
#define NEAR_HOSTS ADDRESS(10, 1, 0, 0)	/* senders of forward data */
#define FAR_HOSTS ADDRESS(10, 2, 0, 0)	/* of reverse data */
#define ROOM 10000000	/* packets; more than are ever under way */
#define AT_ONCE (1ull << 50)	/* bytes per second at which a packet takes no time */

struct router {
	int namespace;
	int netlink;
};

void write_file(const char *path, const char *text);

/* The rest of the calling process happens in this namespace. */
void namespace_enter(int namespace);

/* Sets what holds in every namespace; a flow's own settings prevail in its own (-1 for none's). */
void configure(const struct plan *plan, int flow);

/* A new namespace, in which the caller is then. */
int namespace_new(const struct plan *plan, int flow);

unsigned device_named(const char *name);

/* The addresses of the routers before and behind a hop. */
uint32_t address_before(int hop);
uint32_t address_behind(int hop);

/* Where the addresses of receivers begin that have a host of their own at one of these routers. */
uint32_t receivers_before(int hop);
uint32_t receivers_behind(int hop);

void route(const struct router *router, uint32_t destination, unsigned prefix, unsigned device);

/* The ways to the router before or behind a hop, and to the receivers there. */
void route_before(const struct router *router, int hop, unsigned device);
void route_behind(const struct router *router, int hop, unsigned device);

/* Makes the caller's namespace, or a new one, a router. */
void become_router(struct router *router, bool is_new, const struct plan *plan);

/* A cable from one router to another; both ends are up, the caller is in the first one's namespace. Returns its end. */
unsigned cable(const struct router *from, const char *name, const struct router *to, const char *peer, uint32_t mtu);

#endif
