/* Segments as bytes: what the kernel sends is read, what the peer answers is made. */
#ifndef WINDTUNNEL_SEGMENT_H
#define WINDTUNNEL_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define KERNEL_ADDRESS 0x0a000001u
#define PEER_ADDRESS 0x0a000002u
#define PEER_PORT 5001
#define SEGMENT_BYTES_MAX 2048
#define BLOCKS_MAX 4
#define WINDOW_SCALE 9

/* What the kernel sent. */
struct sent_segment {
	uint16_t port;
	uint32_t seq;
	uint32_t payload;
	uint32_t stamp;		/* its timestamp */
	bool is_syn, has_reduced, is_capable;	/* SYN, CWR, ECT */
};

/* What the peer answers. Sequence numbers are the kernel's own. */
struct answer {
	uint16_t port;
	bool is_syn, echoes_marks;
	bool has_stamps;
	uint32_t ack;
	uint32_t window;	/* bytes */
	uint32_t stamp, echo;
	uint16_t mss;		/* with SYN: and may it send selective ACKs? */
	bool is_selective;
	unsigned blocks;
	uint32_t left[BLOCKS_MAX], right[BLOCKS_MAX];
};

/* False for what is not TCP over IPv4. */
bool segment_read(const uint8_t *bytes, ssize_t size, struct sent_segment *segment);

/* Returns the number of bytes made. */
size_t segment_make(const struct answer *answer, uint8_t *bytes);

#endif
