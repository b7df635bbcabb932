/* The application of a receiver whose buffer may be full. */
#ifndef WINDTUNNEL_READER_H
#define WINDTUNNEL_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"

struct reader {
	bool is_reading;	/* what arrives, as it arrives */
	uint64_t turns;		/* how often it has read, or turned */
};

/* Before its first turn. */
void reader_init(struct reader *reader, const struct receiver_plan *plan);

/* It takes its turn: `*bytes` it reads at most. Returns how long until the next one. */
uint64_t reader_turn(struct reader *reader, const struct receiver_plan *plan, uint64_t *bytes);

/* Settings of the receivers' namespace, which the caller is in, for a buffer that grows: before its listener is made, and after. */
void reader_before_listening(const struct receiver_plan *plan);
void reader_after_listening(const struct receiver_plan *plan);

/* Gives a listener the buffer of a size of its own. */
void reader_fix_buffer(int listener, const struct receiver_plan *plan);

#endif
