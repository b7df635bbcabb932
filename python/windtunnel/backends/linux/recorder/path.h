/* The path of a script: what becomes of segments on the way there and of ACKs on the way back. Times are in microseconds. */
#ifndef WINDTUNNEL_PATH_H
#define WINDTUNNEL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "draws.h"
#include "script.h"

#define LOST UINT64_MAX

struct path {
	const struct script *script;
	struct draws segments, acks;
	uint64_t idle_us;	/* the bottleneck has nothing to do from then on */
	uint64_t last_us, last_ack_us;	/* the latest arrivals that kept their order */
	uint32_t offered, acks_offered;
	uint32_t doomed;	/* segments that the loss under way still takes */
};

/* What becomes of a segment: arrivals, LOST for none. */
struct journey {
	uint64_t arrives_us, again_us;
	bool is_marked;
};

void path_init(struct path *path, const struct script *script);
struct journey path_there(struct path *path, uint64_t now_us, bool is_capable);
uint64_t path_back(struct path *path, uint64_t now_us);

#endif
