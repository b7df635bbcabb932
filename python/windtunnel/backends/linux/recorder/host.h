/* The kernel's side of a script: a namespace of its own, a device whose other end is the peer, and the socket. */
#ifndef WINDTUNNEL_HOST_H
#define WINDTUNNEL_HOST_H

#include <linux/tcp.h>
#include <stdbool.h>
#include <stdint.h>

#include "script.h"
#include "segment.h"

struct host {
	int home;	/* the guest's first namespace */
	int tunnel;	/* what the peer sends goes in here */
	int tap;	/* what the kernel sends comes out here, with the moment at which it did */
	int socket;
};

/* What the kernel knows of its connection: the algorithm's own words last. */
struct state {
	struct tcp_info info;
	uint32_t pacing_gain;	/* of BBR, 1/256 */
	uint32_t alpha;		/* of DCTCP, 1/1024 */
};

void host_open(struct host *host, const struct script *script);
void host_close(struct host *host);

/* Begins the handshake. */
void host_connect(const struct host *host);
void host_write(const struct host *host, uint32_t bytes);
void host_inject(const struct host *host, const struct answer *answer);

/* The next segment that the kernel has sent, and when, in the clock's nanoseconds; false when there is none. */
bool host_take(const struct host *host, struct sent_segment *segment, uint64_t *at_ns);
void host_ask(const struct host *host, const struct script *script, struct state *state);

#endif
