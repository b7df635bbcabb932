/* The receiver: RFC 9293 with delayed ACKs, RFC 2018 and 2883 blocks, RFC 7323 echoes, RFC 3168 or RFC 8257 marks. Counts segments. */
#ifndef WINDTUNNEL_RECEIVER_H
#define WINDTUNNEL_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "script.h"

#define RECEIVED_BLOCKS_MAX 4
#define NO_SEGMENT UINT32_MAX

/* A segment that arrives: one of the kernel's transmissions. NO_SEGMENT is one without data, which asks for the window. */
struct arrival {
	uint32_t seq;
	uint32_t transmission;
	bool is_marked, has_reduced;
};

struct block {
	uint32_t from, to;
};

/* An ACK as it leaves. */
struct ack {
	uint32_t cumulative;
	uint32_t blocks;
	struct block block[RECEIVED_BLOCKS_MAX];
	uint32_t duplicate;	/* segment that came twice, or NO_SEGMENT; its block precedes the others */
	uint32_t echoed;	/* transmission whose timestamp is echoed */
	bool echoes_marks;
	uint32_t window;	/* segments */
	uint64_t left_us;
};

struct receiver {
	const struct script *script;
	bool is_exact;	/* marks are echoed as RFC 8257 has it */
	uint32_t next;	/* segment expected */
	uint32_t acknowledged;	/* the expected one when the last ACK left */
	uint32_t edge;		/* the first segment beyond what was ever offered */
	uint32_t pending;	/* in order and not acknowledged */
	uint32_t quick;
	uint32_t blocks;
	struct block block[64];	/* the latest first */
	uint32_t recent, echo;	/* the transmission to echo, and the segment it was of */
	bool has_recent, is_congested;
	uint64_t due_us;	/* when the delayed ACK leaves, UINT64_MAX for never */
};

void receiver_init(struct receiver *receiver, const struct script *script, bool is_exact);

/* A segment arrives; gives up to two ACKs and returns how many. */
unsigned receiver_take(struct receiver *receiver, const struct arrival *arrival, uint64_t now_us, struct ack acks[2]);

/* The delayed ACK is due. */
void receiver_expire(struct receiver *receiver, uint64_t now_us, struct ack *ack);

/* Its room may have changed: returns whether it offers more than before, which the ACK says. */
bool receiver_widen(struct receiver *receiver, uint64_t now_us, struct ack *ack);

#endif
